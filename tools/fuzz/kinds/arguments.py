"""Command lines: words that are parsed and run in this process, in a folder of small files.

The options come from the commands' own parsers. Paths stay within the folder, whatever a mutator does.
"""

from __future__ import annotations

import importlib
import json
import re
from argparse import Action
from collections.abc import Iterable
from functools import cache
from unittest.mock import patch

from app.cli import main as cli
from engine.export import watching
from tools.fuzz.judge import place
from tools.fuzz.kind import Chance, Harm, Kind, Operation, Refused, Seed, Task
from tools.fuzz.mutations import raw, tree, values
from tools.fuzz.operations.printed import Printed, printed

SOURCES = (
    *("multi.exr", "b.tif", "mip.exr", "meta.exr", "deep.exr", "a.png", "shot.####.exr", "shot.1001.exr", "no.exr"),
)
TARGETS = (
    *("o.exr", "o.png", "o.tif", "o.dpx", "o.jpg", "o.####.exr", "o.cube", "o.clf", "o.cc", "o.yaml", "o", "no/o.exr"),
)
TRAPS = ("folder", "pipe", "loop", "dangling")
FILES = (
    *("look.cube", "look.cc", "look.ccc", "look.ccc#two", "look.clf", "grade.json", "show.ocio", "show.ocioz"),
    *("meta.exr", "/dev/null", "/dev/zero", ".", "", *TRAPS),
)
NUMBERS = ("0", "1", "2", "3", "8", "1x1", "4x3", "70000x1", "0x0", "1,2,3,4", "-1,-1,9,9", "64MB", "9999999GiB")
WORDS = (
    *("source", "half", "float", "zip", "dwaa:45", "none", "data", "display", "tiled:8", "scanline", "left", "Z"),
    *("linear", "log", "monitor", "film", "warm,-shot", "-warm", "SHOT=x", "raw", "1001-1004", "skip", "hold", "cpu"),
)
MISUSE = 2
COMMANDS = (*cli.COMMANDS, "")
FRAMES = ("1001", "1002", "1004")
LEFT_OUT = ("--dask", "--backend", "--help", "-h", "--watch")
"""A farm listens, devices load drivers, help is long, and watching takes its time: these get values of their own."""
EXTRA = (["--backend", "cpu"], ["--backend", "no"], ["--watch", "0.01"], ["--watch", "x"], ["--help"], ["--dask", "no"])
STARTS = (
    ["export", "multi.exr", "o.exr"],
    ["export", "multi.exr", "o.exr", "--exposure", "1", "--cdl", "look.cc", "--lut", "look.cube", "--type", "half"],
    ["export", "shot.####.exr", "o.####.exr", "--exposure", "1", "--missing", "skip", "--frames", "1001-1004"],
    ["export", "meta.exr", "o.png", "--config", "show.ocio", "--input", "linear", "--display", "monitor", "--dry-run"],
    ["export", "b.tif", "o.exr", "--salvage", "--crop", "data", "--resize", "4x3", "--report", "o.json"],
    ["job", "o.yaml", "shot.####.exr", "o.####.exr", "--grade", "grade.json"],
    ["info", "multi.exr", "--json"],
    ["info", "look.cube"],
    ["colorspaces", "--config", "show.ocio"],
    ["bake", "grade.json", "o.cube", "--size", "2"],
    ["bake", "look.clf", "o.clf", "--config", "show.ocioz", "--input", "linear"],
    ["--version"],
    ["no.exr"],
)


def seeds() -> Iterable[Seed]:
    return [Seed(" ".join(words), ".args", json.dumps(words).encode()) for words in STARTS]


@cache
def _options(command: str) -> list[Action]:
    """The options of a command."""
    parser = importlib.import_module(f"app.cli.commands.{command or 'window'}").parser()
    return [action for action in parser._actions if not set(action.option_strings) & set(LEFT_OUT)]


def _value(chance: Chance) -> str:
    """A value for any option."""
    given = chance.choice((SOURCES, TARGETS, FILES, NUMBERS, WORDS))
    return chance.choice(given) if chance.often(0.75) else chance.choice(("\ud800", "a" * 5000, values.text(chance)))


def option(data: bytes, chance: Chance) -> bytes:
    """Add an option of the command, with a value that may suit it."""
    words = json.loads(data)
    found = _options(words[0] if words[0] in COMMANDS else "export")
    action = chance.choice(found)
    given = list(chance.choice(EXTRA)) if chance.often(0.15) else [*action.option_strings[-1:]]
    if len(given) == 1 and action.nargs != 0:
        value = chance.choice(list(action.choices)) if action.choices and chance.often(0.7) else _value(chance)
        given = [*given, value] if chance.often(0.5) else [f"{given[0]}={value}"]
    at = chance.randint(1, len(words))
    return json.dumps([*words[:at], *given, *words[at:]]).encode()


def word(data: bytes, chance: Chance) -> bytes:
    """Replace, remove, double or exchange words."""
    words = json.loads(data)
    one, other = chance.below(len(words)), chance.below(len(words))
    match chance.below(5):
        case 0:
            del words[one]
        case 1:
            words.insert(other, words[one])
        case 2:
            words[one], words[other] = words[other], words[one]
        case _:
            words[one] = _value(chance) if one else chance.choice(COMMANDS)
    return json.dumps(words).encode()


def harmless(word: str) -> str:
    """The word, unable to name what lies outside of the working folder, or to ask for hours of work."""
    if word in (*FILES, *TARGETS) or word.partition("=")[2] in FILES:
        return word
    kept = word.replace("~", "_").replace("\\", "_").replace("/", "_").replace("..", "__")
    return re.sub(
        r"\d+", lambda number: "7" if 64 < int(number[0][:9]) < 65537 and number[0] not in FRAMES else number[0], kept
    )


def run(task: Task) -> None:
    """Parse and run the words as `tessera` does."""
    try:
        found = json.loads(task.data)
    except (ValueError, RecursionError):
        return
    words = [harmless(str(each)) for each in found] if isinstance(found, list) else []
    if len(words) > 1 and words[0] not in cli.COMMANDS:
        words.insert(0, "export")
    if not words or "inf" in str(words) or (words[0] not in cli.COMMANDS and not set(words) & {"--version", "no.exr"}):
        return  # it would open a window, or watch for ever
    there = {path.name for path in task.stage.iterdir()}
    task.may_change = lambda name: _meant(name, words, there)
    errors = list[BaseException]()

    def failed(error: Exception) -> int:
        errors.append(error)
        return before(error)

    before = cli._failed
    with printed() as output, patch.object(cli, "_failed", failed), patch.object(watching, "LOOK_SECONDS", 0.002):
        try:
            code = cli.main(words)
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 1
    if code not in (cli.DONE, cli.FAILED, MISUSE):
        raise Harm(f"exit status {code}")
    if "unexpected" in output.err or "Traceback" in output.err:
        error = errors[0] if errors else Exception()
        raise Harm(f"unexpected {type(error).__name__} {place(error)}") from error
    if code == MISUSE:  # argparse repeats the words as they are
        raise Refused
    _check_output(output, words)
    if code != cli.DONE:
        raise Refused if output.err else Harm("it fails without a word")


def _check_output(output: Printed, words: list[str]) -> None:
    """Harm unless what was printed are printable lines, those on standard error Tessera's own."""
    if any(word.startswith("--pr") for word in words):
        return  # a bar moves the cursor
    if "--json" not in words:
        output.check_lines()
    if strange := [line for line in output.err.splitlines() if not line.startswith("tessera: ")]:
        raise Harm(f"a line on standard error is not Tessera's: {ascii(strange[0])[:60]}")


def _meant(name: str, words: list[str], there: set[str]) -> bool:
    """Whether the words name a file as one to be written: by its own name, as a frame, or beside a job; one that was
    there already with --force or --resume, or as a report."""
    output = [each.partition("=")[2] if each.startswith("--") else each for each in words]
    output = ["nothing" if each == "dangling" else each for each in output]  # where that link leads to
    if name in there:
        report = f"--report={name}" in words or ["--report", name] in [words[n : n + 2] for n in range(len(words))]
        if not {"--force", "--resume"} & set(words) and not (report and output.count(name) == 1):
            return False
    asked = {name, name.replace(".grade.json", ".yaml"), name.replace(".grade.json", ".yml")}
    frame = "".join("#" if c.isdigit() else c for c in name)
    return any(each in asked or frame.replace("#", "") == each.replace("#", "") for each in output)


MUTATORS = ((option, 5.0), (word, 3.0), (tree.node, 1.0), (raw.mutate, 0.3))
OPERATIONS = (Operation("run", run, named=False),)
KINDS = (
    Kind(
        "arguments",
        seeds,
        MUTATORS,
        OPERATIONS,
        weight=3.0,
        is_file=False,
        on_stage=True,
        suffixes=(".args",),
        most_bytes=20000,
    ),
)
