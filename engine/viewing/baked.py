"""Baking of a view transform to a 3D LUT, for frames during interaction; still frames are computed exactly.

A display view, which no slider of a grade changes, can cost ten times as much as the grade. Its first cheap ops are
kept: view exposure, matrices to the view's primaries, and the clamp to them. A 3D LUT over the logarithm of
scene-linear values replaces the rest. Where the view bends within a cell, or ends, no LUT of a usable size is exact:
cells with interpolation errors are marked, and devices that repair compute their pixels with the view itself.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.compute.baked_lut import BakedLut
from engine.kernel.op import ColorOp, Table

Floats = NDArray[np.float32]
Execute = Callable[[Floats, Sequence[ColorOp]], Floats]
"""Runs ops on (height, width, 4) float32."""

SIZE = 97
"""Entries along an axis of the LUT."""
HIGHEST, TOE = 64.0, 0.005
"""The domain of the LUT is 0..HIGHEST, scene-linear, mapped to its axes by log2(1 + x / TOE)."""
MOST_MOVED = 0.3 / 255.0
"""The most that an entry is moved, in display values, to centre the interpolation errors around it."""
DOUBTFUL = 0.5 / 255.0
"""A cell with a larger error at a corner, or at the middle of an edge, of a face or of itself, is marked. The errors of
other cells between these points then stay below MAX_ERROR."""
BLACK = (0.3 / 255.0, 2.0 / 255.0)
"""A cell with a channel that spans from below the first to above the second value is marked too: near black, encodings
are steeper than these points show."""
MAX_ERROR = 1.0 / 255.0
"""A LUT with a larger error in display values, in cells that are not marked, is not used."""
MOST_REPAIRED = 0.5
"""A LUT with a larger share of colours in marked cells is not used: it would cost more than it saves."""
PERCENTILE = 99.0
"""On devices that do not repair, the error is this percentile over the sample of colours."""
SAMPLES = 20000
DARKEST, BRIGHTEST = 2.0**-11, 2.0**4
"""The range of the sample's exposure, uniform in stops; each channel then varies by about a stop."""
PLAIN = ("Exposure", "Matrix", "Range", "Log", "LogAffine", "LogCamera", "Exponent")
CHEAP = (
    *(*PLAIN, "ExponentWithLinear", "Saturation", "Cdl", "Lut1d", "Lut3d"),
    *("AcesGlow", "AcesRedModifier", "AcesDarkToDim", "GradingRgbCurve"),
    *("Rec2100Surround", "GammaLog", "DoubleLog", "PqCurve"),
)
"""Cheap ops: a view of these alone costs little more than a 3D LUT, and is not baked."""


class BakedView(NamedTuple):
    """The replacement for the costly ops of a view.

    `error` is its largest error where it is used, in display values 0..1, measured on a sample of colours. `repaired`
    is the share of these colours that are computed with the view's own ops.
    """

    op: BakedLut
    error: float
    repaired: float

    @property
    def good(self) -> bool:
        return self.error < MAX_ERROR and self.repaired < MOST_REPAIRED


def is_costly(view: Sequence[ColorOp]) -> bool:
    """Return whether baking a view is worth it."""
    return not all(op.registered_name() in CHEAP for op in view)


def split(view: Sequence[ColorOp]) -> tuple[tuple[ColorOp, ...], tuple[ColorOp, ...]]:
    """Return the ops to keep and the ops to bake: plain ops at the start are kept, up to their last clamp."""
    plain = next((n for n, op in enumerate(view) if op.registered_name() not in PLAIN), len(view))
    clamps = [n + 1 for n in range(plain) if view[n].registered_name() == "Range"]
    cut = clamps[-1] if clamps else plain
    return tuple(view[:cut]), tuple(view[cut:])


def baking(tail: Sequence[ColorOp], execute: Execute, repairs: bool) -> Iterator[BakedView | None]:
    """Bake the second half of `split`, from scene-linear to display values, and measure the error.

    Yields None after each step, and the baked view at the end. `repairs` is that of the device that will use it.
    """
    size = 2 * SIZE - 1
    fine = np.empty((size, size, size, 3), np.float32)
    for number, plane in enumerate(_planes(tail, execute)):
        fine[number] = plane
        yield None
    cube = yield from _centred(fine)
    doubts = yield from _doubts(cube, fine)
    op = BakedLut(Table(cube), Table(doubts.reshape(-1, 1)), TOE, math.log2(1.0 + HIGHEST / TOE), tuple(tail))
    yield _measured(op, execute, repairs)


def _planes(tail: Sequence[ColorOp], execute: Execute) -> Iterator[Floats]:
    """Yield the view over green and blue for each red, at twice the resolution of the LUT."""
    size = 2 * SIZE - 1
    axis = (np.exp2(np.linspace(0.0, math.log2(1.0 + HIGHEST / TOE), size)) - 1.0) * TOE
    linear = np.ones((size, size, 4), np.float32)
    linear[..., 1], linear[..., 2] = np.meshgrid(axis, axis, indexing="ij")
    for red in axis:
        linear[..., 0] = red
        yield _shown(execute(linear, tail))


def _centred(fine: Floats) -> Generator[None, None, Floats]:
    """Return the LUT within `fine`, with entries moved so that interpolation errors at bends are centred around 0."""
    cube = np.ascontiguousarray(fine[::2, ::2, ::2])
    most, least, size = np.zeros_like(cube), np.zeros_like(cube), len(cube)
    for red in range(size):
        for r, g, b in np.ndindex(2 if red + 1 < size else 1, 2, 2):
            ends = (red, slice(size - g), slice(size - b)), (red + r, slice(g, None), slice(b, None))
            missed = fine[2 * red + r, g::2, b::2] - 0.5 * (cube[ends[0]] + cube[ends[1]])
            for end in ends:
                np.maximum(most[end], missed, out=most[end])
                np.minimum(least[end], missed, out=least[end])
        yield
    cube += np.clip(0.5 * (most + least), -MOST_MOVED, MOST_MOVED)
    return cube


def _doubts(cube: Floats, fine: Floats) -> Generator[None, None, Floats]:
    """Return (size - 1, size - 1, size - 1) values: 1 for marked cells, else 0."""
    size = len(cube)
    doubts = np.empty((size - 1, size - 1, size - 1), np.float32)
    low = _missed(cube[0], cube[0], fine[0])
    for red in range(size - 1):
        between = _missed(cube[red], cube[red + 1], fine[2 * red + 1])
        high = _missed(cube[red + 1], cube[red + 1], fine[2 * red + 2])
        missed = _over_cells((low, between, high), np.maximum) > DOUBTFUL
        planes = list(fine[2 * red : 2 * red + 3])
        least, most = _over_cells(planes, np.minimum), _over_cells(planes, np.maximum)
        doubts[red] = missed | ((least < BLACK[0]) & (most > BLACK[1])).any(axis=-1)
        low = high
        yield
    return doubts


def _missed(low: Floats, high: Floats, exact: Floats) -> Floats:
    """Return the interpolation error at and halfway between the entries of a plane. `exact` is (2 size - 1, 2 size - 1,
    3), between the planes `low` and `high` of the LUT. Halfway, interpolation takes the mean of the diagonal's ends."""
    missed, size = np.empty(exact.shape[:2], np.float32), len(low)
    for g, b in np.ndindex(2, 2):
        mean = 0.5 * (low[: size - g, : size - b] + high[g:, b:])
        red, green, blue = np.moveaxis(np.abs(mean - exact[g::2, b::2]), -1, 0)
        missed[g::2, b::2] = np.maximum(np.maximum(red, green), blue)
    return missed


def _over_cells(planes: Sequence[Floats], extreme: Callable[[Floats, Floats], Floats]) -> Floats:
    """Return the (size - 1, size - 1, ...) minimum or maximum over the points of each cell of a layer."""
    over = extreme(extreme(planes[0], planes[1]), planes[2])
    rows = extreme(extreme(over[:-2:2], over[1:-1:2]), over[2::2])
    return extreme(extreme(rows[:, :-2:2], rows[:, 1:-1:2]), rows[:, 2::2])


def _measured(op: BakedLut, execute: Execute, repairs: bool) -> BakedView:
    colours = _sample()
    exact, found = execute(colours, op.ops), execute(colours, [op])
    missed = np.abs(_shown(exact).astype(np.float64) - found[..., :3]).max(axis=-1)
    used = found[..., 3] > 0.0
    if not repairs:
        return BakedView(op, float(np.percentile(missed, PERCENTILE)), 0.0)
    return BakedView(op, float(missed[used].max(initial=0.0)), float(1.0 - used.mean()))


def _shown(rgba: Floats) -> Floats:
    """Return display values clamped to 0..1; NaN becomes 0."""
    return np.fmin(np.fmax(rgba[..., :3], np.float32(0.0)), np.float32(1.0))


@lru_cache(maxsize=1)
def _sample() -> Any:
    """Return (1, SAMPLES, 4) typical colours: uniform in stops, a quarter of them grey."""
    rng = np.random.default_rng(7)
    colours = np.ones((1, SAMPLES, 4), np.float32)
    level = DARKEST * (BRIGHTEST / DARKEST) ** rng.random((SAMPLES, 1))
    tint = np.exp2(rng.normal(0.0, 1.0, (SAMPLES, 3)))
    tint[: SAMPLES // 4] = 1.0
    colours[0, :, :3] = level * tint
    return colours
