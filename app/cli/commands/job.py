"""`tessera job`: write the export of a sequence as an Open Job Description template."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.cli.commands.arguments import Parser, option_word
from app.cli.commands.colour_options import read_setup
from app.cli.commands.export import add_export, read_look
from app.cli.commands.sequence import add_which
from engine.core.file_errors import exists
from engine.errors import UnsupportedFile

if TYPE_CHECKING:
    from engine.grade.colour_settings import ColourSetup

_OTHERWISE = ("job", "source", "target", "frames", "force")
_LOOK = ("grade", "exposure", "cdl", "cdl_style", "lut", "interpolation")
"""Options that the template contains in another form: as parameters, and as the grade."""


def parser() -> argparse.ArgumentParser:
    options = Parser(
        prog="tessera job",
        description="Write the export of a sequence as an Open Job Description template (2023-09) for a farm, and its "
        "grade beside it.",
    )
    options.add_argument("job", metavar="OUT.yaml")
    add_export(options)
    add_which(options)
    options.add_argument("--force", action="store_true", help="replace OUT.yaml if it exists")
    return options


def run(asked: argparse.Namespace) -> None:
    """Write the template and the grade, and print how to run them."""
    from engine.core.atomic import checked_target, write_text
    from engine.export.frame_patterns import pair, parse_frames, parse_pattern
    from engine.export.openjd import job_template
    from engine.grade.grade import save_grade

    job = Path(asked.job)
    if job.suffix.lower() not in (".yaml", ".yml"):
        raise UnsupportedFile(job, "is not the name of a template", "end it in .yaml")
    beside = job.with_suffix(".grade.json")
    for path in (job, beside):
        checked_target(path, asked.force)
    source, target = parse_pattern(asked.source), parse_pattern(asked.target)
    frames = [each.frame for each in pair(source, target, parse_frames(asked.frames) if asked.frames else None)]
    grade = read_look(asked)
    variables = environment_of(read_setup(asked).over(grade.colour))
    text = job_template(job.stem, source, target, frames, beside.name, words_of(asked), variables)
    save_grade(grade, beside)
    write_text(job, text)
    folders = [f"{name}={path.absolute()}" for name, path in _folders(source.folder, target.folder)]
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
    """Return the given options as arguments of `tessera export`."""
    words = []
    for name, value in vars(asked).items():
        if name in (*_OTHERWISE, *_LOOK) or value == parser().get_default(name) or value in ([], None):
            continue
        if value is True:
            words.append(f"--{name.replace('_', '-')}")
            continue
        words += [option_word(name, _word(name, each)) for each in (value if isinstance(value, list) else [value])]
    return words


def _word(name: str, value: Any) -> str:
    if name == "resize":
        return "{}x{}".format(*value)
    if name == "context":
        return "{}={}".format(*value)
    return str(Path(value).absolute()) if name == "config" and exists(value) else str(value)
