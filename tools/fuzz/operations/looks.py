"""What is done with look files: read, described, checked, baked into other formats, and put on an image."""

from __future__ import annotations

import sys
from functools import cache
from typing import Any
from unittest.mock import patch

import numpy as np

from app.cli.commands import info as info_command
from app.services import look_reader
from engine import Grade
from engine.export.image import export_image
from engine.export.options import ExportOptions
from engine.kernel.op import ColorOp
from engine.luts.diagnostics import check_look
from engine.luts.look_files import LOOK_FORMATS, LookOptions, write_look
from engine.luts.text_formats import LUT_FORMATS
from engine.ocio import list_cdl_ids, look_from_file, ops_from_file
from tools.fuzz.kind import Harm, Operation, Task
from tools.fuzz.operations.images import chanced
from tools.fuzz.operations.printed import run_command

INTERPOLATIONS = ("file", "linear", "tetrahedral")


def look(task: Task) -> None:
    """Read it as an entry of a grade."""
    _look(task)


def _look(task: Task) -> Any:
    ids = ("one", "two", "0", "7", "no such") if b"ColorCorr" in task.data and task.chance.often(0.4) else (None,)
    cdl_id = task.chance.choice(ids)
    return look_from_file(task.path, task.chance.choice(INTERPOLATIONS), cdl_id, task.chance.choice(("noclamp", "asc")))


def reverse(task: Task) -> None:
    """Read it as what undoes it."""
    ops_from_file(task.path, direction="reverse")


def ids(task: Task) -> None:
    """List its corrections."""
    for each in list_cdl_ids(task.path):
        str(each)


def info(task: Task) -> None:
    """`tessera info`, as lines or as JSON."""
    run_command(info_command, str(task.path), *chanced(task.chance, "--json"))


@cache
def _image() -> Any:
    return np.random.default_rng(1).uniform(-0.2, 1.5, (8, 8, 3)).astype(np.float32)


def health(task: Task) -> None:
    """Look for what is wrong with it, and for what it does to an image."""
    with patch.object(look_reader, "LARGE_BYTES", sys.maxsize):  # a process of the fuzzer may start no other
        ops = look_reader.read_look(task.path, "file", None).ops
    found = check_look(ops, _image())
    if not all(line.isprintable() for line in (found.size, found.domain, *found.findings)):
        raise Harm("what is wrong with a look is not in printable lines")


def values(task: Task) -> None:
    """The exact answer of its ops, on a few values."""
    rgba = np.array([[0.0, 0.18, 1.0, 1.0], [-1.0, 65504.0, 1e-8, 0.0], [np.nan, np.inf, -np.inf, 0.5]])
    for op in ops_from_file(task.path):
        if isinstance(op, ColorOp):
            rgba = op.reference(rgba)


def bake(task: Task) -> None:
    """Write it as a look file of another format, which can be read."""
    grade = Grade([_look(task)])
    suffix = task.chance.choice((".clf", ".clf", ".ctf", ".ctf", ".cc", ".cdl", ".amf", ".cube", ".csp"))
    sizes = LookOptions(size=2, domain=(0.0, 1.0)) if suffix in LUT_FORMATS else LookOptions()
    target = task.target(suffix)
    write_look(grade, target, None, sizes)
    if suffix in LOOK_FORMATS and suffix != ".amf":
        try:
            look_from_file(target)
        except Exception as error:
            raise Harm(f"a baked {suffix} can't be read: {error}".replace(str(target), "")) from error


def export(task: Task) -> None:
    """Put it on an image."""
    grade = Grade([_look(task)])
    export_image(task.stage / "shot.1001.exr", task.target(".exr"), grade, ExportOptions(threads=1, backend="cpu"))


ALL = (
    Operation("look", look, 5.0),
    Operation("reverse", reverse, 1.0),
    Operation("info", info, 1.5),
    Operation("health", health, 1.0),
    Operation("values", values, 1.0),
    Operation("bake", bake, 0.2, named=False),
    Operation("export", export, 0.05),
)
"""For every kind of look file."""
