"""What is done with image files: described, viewed in every way, exported, salvaged, and looked at by --resume."""

from __future__ import annotations

import threading
from dataclasses import replace
from functools import cache
from typing import Any
from unittest.mock import patch

import numpy as np

from app.cli.commands import info as info_command
from engine import Grade
from engine.compute.devices import create_executor
from engine.core.geometry import Rect
from engine.export.frames import FrameExporter, FrameJob, Recipe, is_complete
from engine.export.image import export_image, preview_export
from engine.export.options import ExportOptions
from engine.export.provenance import grade_from_file
from engine.io import describe
from engine.kernel.op import ColorOp, Table
from engine.ops import Cdl, Exposure, Lut3d
from engine.viewing import opening, store, units
from engine.viewing.frames import FrameMaker
from engine.viewing.large import LargeLevels
from engine.viewing.levels import levels_of
from tools.fuzz.kind import Chance, Harm, Operation, Task
from tools.fuzz.operations.printed import run_command

VIEW_SECONDS = 5.0
"""So long a small image may take until all of it is there."""
SUFFIXES = (".exr", ".exr", ".exr", ".tif", ".png", ".dpx", ".jpg")
CHOICES: dict[str, tuple[Any, ...]] = {
    "type": ("half", "float"),
    "compression": ("zip", "zips", "piz", "dwaa:45", "rle", "none", "htj2k256", "lzw", "no such"),
    "tile": (7, 16, 64),
    "part": (0, 1, "left"),
    "layer": ("", "diffuse", "Z", ("", "diffuse")),
    "only_graded": (True,),
    "crop": ("data", "display", "0,0,4,4", "-3,-3,40,40", "5,5,0,1"),
    "resize": ((7, 5), (40, 3)),
    "storage": ("scanline", "tiled", "tiled:16"),
    "alpha": ("unpremultiplied",),
}
"""Options of an export, each of which is seldom given."""


@cache
def grades() -> tuple[Grade, ...]:
    """A few grades: none, one op, a chain with a table."""
    cube = np.stack(np.meshgrid(*[np.linspace(0, 1, 2)] * 3, indexing="ij"), -1)
    cdl = Cdl((1.1, 1.0, 0.9), (0.0, 0.01, 0.0), (1.0, 1.0, 1.2), 1.1)
    chain = (Exposure(0.5), cdl, Lut3d(Table(cube)))
    return Grade(), Grade([Exposure(1.0)]), Grade([Exposure(1.0)]), Grade(chain)


def options(chance: Chance, salvage: bool = False) -> ExportOptions:
    """Options of an export that fit small images."""
    found = ExportOptions(backend="cpu", threads=chance.choice((1, 1, 2)), salvage=salvage)
    for name, values in CHOICES.items():
        if chance.often(0.12):
            found = replace(found, **{name: chance.choice(values)})
    return found


def info(task: Task) -> None:
    """`tessera info`, as lines or as JSON."""
    run_command(info_command, str(task.path), *chanced(task.chance, "--json"))


def chanced(chance: Chance, word: str) -> tuple[str, ...]:
    return (word,) if chance.often(0.5) else ()


def view(task: Task) -> None:
    """Open it as the window does."""
    part = task.chance.choice((0, 1)) if task.chance.often(0.15) else None
    layer = task.chance.choice(("Z", "")) if task.chance.often(0.15) else None
    opened = opening.open_image(task.path, part, layer)
    levels_of(opened)


def large(task: Task) -> None:
    """Open it as if it were large, and look at all levels until all of it is there."""
    budget = task.chance.choice((1 << 12, 1 << 20, 1 << 30))
    with (
        patch.object(opening, "DIRECT_SAMPLES", 0),
        patch.object(store, "OVERVIEW_PIXELS", 64),
        patch.object(units, "LEAST_PIXELS", 64),
    ):
        opened = opening.open_image(task.path, budget=budget)
        if isinstance(opened, opening.LargeImage):
            _look_at_all(opened.levels, task.chance)


def _look_at_all(levels: LargeLevels, chance: Chance) -> None:
    changed, lines = threading.Event(), list[str]()
    levels.watch(changed.set, lines.append)
    try:
        for level in chance.sample((0, 1, 2, 4), 2):
            levels.want(level, Rect(0, 0, -(-levels.width >> level), -(-levels.height >> level)))
        while not levels.complete and not lines:
            if not changed.wait(VIEW_SECONDS) and not levels.complete:
                raise Harm("the view never completes")
            changed.clear()
        if any(not line.isprintable() for line in lines):
            raise Harm(f"the view's complaint is not one line: {ascii(lines[0])[:60]}")
        levels.exact(Rect(0, 0, min(levels.width, 9), min(levels.height, 9)))
    finally:
        levels.rest(VIEW_SECONDS)
    for thread in threading.enumerate():
        if thread.name.startswith("tessera-decode"):
            thread.join(VIEW_SECONDS)
            if thread.is_alive():
                raise Harm("a view that is closed goes on decoding")


def show(task: Task) -> None:
    """Make frames of it: fitted, and magnified at a corner."""
    opened = opening.open_image(task.path)
    levels = levels_of(opened)
    maker = FrameMaker(_executor(), levels)
    region = (0.0, 0.0, float(levels.width), float(levels.height))
    for part in (region, (levels.width - 1.0, levels.height - 1.0, 1.0, 1.0)):
        if maker.exact(part, 16, 9, grades()[1].effective, (), lambda: False) is None:
            raise Harm("there is no frame")
    maker.show(None)


@cache
def _executor() -> Any:
    return create_executor("cpu", 1)


def export(task: Task) -> None:
    """Grade it and write it, in all ways that there are; what was written can be read."""
    _export(task, task.chance.choice(grades()), options(task.chance))


def salvage(task: Task) -> None:
    """Write what is left of it."""
    _export(task, task.chance.choice(grades()), options(task.chance, salvage=True))


def copy(task: Task) -> None:
    """Write it without a grade and without options: a copy of the bytes."""
    _export(task, Grade(), ExportOptions(threads=1, backend="cpu"))


def _export(task: Task, grade: Grade, wanted: ExportOptions) -> None:
    target = task.target(task.path.suffix if task.chance.often(0.3) else task.chance.choice(SUFFIXES))
    asked = task.chance.choice((1 << 30, 1 << 30, 1 << 30, 3)) + 1
    calls = iter(range(asked))
    export_image(task.path, target, grade, wanted, cancelled=lambda: next(calls, None) is None)
    if target.suffix == task.path.suffix and target.read_bytes() == task.data:
        return  # a copy of what is damaged
    with patch.object(opening, "SALVAGE", "never"):
        try:
            opening.open_image(target, wanted.part if len(describe(target).parts) > 1 else None)
        except Exception as error:
            raise Harm(f"what was exported can't be read: {error}".replace(str(target), "")) from error


def dry_run(task: Task) -> None:
    """The header before and after."""
    wanted = options(task.chance)
    shown = preview_export(task.path, task.target(task.chance.choice(SUFFIXES)), task.chance.choice(grades()), wanted)
    task.targets.clear()
    for line in (*shown.before, *shown.after, *shown.notes):
        if not line.isprintable():
            raise Harm(f"the header's lines are not printable: {ascii(line)[:60]}")


def grade(task: Task) -> None:
    """Take the grade in its header over, and write it down again."""
    found = grade_from_file(task.path)
    if Grade.from_json(found.to_json()) != found:
        raise Harm("a grade differs when it is written and read")
    if task.chance.often(0.5):
        run_ops(found)


def run_ops(found: Grade) -> None:
    """The exact answer of all ops, on a few values."""
    rgba = np.array([[0.0, 0.18, 1.0, 1.0], [-1.0, 65504.0, 1e-8, 0.0], [np.nan, np.inf, -np.inf, 0.5]])
    for op in found.effective:
        if isinstance(op, ColorOp):
            rgba = op.reference(rgba)


@cache
def _exporter() -> FrameExporter:
    recipe = Recipe(Grade([Exposure(1.0)]), ExportOptions(backend="cpu", threads=1), resume=True)
    return FrameExporter(recipe, 1, 1, ["cpu"])


def resume(task: Task) -> None:
    """Ask whether it is a frame that is made already, or the source of one that is."""
    sound = task.stage / "multi.exr"
    ends = (sound, task.path) if task.chance.often(0.7) else (task.path, sound)
    recipe = _exporter().recipe
    exporter = _exporter()
    if task.chance.often(0.3):
        exporter.recipe = replace(recipe, grade=Grade())
    try:
        job = FrameJob(1, *ends)
        exporter.is_made(job, exporter.resolved(job))
    finally:
        exporter.recipe = recipe


def complete(task: Task) -> None:
    """Ask whether it is there to its end, as --watch does."""
    is_complete(task.path)


def parts(task: Task) -> None:
    """Open each part and each layer of it."""
    for part in describe(task.path).parts[:4]:
        for layer in part.layers[:4]:
            opening.open_image(task.path, part.index, layer.name)


ALL = (
    Operation("info", info, 4.0),
    Operation("view", view, 4.0),
    Operation("parts", parts, 1.0),
    Operation("large", large, 2.0),
    Operation("show", show, 1.0),
    Operation("export", export, 2.0),
    Operation("salvage", salvage, 1.5),
    Operation("copy", copy, 1.0),
    Operation("dry run", dry_run, 0.7),
    Operation("resume", resume, 1.5),
    Operation("complete", complete, 1.0),
)
"""For every kind of image."""
