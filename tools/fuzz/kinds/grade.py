"""Grades as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable

from app.cli.commands import info as info_command
from engine import Grade, load_grade, save_grade
from engine.color.management import manage
from engine.export.image import export_image
from engine.export.options import ExportOptions
from engine.grade.keys import keyed_frames
from engine.luts.look_files import LookOptions, write_look
from engine.luts.text_formats import LUT_FORMATS
from tools.fuzz.kind import Harm, Kind, Operation, Seed, Task
from tools.fuzz.mutations import tree
from tools.fuzz.operations.images import chanced, run_ops
from tools.fuzz.operations.printed import run_command
from tools.fuzz.samples.grades import all_grades


def seeds() -> Iterable[Seed]:
    return [Seed(name, ".json", json.dumps(data).encode()) for name, data in all_grades()]


def load(task: Task) -> None:
    """Load it; written and read again it is the same."""
    found = load_grade(task.path)
    if Grade.from_json(json.loads(json.dumps(found.to_json()))) != found:
        raise Harm("a grade differs when it is written and read")
    if task.chance.often(0.1):
        save_grade(found, task.target(".json"))


def values(task: Task) -> None:
    """The exact answer of its ops at any frame, on a few values."""
    run_ops(at_any_frame(task))


def managed(task: Task) -> None:
    """Its ops between its colour spaces."""
    found = at_any_frame(task)
    manage(found.colour, "x.exr", {}).expanded(found)


def bake(task: Task) -> None:
    """Write it as a look file."""
    found = load_grade(task.path) if task.chance.often(0.1) else at_any_frame(task)
    suffix = task.chance.choice((".clf", ".ctf", ".ctf", ".cc", ".amf", ".cube"))
    sizes = LookOptions(size=2, domain=(0.0, 1.0)) if suffix in LUT_FORMATS else LookOptions()
    write_look(found, task.target(suffix), None, sizes)


def at_any_frame(task: Task) -> Grade:
    """The grade at a frame, that of a key or another."""
    found = load_grade(task.path)
    return found.at(task.chance.choice((*keyed_frames(found), 0, 3, 6, 10**18)))


def info(task: Task) -> None:
    """`tessera info`, as lines or as JSON."""
    run_command(info_command, str(task.path), *chanced(task.chance, "--json"))


def export(task: Task) -> None:
    """Grade an image by it."""
    wanted = ExportOptions(threads=1, backend="cpu")
    export_image(task.stage / "shot.1001.exr", task.target(".exr"), load_grade(task.path), wanted)


OPERATIONS = (
    Operation("load", load, 6.0),
    Operation("values", values, 2.0, named=False),
    Operation("managed", managed, 1.0, named=False),
    Operation("info", info, 1.0),
    Operation("bake", bake, 0.2, named=False),
    Operation("export", export, 0.03, named=False),
)
KINDS = (Kind("grade", seeds, tree.ALL, OPERATIONS, weight=4.0, suffixes=(".json",)),)
