"""Taps of the Gaussian that softens mattes: its cost hardly depends on its radius.

Up to EXACT pixels it is the Gaussian of `blur_taps`. A wider one runs on cells of 2, 4, 8, ... pixels: cubic B-splines
weight the pixels around each cell, a Gaussian runs over the cells, and B-splines lead back to pixels. The Gaussian is
narrower by the variance of the B-splines. Cells begin at pixel 0 of the whole image, so that tiles have the same bits;
pixels beyond the edge are the edge pixel.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from engine.kernel.taps import Taps, blur_taps

EXACT = 8.0
"""The largest radius, in pixels or cells, of a Gaussian that runs on them."""
SPLINE = 2
"""Cells that a B-spline reaches on each side."""
SPLINE_VARIANCE = 1.0 / 3.0
"""Variance of a cubic B-spline, in cells squared."""
_KEPT = 0.9733
"""Variance of a Gaussian that is cut off at three standard deviations, relative to that of the whole."""


def cell_size(radius: float) -> int:
    """Return the pixels of a cell for a radius in pixels: a power of two, 1 up to EXACT."""
    return 1 << max(0, math.ceil(math.log2(radius / EXACT))) if radius > EXACT else 1


def soft_reach(radius: float) -> int:
    """Return how many pixels away a result depends on the source."""
    size = cell_size(radius)
    return math.ceil(radius) if size == 1 else (math.ceil(_small(radius, size)) + 2 * SPLINE) * size


@lru_cache(maxsize=32)
def soft_taps(radius: float, source: int) -> list[Taps]:
    """Return the taps of the passes along an axis of `source` pixels, in order: one, or three by way of cells."""
    size = cell_size(radius)
    if size == 1:
        return [
            blur_taps(radius, source) if radius > 0.0 else _taps(np.arange(source)[:, None], np.ones((1, 1)), source)
        ]
    small = _small(radius, size)
    margin = math.ceil(small) + SPLINE + 1
    to_cells, to_pixels = _splines(size, margin, source)
    return [to_cells, blur_taps(small, len(to_cells.first)), to_pixels]


@lru_cache(maxsize=64)
def _splines(size: int, margin: int, source: int) -> tuple[Taps, Taps]:
    """Return the taps from `source` pixels to cells of a size, with `margin` cells beyond each edge, and back."""
    cells = -(-source // size) + 2 * margin
    centres = np.arange(cells)[:, None] - margin + 0.5
    around = np.round((centres - SPLINE) * size).astype(np.int64) + np.arange(2 * SPLINE * size)
    where = (np.arange(source) + 0.5) / size - 0.5 + margin
    nearest = np.floor(where).astype(np.int64)[:, None] + np.arange(1 - SPLINE, 1 + SPLINE)
    return (
        _taps(around, _spline((around + 0.5) / size - centres) / size, source),
        _taps(nearest, _spline(where[:, None] - nearest), cells),
    )


def _small(radius: float, size: int) -> float:
    """Return the radius, in cells, of the Gaussian over cells."""
    return 3.0 * math.sqrt((radius / 3.0 / size) ** 2 - 2.0 * SPLINE_VARIANCE / _KEPT)


def _spline(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Evaluate the cubic B-spline."""
    x = np.abs(x)
    near, far = 2.0 / 3.0 - x * x * (1.0 - 0.5 * x), (2.0 - x) ** 3 / 6.0
    return np.asarray(np.where(x < 1.0, near, np.where(x < 2.0, far, 0.0)))


def _taps(pixels: NDArray[np.int64], weights: NDArray[np.float64], source: int) -> Taps:
    """Return taps that weight neighbouring pixels of each result; those beyond the edge are the edge pixel."""
    weights = np.broadcast_to(weights, pixels.shape)
    clamped = np.clip(pixels, 0, source - 1)
    first = np.minimum(clamped[:, 0], max(source - pixels.shape[1], 0))
    gathered = np.zeros(pixels.shape)
    np.add.at(gathered, (np.arange(len(pixels))[:, None], clamped - first[:, None]), weights)
    count = np.minimum(pixels.shape[1], source)
    return Taps(first.astype(np.int32), np.full(len(pixels), count, np.int32), gathered[:, :count].astype(np.float32))
