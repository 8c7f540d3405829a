"""Notations of sequences and lists of frames."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from app.cli.commands import export as export_command
from app.model.frame_names import is_sequence
from engine.export.frame_patterns import frames_text, pair, parse_frames, parse_pattern, pattern_of
from tools.fuzz.kind import Chance, Harm, Kind, Operation, Seed, Task
from tools.fuzz.mutations import raw, text

PIECES = (
    *("#", "##", "####", "@", "@@@@", "%d", "%04d", "%0400d", "$F", "$F4", "$F999", "1001-1100", "x2", "y3", ":4", ","),
    *("-", "1", "-1", "0", "1001", "1e3", "1.5", "99999999999", "1-1000000", "1-100000000x100", "%99999999999d", "."),
    *("shot.", ".exr", "_", "/", "a/", "\0", "\n", "\ud800", "ü", " ", "x", "1-5,", "5-1", "1-5x0", "1-5x-1", "%", "$"),
)


def notations() -> Iterable[Seed]:
    found = ("shot.####.exr", "shot.%04d.exr", "shot.1001-1004#.exr", "a/shot_@@@.dpx", "$F4.png", "x.%d.tif")
    return [Seed(each, ".seq", each.encode()) for each in found]


def lists() -> Iterable[Seed]:
    found = ("1001-1100,1150", "1-99x2", "1,2,3", "-5--1", "1-10y3", "1-10:3", "1001")
    return [Seed(each, ".seq", each.encode()) for each in found]


def pieces(data: bytes, chance: Chance) -> bytes:
    """Put a piece of a notation somewhere, or make one of pieces alone."""
    if chance.often(0.3):
        found = "".join(chance.choice(PIECES) for _ in range(chance.randint(1, 6)))
        return found.encode("utf-8", "surrogatepass")
    at = chance.below(len(data) + 1)
    return data[:at] + chance.choice(PIECES).encode("utf-8", "surrogatepass") + data[at + chance.below(3) :]


def _text(task: Task) -> str:
    """The input as words of a command line are, or as text of a file."""
    try:
        return task.data.decode("utf-8", "surrogatepass")
    except ValueError:
        return task.data.decode("utf-8", "surrogateescape")


def pattern(task: Task) -> None:
    """Take it as the notation of a sequence, and look for its files."""
    found = parse_pattern(_text(task))
    found.on_disk()
    for frame in (0, -5, 1001, 123456789):
        found.path(frame)
    str(found.name)


def pairs(task: Task) -> None:
    """Take it as what the frames of a sequence are written to, or as these."""
    source, target = parse_pattern("shot.####.exr"), parse_pattern(_text(task))
    files = pair(source, target) if task.chance.often(0.5) else pair(target, source, (1001, 1002))
    frames_text(each.frame for each in files)


def frames(task: Task) -> None:
    """Take it as a list of frames."""
    found = parse_frames(_text(task))
    if len(found) > 1_000_000:
        raise Harm("a list of frames has no end")
    frames_text(found[:1000])


def frame(task: Task) -> None:
    """Take it as one frame of a sequence."""
    found = pattern_of(_text(task))
    if found is not None:
        found[0].path(found[1])


def words(task: Task) -> None:
    """Take it as IN, OUT or --frames of an export."""
    given = ["shot.####.exr", "o.####.exr", "1001"]
    given[task.chance.below(3)] = _text(task).lstrip("-") or "x"
    is_sequence(export_command.parser().parse_args([*given[:2], f"--frames={given[2]}"]))


MUTATORS = ((pieces, 5.0), (text.words, 1.0), (text.numbers, 2.0), (raw.mutate, 1.0))


def _operations(*runs: Callable[[Task], None]) -> tuple[Operation, ...]:
    return tuple(Operation(run.__name__, run, named=False) for run in runs)


SHORT: dict[str, Any] = {"is_file": False, "suffixes": (".seq",), "most_bytes": 6000}
KINDS = (
    Kind("sequence", notations, MUTATORS, _operations(pattern, pairs, frame, words), weight=2.0, **SHORT),
    Kind("frame list", lists, MUTATORS, _operations(frames, words), weight=1.5, **SHORT),
)
