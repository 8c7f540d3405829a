"""Examine a LUT for the wall: diagnostics on the current frame, response curves and lattice. Runs on a worker."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from app.model.percent import percent
from app.model.view_ops import grade_ops
from app.panels.wall.plots import Lattice
from engine import FileLook, Grade
from engine.color.management import Managed
from engine.core.records import dataclass
from engine.grade.masking import reads_place
from engine.kernel.op import ColorOp
from engine.luts.diagnostics import check_look, lattice, response
from engine.viewing import Levels
from engine.viewing.thumbnails import small_image

SIDE = 128
"""Greatest width and height of the small image on which a LUT is examined, in pixels."""


@dataclass(frozen=True)
class Examination:
    """The findings as `text` in a few lines, and `curves` (points, 4) and the `lattice` for the plots."""

    text: str
    curves: NDArray[np.float64]
    lattice: Lattice


def examine(look: FileLook, levels: Levels | None, managed: Managed, grade: Grade) -> Examination:
    """Examine a LUT on a graded image, in the working space; entries with a matte are left out."""
    pixels = np.zeros((0, 1, 4)) if levels is None else small_image(levels, SIDE, SIDE).astype(np.float64)
    if pixels.shape[-1] == 3:
        pixels = np.concatenate([pixels, np.ones((*pixels.shape[:2], 1))], axis=-1)
    if managed.converts:
        managed = replace(managed, setup=replace(managed.setup, output=managed.working), viewing=None)
    for op in grade_ops(managed, grade) if levels is not None else ():
        if isinstance(op, ColorOp) and not reads_place(op):
            pixels = op.reference(pixels)
    health = check_look(look.ops, pixels)
    lines = [f"{health.size[:1].upper()}{health.size[1:]}, domain {health.domain}."]
    if levels is not None:
        outside, clipped = percent(health.outside), percent(health.clipped)
        lines.append(f"{outside} of the image is outside the domain, {clipped} is at its ends.")
        lines += health.findings or ("No problems found.",)
    return Examination("\n".join(lines), response(look.ops), Lattice.of(lattice(look.ops)[1]))
