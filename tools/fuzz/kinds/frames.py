"""Sequences of which a frame, or what is there already in the place of one, is damaged."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Iterable
from pathlib import Path
from unittest.mock import patch

from engine import Grade
from engine.export import watching
from engine.export.options import ExportOptions
from engine.export.sequence import export_sequence
from engine.ops import Exposure
from tools.fuzz.judge import place_in_text
from tools.fuzz.kind import Chance, Harm, Kind, Operation, Seed, Task
from tools.fuzz.kinds.image import by_format
from tools.fuzz.mutations import exr, raw
from tools.fuzz.samples.images import exrs, others

SOUND = ("shot.1001.exr", "a.png", "b.tif", "d.dpx")
SEEDS = ("zip", "piz", "dwaa", "mixed", "tiled zips", "multipart", "recorded")


def seeds() -> Iterable[Seed]:
    with tempfile.TemporaryDirectory() as folder:
        found = [seed for seed in exrs(Path(folder)) if seed.name in SEEDS]
        return [*found, *(seed for seed in others(Path(folder)) if seed.name in ("tiff", "png", "dpx 10"))]


def mutate(data: bytes, chance: Chance) -> bytes:
    """As images of its format."""
    return exr.mutate(data, chance) if data.startswith(exr.MAGIC) else by_format(data, chance)


def _run(task: Task, resume: bool = False, watch: float | None = None, damaged: str = "in") -> None:
    suffix = task.path.suffix
    folder = task.folder("frames")
    sound = next(path for path in sorted(task.stage.iterdir()) if path.suffix == suffix and path.name in SOUND)
    for name in ("in.1", "in.3", "out.1"):
        own = name.startswith(damaged) and not name.endswith("3")
        shutil.copyfile(task.path if own else sound, folder / f"{name}{suffix}")
    grade = task.chance.choice((Grade(), Grade([Exposure(1.0)])))
    wanted = ExportOptions(threads=task.chance.choice((1, 2)), backend="cpu", force=not resume)
    ends = (folder / f"in.#{suffix}".replace("#", "@"), folder / f"out.@{suffix}")
    missing = task.chance.choice(("error", "skip", "hold", "black"))
    report = export_sequence(*ends, grade, wanted, missing=missing, resume=resume, watch=watch)
    for _, line, log in report.failures:
        if "unexpected" in line:
            raise Harm(f"a frame fails unexpectedly: {line.rpartition('unexpected: ')[2][:40]} {place_in_text(log)}")
        if not line.isprintable():
            raise Harm(f"a frame's failure is not one line: {ascii(line)[:60]}")
    left = [each.name for each in folder.iterdir() if not re.fullmatch(rf"(in|out)\.[123]{suffix}", each.name)]
    if left:
        raise Harm(f"left over beside the frames: {re.sub('[0-9a-f]{6,}', 'N', left[0])}")


def export(task: Task) -> None:
    """Export the sequence; the damaged frame fails alone."""
    _run(task)


def resume(task: Task) -> None:
    """Do what is missing, where a frame that is there is damaged, or its source is."""
    _run(task, resume=True, damaged=task.chance.choice(("in", "out")))


def watch(task: Task) -> None:
    """Follow it as it grows."""
    with patch.object(watching, "LOOK_SECONDS", 0.002), patch.object(watching, "NAP_SECONDS", 0.001):
        _run(task, watch=0.01)


OPERATIONS = (
    Operation("export", export, 2.0, named=False),
    Operation("resume", resume, 3.0, named=False),
    Operation("watch", watch, 1.0, named=False),
)
KINDS = (Kind("frames", seeds, ((mutate, 4.0), (raw.mutate, 1.0)), OPERATIONS, weight=0.7),)
