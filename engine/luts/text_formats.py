"""Text formats of baked LUTs: .cube of DaVinci Resolve, .csp of Cinespace, .spi3d of Sony, .3dl of Lustre."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.core.records import dataclass
from engine.errors import GradeError
from engine.kernel.op import Table
from engine.ops import Lut1d, Lut3d

Array = NDArray[Any]

SHAPER_BITS, CUBE_BITS = 10, 12
"""Bits per value of a .3dl, as Lustre and Flame write it."""
SMALLEST = float(np.finfo(np.float32).tiny)
LEAST_PEAK = 2**11
"""A .3dl does not state its bit depth. Readers infer it from the largest number: below half the range means fewer."""


@dataclass(frozen=True)
class Baked:
    """The content of a LUT file, rounded as a reader gets it."""

    cube: Lut3d
    shaper: Lut1d | None
    cut_off: bool = False
    """Whether results below 0 or above 1 were clamped."""


@dataclass(frozen=True)
class LutFormat:
    """A LUT format. `shaper`: whether it can store one; `stored`: the LUT as the file stores it; `text`: the file."""

    shaper: bool
    text: Callable[[str, Baked], str]
    stored: Callable[[Baked], Baked] = lambda baked: baked


def _cube(title: str, baked: Baked) -> str:
    """Write LUT_1D_SIZE, LUT_1D_INPUT_RANGE, LUT_3D_SIZE, LUT_3D_INPUT_RANGE, red fastest: DaVinci Resolve's manual.

    The title is a comment, since OpenColorIO rejects `TITLE` in a .cube with a shaper.
    """
    lines = [_comment(title)]
    if baked.shaper is not None:
        low, high = baked.shaper.domain
        lines += [f"LUT_1D_SIZE {baked.shaper.curve.size}", f"LUT_1D_INPUT_RANGE {low:.9g} {high:.9g}"]
    lines.append(f"LUT_3D_SIZE {baked.cube.cube.size}")
    ends = (baked.cube.low[0], baked.cube.high[0])
    if baked.shaper is not None or ends != (0.0, 1.0):
        lines.append(f"LUT_3D_INPUT_RANGE {ends[0]:.9g} {ends[1]:.9g}")
    if baked.shaper is not None:
        lines += [f"{x:.9g} {x:.9g} {x:.9g}" for x in _normal(baked.shaper.curve.array[:, 0]).tolist()]
    return _text([*lines, *_rows(_red_fastest(baked.cube))])


def _csp(title: str, baked: Baked) -> str:
    """Write the inputs and outputs of each channel of the shaper, as many points as it has; red fastest."""
    ends = np.array([baked.cube.low[0], baked.cube.high[0]])
    points, values = ends, np.array([0.0, 1.0])
    if baked.shaper is not None:
        values = baked.shaper.curve.array[:, 0].astype(np.float64)
        points = np.linspace(baked.shaper.domain[0], baked.shaper.domain[1], len(values))
    channel = [str(len(points)), _row(points), _row(values)]
    size = baked.cube.cube.size
    head = ["CSPLUTV100", "3D", "", "BEGIN METADATA", _comment(title)[2:], "END METADATA", "", *channel * 3, ""]
    return _text([*head, f"{size} {size} {size}", *_rows(_red_fastest(baked.cube))])


def _spi3d(title: str, baked: Baked) -> str:
    """Write the position of each entry in the 3D LUT, and the entry; the format has no comments."""
    cube = baked.cube.cube.array
    places = np.stack(np.meshgrid(*[np.arange(len(cube))] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
    rows = zip(places.tolist(), _normal(cube.reshape(-1, 3)).tolist(), strict=True)
    lines = [f"{i} {j} {k} {r:.9g} {g:.9g} {b:.9g}" for (i, j, k), (r, g, b) in rows]
    return _text(["SPILUT 1.0", "3 3", f"{len(cube)} {len(cube)} {len(cube)}", *lines])


def _stored_3dl(baked: Baked) -> Baked:
    """Round to 12-bit integers, clamped to 0..1. Raises GradeError if a reader would infer fewer bits."""
    most = 2**CUBE_BITS - 1
    cube = baked.cube.cube.array
    codes = np.rint(np.clip(cube, 0.0, 1.0) * most)
    if codes.max() < LEAST_PEAK:
        raise GradeError(
            f"the brightest result is {cube.max():.2g}; a .3dl with all numbers below half their range would be read"
            " with another bit depth",
            "write a .cube or .spi3d",
        )
    cut_off = bool((cube < -0.5 / most).any() or (cube > 1.0 + 0.5 / most).any())
    return replace(baked, cube=baked.cube.replace(cube=Table(codes / most)), cut_off=cut_off)


def _3dl(title: str, baked: Baked) -> str:
    """Write the positions along an axis and the entries, as integers; blue fastest."""
    size = baked.cube.cube.size
    axis = np.rint(np.linspace(0.0, 2**SHAPER_BITS - 1, size)).astype(int)
    codes = np.rint(baked.cube.cube.array.astype(np.float64) * (2**CUBE_BITS - 1)).astype(int).reshape(-1, 3)
    return _text([_comment(title), " ".join(map(str, axis.tolist())), *(f"{r} {g} {b}" for r, g, b in codes.tolist())])


def _red_fastest(lut: Lut3d) -> NDArray[np.float32]:
    return lut.cube.array.transpose(2, 1, 0, 3).reshape(-1, 3)


def _rows(values: NDArray[np.float32]) -> Iterable[str]:
    return (f"{r:.9g} {g:.9g} {b:.9g}" for r, g, b in _normal(values).tolist())


def _row(values: NDArray[np.float64]) -> str:
    return " ".join(f"{x:.9g}" for x in _normal(values).tolist())


def _normal(values: Array) -> Array:
    """Replace subnormal float32 values by 0: OpenColorIO rejects them."""
    return np.where(np.abs(values) < SMALLEST, 0.0, values)


def _comment(title: str) -> str:
    return f"# {''.join(c for c in title if c.isprintable())}: baked by Tessera"


def _text(lines: Iterable[str]) -> str:
    return "\n".join(lines) + "\n"


LUT_FORMATS = {
    ".cube": LutFormat(True, _cube),
    ".csp": LutFormat(True, _csp),
    ".spi3d": LutFormat(False, _spi3d),
    ".3dl": LutFormat(False, _3dl, _stored_3dl),
}
"""Formats of baked LUTs by their suffixes."""
