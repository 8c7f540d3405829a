"""A grade as a .cube file that OpenColorIO, Resolve and other programs read.

Up to 1 the file is a plain cube over 0..1. Above, a cube alone would spend its entries on the highlights: a shaper
comes first, a 1D LUT of log2(1 + x / toe), straight below the toe and logarithmic above. The file stores it as
entries spread evenly over 0..highest with straight lines between; the cube is computed behind exactly these lines,
so that the shaper itself adds no error. Layout: `LUT_1D_SIZE`, `LUT_1D_INPUT_RANGE`, `LUT_3D_SIZE`,
`LUT_3D_INPUT_RANGE`, as in DaVinci Resolve's manual; red runs fastest.

What goes in is held to 0..highest, so negative light and light above `highest` end at the faces of the cube.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.errors import GradeError
from engine.grade import Grade, write_text
from engine.op import ColorOp, Table
from engine.ops import Lut1d, Lut3d

Array = NDArray[np.float64]
Execute = Callable[[Sequence[ColorOp], Array], Array]

LARGEST_CUBE = 129
"""Entries along an axis that OpenColorIO takes."""
SHORTEST_SHAPER, LONGEST_SHAPER = 4096, 65536
ENTRIES_IN_TOE = 8
"""Shaper entries that the toe gets at least, while the longest shaper allows it."""
TOES = tuple(2.0**-stops for stops in range(2, 15, 2))
"""Toes that are tried, as parts of `highest`; the one with the smallest mean error stays."""
DARKEST = 0.002
"""Lower end of the light that the error is measured on: 6.5 stops below mid grey."""
SAMPLES = 20000


@dataclass(frozen=True)
class BakeReport:
    """How well a baked cube stands for its grade.

    Errors are measured on colours of `DARKEST`..`highest` spread evenly over the stops (over 0..1 where there is no
    shaper), against the float64 reference, and divided by max(1, the pixel's largest channel).
    """

    size: int
    highest: float
    shaper: int
    """Entries of the shaper; 0 where there is none."""
    max_error: float
    mean_error: float


@dataclass(frozen=True)
class _Baked:
    """What is written, rounded to float32 as a reader has it."""

    cube: Lut3d
    shaper: Lut1d | None


def bake(
    grade: Grade, path: str | Path, size: int = 33, *, highest: float = 1.0, execute: Execute | None = None
) -> BakeReport:
    """Write a grade as a .cube of `size` entries along each axis, whole or not at all, and say how good it is.

    `highest` is the largest input that the cube answers; above 1 a shaper is written too. The finest step of a
    shaper is highest / 65535, so 16 or 64 serve shadows better than 65504. `execute` runs ops on RGBA float64
    (n, 4); without it the float64 reference does. Raises GradeError for an op that looks at neighbouring pixels or
    a grade that gives no finite number, WriteFailed where the file can't be written.
    """
    if not 2 <= size <= LARGEST_CUBE or not 0.0 < highest < np.inf:
        raise GradeError(f"can't bake {size} entries over 0..{highest:g}", f"bake 2 to {LARGEST_CUBE}, above 0")
    ops, run = _point_ops(grade), execute or _reference
    light = _light(max(highest, 1.0))
    right = run(ops, light)
    candidates = [_bake_one(ops, run, size, max(highest, 1.0), toe) for toe in (TOES if highest > 1.0 else (0.0,))]
    errors = [_errors(baked, light, right) for baked in candidates]
    best = min(range(len(candidates)), key=lambda i: float(errors[i].mean()))
    baked, error = candidates[best], errors[best]
    write_text(Path(path), _cube_text(Path(path).stem, baked))
    shaper = baked.shaper.curve.size if baked.shaper else 0
    return BakeReport(size, max(highest, 1.0), shaper, float(error.max()), float(error.mean()))


def _point_ops(grade: Grade) -> list[ColorOp]:
    ops = []
    for op in grade.effective:
        if not isinstance(op, ColorOp):
            raise GradeError(f"{op.title()} looks at neighbouring pixels, which a LUT can't", "leave it out")
        ops.append(op)
    return ops


def _reference(ops: Sequence[ColorOp], rgba: Array) -> Array:
    for op in ops:
        rgba = op.reference(rgba)
    return rgba


def _bake_one(ops: Sequence[ColorOp], run: Execute, size: int, highest: float, toe: float) -> _Baked:
    """The cube, behind a shaper whose toe is a part `toe` of `highest`, or none where that is 0."""
    shaper = _shaper(highest, toe) if toe else None
    axis = np.linspace(0.0, 1.0, size)
    if shaper is not None:
        curve = shaper.curve.array[:, 0].astype(np.float64)
        axis = np.interp(axis, curve, np.linspace(0.0, highest, len(curve)))
    grid = np.stack(np.meshgrid(axis, axis, axis, indexing="ij"), axis=-1).reshape(-1, 3)
    graded = run(ops, np.column_stack([grid, np.ones(len(grid))]))[:, :3]
    with np.errstate(over="ignore"):
        cube = graded.astype(np.float32).reshape(size, size, size, 3)
    if not np.isfinite(cube).all():
        raise GradeError("the grade gives no finite number for some colours", "bake a grade that does")
    return _Baked(Lut3d(Table(cube), (0.0, 0.0, 0.0), (1.0, 1.0, 1.0), "trilinear"), shaper)


def _shaper(highest: float, toe: float) -> Lut1d:
    """log2(1 + x / (toe * highest)) over 0..highest, scaled onto 0..1."""
    entries = int(np.clip(ENTRIES_IN_TOE / toe + 1.0, SHORTEST_SHAPER, LONGEST_SHAPER))
    curve = np.log2(1.0 + np.linspace(0.0, 1.0, entries) / toe) / np.log2(1.0 + 1.0 / toe)
    return Lut1d(Table(curve), (0.0, highest), "uniform")


def _light(highest: float) -> Array:
    """RGBA colours to measure the error on: greys and colours, even over the stops, or over 0..1."""
    rng = np.random.default_rng(2024)
    where = rng.random((SAMPLES, 3))
    where[: SAMPLES // 4] = where[: SAMPLES // 4, :1]
    rgb = where if highest == 1.0 else DARKEST * (highest / DARKEST) ** where
    return np.column_stack([rgb, np.ones(SAMPLES)])


def _errors(baked: _Baked, light: Array, right: Array) -> Array:
    shaped = light if baked.shaper is None else baked.shaper.reference(light)
    ours, wanted = baked.cube.reference(shaped)[:, :3], right[:, :3]
    largest = np.maximum(np.abs(wanted).max(axis=1), 1.0)
    return np.asarray(np.abs(ours - wanted).max(axis=1) / largest)


def _cube_text(title: str, baked: _Baked) -> str:
    """The file. The title is a comment, for OpenColorIO refuses `TITLE` in a .cube with a shaper."""
    lines = [f"# {''.join(c for c in title if c.isprintable())}: baked by Tessera"]
    if baked.shaper is not None:
        lines.append(f"LUT_1D_SIZE {baked.shaper.curve.size}")
        lines.append(f"LUT_1D_INPUT_RANGE 0 {baked.shaper.domain[1]:.9g}")
    cube = baked.cube.cube.array
    lines.append(f"LUT_3D_SIZE {len(cube)}")
    if baked.shaper is not None:
        lines.append("LUT_3D_INPUT_RANGE 0 1")
        lines += [f"{x:.9g} {x:.9g} {x:.9g}" for x in baked.shaper.curve.array[:, 0].tolist()]
    red_fastest = cube.transpose(2, 1, 0, 3).reshape(-1, 3)
    lines += [f"{r:.9g} {g:.9g} {b:.9g}" for r, g, b in red_fastest.tolist()]
    return "\n".join(lines) + "\n"
