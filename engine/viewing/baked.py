"""A view transform as a shaper and a 3D LUT, for frames while something moves; what comes to rest is computed exactly.

A display view, which no slider of a grade changes, can cost ten times the grade. Its first ops that cost little stay as
they are: view exposure, matrices to the view's primaries, and the clamp to them, which is what makes a cube of colours
enough. The rest becomes a logarithm and a cube.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine import ops
from engine.op import ColorOp, Table

Floats = NDArray[np.float32]
Execute = Callable[[Floats, Sequence[ColorOp]], Floats]
"""Runs ops on (height, width, 4) float32."""

SIZE = 65
"""Entries along an axis of the cube."""
HIGHEST, TOE = 64.0, 0.01
"""The cube answers light of 0..HIGHEST, spread over its axes as log2(1 + light / TOE)."""
MAX_ERROR = 1.0 / 255.0
"""A cube that misses by more than this in display values is not used."""
PERCENTILE = 99.0
"""The error is that of so many of a hundred colours: where the view's gamut ends, no cube of a usable size is exact."""
SAMPLES = 20000
DARKEST, BRIGHTEST = 2.0**-11, 2.0**4
"""The light of the sample, even over the stops; each channel then differs by about a stop."""
PLAIN = (ops.Exposure, ops.Matrix, ops.Range, ops.Log, ops.LogAffine, ops.LogCamera, ops.Exponent)
CHEAP = (*PLAIN, ops.ExponentWithLinear, ops.Saturation, ops.Cdl, ops.Lut1d, ops.Lut3d)
"""Ops that cost no more than a cube does. A view of these alone is not baked."""


@dataclass(frozen=True)
class BakedView:
    """What stands for a view's costly ops, and by how much it misses them: display values 0..1, see PERCENTILE."""

    ops: tuple[ColorOp, ...]
    error: float

    @property
    def good(self) -> bool:
        return self.error < MAX_ERROR


def is_costly(view: Sequence[ColorOp]) -> bool:
    """Whether baking a view is worth it."""
    return not all(isinstance(op, CHEAP) for op in view)


def split(view: Sequence[ColorOp]) -> tuple[tuple[ColorOp, ...], tuple[ColorOp, ...]]:
    """The ops that stay and those that are baked: the plain ones that come first, up to the last clamp among them."""
    plain = next((n for n, op in enumerate(view) if not isinstance(op, PLAIN)), len(view))
    clamps = [n + 1 for n in range(plain) if isinstance(view[n], ops.Range)]
    cut = clamps[-1] if clamps else plain
    return tuple(view[:cut]), tuple(view[cut:])


def bake(tail: Sequence[ColorOp], execute: Execute, stop: Callable[[], bool]) -> BakedView | None:
    """Bake the second half of `split`, light to display values, and measure the error; None if `stop()` turned true."""
    cube = _cube(tail, execute, stop)
    if cube is None:
        return None
    baked, light = (_shaper(), cube), _light()
    exact, ours = (np.clip(execute(light, chain)[..., :3], 0.0, 1.0) for chain in (tail, baked))
    missed = np.abs(exact.astype(np.float64) - ours).max(axis=-1)
    return BakedView(baked, float(np.percentile(missed, PERCENTILE)))


def _shaper() -> ColorOp:
    slope = 1.0 / math.log2(1.0 + HIGHEST / TOE)
    return ops.LogAffine((slope,) * 3, (0.0,) * 3, (1.0 / TOE,) * 3, (1.0,) * 3)


def _cube(tail: Sequence[ColorOp], execute: Execute, stop: Callable[[], bool]) -> ColorOp | None:
    axis = (np.exp2(np.linspace(0.0, math.log2(1.0 + HIGHEST / TOE), SIZE)) - 1.0) * TOE
    cube = np.empty((SIZE, SIZE, SIZE, 3), np.float32)
    slab = np.ones((SIZE, SIZE, 4), np.float32)
    slab[..., 1], slab[..., 2] = np.meshgrid(axis, axis, indexing="ij")
    for entry, red in enumerate(axis):
        if stop():
            return None
        slab[..., 0] = red
        cube[entry] = np.clip(np.nan_to_num(execute(slab, tail)[..., :3]), 0.0, 1.0)
    return ops.Lut3d(Table(cube))


@lru_cache(maxsize=1)
def _light() -> Any:
    """(1, SAMPLES, 4) colours as pictures have them: even over the stops, a quarter of them grey."""
    rng = np.random.default_rng(7)
    light = np.ones((1, SAMPLES, 4), np.float32)
    level = DARKEST * (BRIGHTEST / DARKEST) ** rng.random((SAMPLES, 1))
    tint = np.exp2(rng.normal(0.0, 1.0, (SAMPLES, 3)))
    tint[: SAMPLES // 4] = 1.0
    light[0, :, :3] = level * tint
    return light
