"""`tessera job`: write the export of a sequence as an Open Job Description template."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.cli.commands.colour_options import read_setup
from app.cli.commands.export import read_look
from app.cli.commands.movie import check_no_movie
from app.cli.commands.own_ops import say
from app.model.movie_options import MOVIES, is_movie_name
from app.model.option import Option, Parser
from app.model.option_table import COLOUR, GRADE, OUTPUT
from app.model.sequence_options import SEQUENCES
from engine.core.file_errors import exists
from engine.errors import UnsupportedFile

if TYPE_CHECKING:
    from engine.grade.colour_settings import ColourSetup

_OUTPUT = OUTPUT.without("dry-run", "force", "existing", "progress", "report")
_MOVIES = MOVIES.without("frames-in", "make-only")
_SEQUENCES = SEQUENCES.without("resume", "watch", "dask", "dask-tls")
"""Without the options that are only for an export on this machine."""


def parser() -> Parser:
    options = Parser(
        prog="tessera job",
        description="Write the export of a sequence as an Open Job Description template (2023-09) for a farm, and its "
        "grade beside it.",
    )
    options.add_argument("job", metavar="OUT.yaml")
    options.add_argument("source", metavar="IN")
    options.add_argument("target", metavar="OUT")
    for group in (GRADE, COLOUR, _OUTPUT, _MOVIES, _SEQUENCES):
        options.add_group(group)
    options.add_argument("--force", action="store_true", help="replace OUT.yaml if it exists")
    return options


def run(asked: argparse.Namespace) -> None:
    """Write the template and the grade, and print how to run them."""
    from engine.core.atomic import checked_target, write_bytes, write_text
    from engine.export.frame_patterns import pair, parse_frames, parse_pattern
    from engine.export.frame_sources import frame_source
    from engine.export.openjd import job_template, movie_template
    from engine.grade.grade import save_grade
    from engine.grade.renewal import own_files_of
    from engine.movies.plane_files import SUFFIX

    job = Path(asked.job)
    if job.suffix.lower() not in (".yaml", ".yml"):
        raise UnsupportedFile(job, "is not the name of a template", "end it in .yaml")
    beside = job.with_suffix(".grade.json")
    for path in (job, beside):
        checked_target(path, asked.force)
    movie = is_movie_name(asked.target)
    if not movie:
        check_no_movie(asked)
    source, target = frame_source(asked.source), Path(asked.target)
    pattern = parse_pattern(target if not movie else target.with_name(f"frame.####{SUFFIX}"))
    frames = [each.frame for each in pair(source, pattern, parse_frames(asked.frames) if asked.frames else None)]
    grade = read_look(asked)
    variables = environment_of(read_setup(asked).over(grade.colour))
    files = own_files_of(grade)
    carried = job.with_suffix(".ops")
    for file in files:
        if carried.is_dir():
            checked_target(carried / file.name, asked.force)
    about = beside.name, words_of(asked), variables, [(f"{carried.name}/{each.name}", each.sha256) for each in files]
    if movie:
        text = movie_template(job.stem, source, target, frames, *about)
    else:
        text = job_template(job.stem, source, pattern, frames, *about)
    if files:
        carried.mkdir(exist_ok=True)
    for file in files:
        write_bytes(carried / file.name, file.content)
        say([f"the farm will execute {carried / file.name} (SHA-256 {file.sha256}), which is your own code"])
    save_grade(grade, beside)
    write_text(job, text)
    folders = [f"{name}={path.absolute()}" for name, path in _folders(source.folder, target.parent)]
    print(f"{job} and {beside} are written. Submit them to a farm, or run them here:")
    print(shlex.join(["openjd", "run", str(job), *(word for folder in folders for word in ("-p", folder))]))


def _folders(source: Path, target: Path) -> list[tuple[str, Path]]:
    return [("InputFolder", source), ("OutputFolder", target)]


def environment_of(setup: ColourSetup) -> dict[str, str]:
    """Return the environment variables that select the config of a setup here, and the resolved context variables."""
    from engine.color.job_config import pin_for_others
    from engine.grade.config_pin import VARIABLE, config_is_named

    pin = pin_for_others(setup) if config_is_named(setup) else None
    if pin is None:
        return {}
    return ({} if setup.config else {VARIABLE: pin.source}) | dict(pin.context)


def words_of(asked: argparse.Namespace) -> list[str]:
    """Return the given options as arguments of `tessera export`, except those that the template contains in another
    form: the grade, and the frames as parameters."""
    words = []
    for option in (*COLOUR.options, *_OUTPUT.options, *_MOVIES.options, *_SEQUENCES.without("frames").options):
        value = getattr(asked, option.attribute)
        if option.switch:
            words += [option.flag] if value else []
        elif option.repeats:
            words += [option.word(_text(option, each)) for each in value]
        elif value != option.default:
            words.append(option.word(_text(option, value)))
    return words


def _text(option: Option, value: Any) -> str:
    """Return the text that the option parses to a value; the path of a config becomes absolute."""
    if option.name == "resize":
        return "{}x{}".format(*value)
    if option.name in ("context", "matte-channel"):
        return "{}={}".format(*value)
    if option.name == "burn-in":
        from engine.movies.burn_presets import portable_name

        return portable_name(value)
    paths = ("config", "audio")
    return str(Path(value).absolute()) if option.name in paths and exists(value) else str(value)
