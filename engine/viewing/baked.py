"""A view transform as a 3D LUT, for frames while something moves; what comes to rest is computed exactly.

A display view, which no slider of a grade changes, can cost ten times the grade. Its first ops that cost little stay as
they are: view exposure, matrices to the view's primaries, and the clamp to them. For the rest stands a cube over the
logarithm of light. Where the view bends within a cell, or ends, no cube of a usable size is exact: cells that miss the
view between their corners are marked, and their pixels computed by the view itself, on devices that repair.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine import ops
from engine.compute.stand_in import StandIn
from engine.kernel.op import ColorOp, Table

Floats = NDArray[np.float32]
Execute = Callable[[Floats, Sequence[ColorOp]], Floats]
"""Runs ops on (height, width, 4) float32."""

SIZE = 97
"""Entries along an axis of the cube."""
HIGHEST, TOE = 64.0, 0.005
"""The cube answers light of 0..HIGHEST, spread over its axes as log2(1 + light / TOE)."""
MOST_MOVED = 0.3 / 255.0
"""So much in display values an entry is moved at the most, towards the middle of what is missed around it."""
DOUBTFUL = 0.5 / 255.0
"""A cell that misses by more than this at a corner, or in the middle of an edge, of a face or of itself, is marked.
What others miss between these places then stays below MAX_ERROR."""
BLACK = (0.3 / 255.0, 2.0 / 255.0)
"""So is a cell with a channel from below the first to above the second: near black, encodings are steeper than is seen
from these places."""
MAX_ERROR = 1.0 / 255.0
"""A cube that misses by more than this in display values, where it is used, is not used."""
MOST_REPAIRED = 0.5
"""Nor one with a larger share of colours in marked cells: it would cost more than it saves."""
PERCENTILE = 99.0
"""On devices that do not repair, the error is that of so many of a hundred colours."""
SAMPLES = 20000
DARKEST, BRIGHTEST = 2.0**-11, 2.0**4
"""The light of the sample, even over the stops; each channel then differs by about a stop."""
PLAIN = (ops.Exposure, ops.Matrix, ops.Range, ops.Log, ops.LogAffine, ops.LogCamera, ops.Exponent)
CHEAP = (
    *(*PLAIN, ops.ExponentWithLinear, ops.Saturation, ops.Cdl, ops.Lut1d, ops.Lut3d),
    *(ops.AcesGlow, ops.AcesRedModifier, ops.AcesDarkToDim, ops.GradingRgbCurve),
    *(ops.Rec2100Surround, ops.GammaLog, ops.DoubleLog, ops.PqCurve),
)
"""Ops of which a view costs little more than a cube does. A view of these alone is not baked."""


@dataclass(frozen=True)
class BakedView:
    """What stands for a view's costly ops.

    `error`: by how much it misses them at the most where it is used, in display values 0..1, measured on a sample of
    colours. `repaired`: the share of these that the view's own ops answer.
    """

    op: StandIn
    error: float
    repaired: float

    @property
    def good(self) -> bool:
        return self.error < MAX_ERROR and self.repaired < MOST_REPAIRED


def is_costly(view: Sequence[ColorOp]) -> bool:
    """Whether baking a view is worth it."""
    return not all(isinstance(op, CHEAP) for op in view)


def split(view: Sequence[ColorOp]) -> tuple[tuple[ColorOp, ...], tuple[ColorOp, ...]]:
    """The ops that stay and those that are baked: the plain ones that come first, up to the last clamp among them."""
    plain = next((n for n, op in enumerate(view) if not isinstance(op, PLAIN)), len(view))
    clamps = [n + 1 for n in range(plain) if isinstance(view[n], ops.Range)]
    cut = clamps[-1] if clamps else plain
    return tuple(view[:cut]), tuple(view[cut:])


def baking(tail: Sequence[ColorOp], execute: Execute, repairs: bool) -> Iterator[BakedView | None]:
    """Bake the second half of `split`, light to display values, and measure the error: many times None, then the view.

    `repairs`: whether the device on which it will be used does.
    """
    size = 2 * SIZE - 1
    fine = np.empty((size, size, size, 3), np.float32)
    for number, plane in enumerate(_planes(tail, execute)):
        fine[number] = plane
        yield None
    cube = yield from _centred(fine)
    doubts = yield from _doubts(cube, fine)
    op = StandIn(Table(cube), Table(doubts.reshape(-1, 1)), TOE, math.log2(1.0 + HIGHEST / TOE), tuple(tail))
    yield _measured(op, execute, repairs)


def _planes(tail: Sequence[ColorOp], execute: Execute) -> Iterator[Floats]:
    """The view over green and blue, twice as finely as the cube has it, for red after red."""
    size = 2 * SIZE - 1
    axis = (np.exp2(np.linspace(0.0, math.log2(1.0 + HIGHEST / TOE), size)) - 1.0) * TOE
    light = np.ones((size, size, 4), np.float32)
    light[..., 1], light[..., 2] = np.meshgrid(axis, axis, indexing="ij")
    for red in axis:
        light[..., 0] = red
        yield _shown(execute(light, tail))


def _centred(fine: Floats) -> Generator[None, None, Floats]:
    """The cube within `fine`, moved so that it misses a bend by as much on one side as on the other."""
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
    """(size - 1, size - 1, size - 1) 1 where a cell is marked, else 0."""
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
    """What interpolation misses on a plane of points at and halfway between entries: `exact` (2 size - 1, 2 size - 1,
    3), between the planes `low` and `high` of the cube. Halfway it takes the mean of the ends of the diagonal."""
    missed, size = np.empty(exact.shape[:2], np.float32), len(low)
    for g, b in np.ndindex(2, 2):
        mean = 0.5 * (low[: size - g, : size - b] + high[g:, b:])
        red, green, blue = np.moveaxis(np.abs(mean - exact[g::2, b::2]), -1, 0)
        missed[g::2, b::2] = np.maximum(np.maximum(red, green), blue)
    return missed


def _over_cells(planes: Sequence[Floats], extreme: Callable[[Floats, Floats], Floats]) -> Floats:
    """(size - 1, size - 1, ...) least or greatest number at and between the corners of each cell of a layer."""
    over = extreme(extreme(planes[0], planes[1]), planes[2])
    rows = extreme(extreme(over[:-2:2], over[1:-1:2]), over[2::2])
    return extreme(extreme(rows[:, :-2:2], rows[:, 1:-1:2]), rows[:, 2::2])


def _measured(op: StandIn, execute: Execute, repairs: bool) -> BakedView:
    light = _light()
    exact, found = execute(light, op.instead), execute(light, [op])
    missed = np.abs(_shown(exact).astype(np.float64) - found[..., :3]).max(axis=-1)
    used = found[..., 3] > 0.0
    if not repairs:
        return BakedView(op, float(np.percentile(missed, PERCENTILE)), 0.0)
    return BakedView(op, float(missed[used].max(initial=0.0)), float(1.0 - used.mean()))


def _shown(rgba: Floats) -> Floats:
    """Display values as a screen shows them; of NaN, 0."""
    return np.fmin(np.fmax(rgba[..., :3], np.float32(0.0)), np.float32(1.0))


@lru_cache(maxsize=1)
def _light() -> Any:
    """(1, SAMPLES, 4) colours as images have them: even over the stops, a quarter of them grey."""
    rng = np.random.default_rng(7)
    light = np.ones((1, SAMPLES, 4), np.float32)
    level = DARKEST * (BRIGHTEST / DARKEST) ** rng.random((SAMPLES, 1))
    tint = np.exp2(rng.normal(0.0, 1.0, (SAMPLES, 3)))
    tint[: SAMPLES // 4] = 1.0
    light[0, :, :3] = level * tint
    return light
