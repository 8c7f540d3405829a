"""Diagnostics of a LUT and of its effect on an image: the checks that a colourist makes on its file and on a frame."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.core.records import dataclass
from engine.kernel.op import ColorOp, Op
from engine.ops import InverseLut1d, InverseLut3d, Lut1d, Lut3d

FLOATS = NDArray[np.float64]
CURVE_POINTS = 257
LEAST_TURN = 1e-5
"""A 1D LUT reverses where it changes direction by more than this share of its range from one entry to the next."""
NOTABLE = 0.001
"""Share of an image's pixels below which they are not reported."""


@dataclass(frozen=True)
class Health:
    """The diagnosis of a LUT; `size` and `domain` as text for the user.

    `outside` and `clipped` are shares, 0..1, of the image's finite pixels: those outside the domain of a table, and
    those at a table's largest or smallest output value. `findings` are sentences, the most serious first; none if
    nothing was found.
    """

    size: str
    domain: str
    outside: float
    clipped: float
    findings: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        return {
            "size": self.size,
            "domain": self.domain,
            "outside": self.outside,
            "clipped": self.clipped,
            "findings": list(self.findings),
        }


def check_look(ops: Iterable[Op], image: NDArray[Any]) -> Health:
    """Check a look's ops on an image, (height, width, 3|4) values in the space where the look is applied.

    A small image suffices: a few thousand pixels tell as much as all.
    """
    run = [op for op in ops if isinstance(op, ColorOp)]
    pixels = _finite(image)
    outside, clipped = np.zeros(len(pixels), bool), np.zeros(len(pixels), bool)
    findings: list[str] = []
    shaped = False
    for op in run:
        after = op.reference(pixels)
        if isinstance(op, Lut1d | Lut3d):
            low, high = _domain(op)
            beyond = ((pixels[:, :3] < low) | (pixels[:, :3] > high)).any(axis=1)
            outside |= beyond
            clipped |= _at_the_ends(op, after[:, :3])
            findings += _of_table(op)
            if isinstance(op, Lut3d) and not shaped and pixels.size and pixels[:, :3].max() > high.max():
                findings.append(
                    f"The LUT has no shaper: values above {high.max():g} are clamped (image: {pixels.max():.3g})."
                )
        shaped = shaped or not isinstance(op, Lut3d)
        pixels = np.nan_to_num(after)
    beyond_share, clipped_share = (float(found.mean()) if len(found) else 0.0 for found in (outside, clipped))
    findings += _of_shares(beyond_share, clipped_share)
    if run and not pixels.size:
        findings.append("The image has no pixel with finite values.")
    return Health(_sizes(run), _domains(run), beyond_share, clipped_share, tuple(dict.fromkeys(findings)))


def response(ops: Iterable[Op], points: int = CURVE_POINTS) -> FLOATS:
    """Return (points, 4): greys from 0 to 1, and the R, G and B that the look makes of them."""
    grey = np.linspace(0.0, 1.0, points)
    out = _run(ops, np.repeat(grey[:, None], 3, axis=1))
    return np.column_stack([grey, out])


def lattice(ops: Iterable[Op], points: int = 9) -> tuple[FLOATS, FLOATS]:
    """Return (points**3, 3) colours on a grid from 0 to 1 ([r][g][b]), and the look's result for each, to plot the LUT
    in three dimensions."""
    axis = np.linspace(0.0, 1.0, points)
    grid = np.stack(np.meshgrid(axis, axis, axis, indexing="ij"), axis=-1).reshape(-1, 3)
    return grid, _run(ops, grid)


def _run(ops: Iterable[Op], rgb: FLOATS) -> FLOATS:
    pixels = np.column_stack([rgb, np.ones(len(rgb))])
    for op in ops:
        if isinstance(op, ColorOp):
            pixels = op.reference(pixels)
    return pixels[:, :3]


def _finite(image: NDArray[Any]) -> FLOATS:
    """Return the finite pixels as RGBA, (pixels, 4)."""
    flat = np.asarray(image, np.float64).reshape(-1, image.shape[-1])
    flat = flat[np.isfinite(flat[:, :3]).all(axis=1)]
    return flat if flat.shape[1] == 4 else np.column_stack([flat[:, :3], np.ones(len(flat))])


def _domain(op: Lut1d | Lut3d) -> tuple[FLOATS, FLOATS]:
    """Return the smallest and the largest input of each channel in the table's domain."""
    if isinstance(op, Lut3d):
        return np.array(op.low), np.array(op.high)
    low, high = (-65504.0, 65504.0) if op.index == "half" else op.domain
    return np.full(3, low), np.full(3, high)


def _at_the_ends(op: Lut1d | Lut3d, after: FLOATS) -> NDArray[np.bool_]:
    """Return which pixels have a channel at the largest or the smallest value of the table."""
    values = (op.curve if isinstance(op, Lut1d) else op.cube).array.astype(np.float64)
    flat = values.reshape(-1, values.shape[-1])
    top, bottom = flat.max(axis=0), flat.min(axis=0)
    slack = 1e-6 * np.maximum(top - bottom, 1e-12)
    ends: NDArray[np.bool_] = ((after >= top - slack) | (after <= bottom + slack)).any(axis=1)
    return ends


def _of_table(op: Lut1d | Lut3d) -> list[str]:
    """Return the findings about the table itself."""
    table = op.curve if isinstance(op, Lut1d) else op.cube
    if not np.isfinite(table.array).all() and not (isinstance(op, Lut1d) and op.index == "half"):
        return [f"The {op.label} has values that are not finite."]
    if isinstance(op, Lut1d):
        return _turns_of_curve(op)
    axis = np.arange(op.cube.size)
    grey = op.cube.array[axis, axis, axis].astype(np.float64)
    found = []
    if names := _turning(grey):
        found.append(f"The grey axis of the 3D LUT reverses in {names}: tones change their order.")
    steps = np.diff(grey, axis=0)
    if (np.abs(steps) < 1e-9).all():
        found.append("The 3D LUT maps all greys to one colour.")
    return found


def _turns_of_curve(op: Lut1d) -> list[str]:
    values = op.curve.array.astype(np.float64)
    if op.index == "half":
        values = values[:0x7C00]  # from 0 to the largest half
    if not np.isfinite(values).all():
        values = values[np.isfinite(values).all(axis=1)]
    names = _turning(values)
    return [f"The 1D LUT reverses in {names}: tones change their order."] if names else []


def _turning(values: FLOATS) -> str:
    """Return the names of the channels, of (entries, 1|3), that both rise and fall."""
    steps = np.diff(values, axis=0)
    least = LEAST_TURN * np.maximum(np.ptp(values, axis=0), 1e-12)
    turns = (steps > least).any(axis=0) & (steps < -least).any(axis=0)
    if not turns.any():
        return ""
    return "every channel" if turns.all() else " and ".join("RGB"[channel] for channel in np.flatnonzero(turns))


def _of_shares(outside: float, clipped: float) -> list[str]:
    found = []
    if outside > NOTABLE:
        found.append(f"{outside:.1%} of the image is outside the LUT's domain and is clamped to its edge.")
    if clipped > max(NOTABLE, outside):
        found.append(f"{clipped:.1%} of the image is at the LUT's largest or smallest output value.")
    return found


def _sizes(run: Sequence[ColorOp]) -> str:
    words = []
    for op in run:
        if isinstance(op, Lut1d | InverseLut1d):
            words.append(f"1D LUT of {op.curve.size}")
        elif isinstance(op, Lut3d | InverseLut3d):
            words.append(f"3D LUT of {op.cube.size}")
    return ", ".join(words) or "no table"


def _domains(run: Sequence[ColorOp]) -> str:
    for op in run:
        if isinstance(op, Lut1d) and op.index == "half":
            return "all half floats"
        if isinstance(op, Lut1d | Lut3d):
            low, high = _domain(op)
            if (low == low[0]).all() and (high == high[0]).all():
                return f"{low[0]:g} to {high[0]:g}"
            return f"{_numbers(low)} to {_numbers(high)}"
    return "any value"


def _numbers(values: FLOATS) -> str:
    return " ".join(f"{value:g}" for value in values)
