"""Features to follow: corners, where the image changes in two directions.

Source: J. Shi and C. Tomasi, "Good features to track", CVPR 1994.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.tracking.luminance import Array

REACH = 5
"""A feature is a square of pixels, this far to each side of its centre."""
WEAKEST = 0.01
"""A corner is as strong as this share of the strongest one, or stronger."""
GRAIN_STRENGTH, OVER_GRAIN = (12.0, 1.2, 0.6), 1.6
"""The median strength of corners of grain alone, relative to `grain_of`, at each mip level (measured), and how many
times as strong they are where there is more than grain."""


def corners(image: Array, allowed: NDArray[np.bool_], most: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the rows and columns of the strongest corners of an image, spread over the allowed pixels."""
    strength = np.where(allowed, corner_strength(image), 0.0)
    edge = REACH + 2
    strength[:edge], strength[-edge:], strength[:, :edge], strength[:, -edge:] = 0.0, 0.0, 0.0, 0.0
    cell = max(REACH, round(float(np.sqrt(np.count_nonzero(strength) / most))))
    rows, columns = _cell_maxima(strength, cell)
    found = strength[rows, columns]
    order = np.argsort(-found, kind="stable")[:most]
    order = order[found[order] > WEAKEST * max(float(strength.max(initial=0.0)), 1e-12)]
    return rows[order], columns[order]


def corner_strength(image: Array) -> Array:
    """Return the smaller eigenvalue of the structure tensor around each pixel; 0 where that reads NaN."""
    across, down = np.zeros_like(image), np.zeros_like(image)
    across[:, 1:-1] = (image[:, 2:] - image[:, :-2]) * 0.5
    down[1:-1] = (image[2:] - image[:-2]) * 0.5
    unknown = ~np.isfinite(across + down)
    across[unknown], down[unknown] = 0.0, 0.0
    xx, xy, yy = (_mean(product) for product in (across * across, across * down, down * down))
    smaller = (xx + yy) * 0.5 - np.sqrt((xx - yy) ** 2 * 0.25 + xy * xy)
    return np.where(_mean(unknown.astype(np.float32)) > 1e-4, np.float32(0.0), smaller)


def grain_of(image: Array) -> float:
    """Return the variance of the grain of an image, from second differences, in which most structure vanishes.

    Source: J. Immerkær, "Fast noise variance estimation", Computer Vision and Image Understanding 64(2), 1996; with the
    median of the magnitudes in place of their mean.
    """
    second = image[:, :-2] - 2.0 * image[:, 1:-1] + image[:, 2:]
    crossed = second[:-2] - 2.0 * second[1:-1] + second[2:]
    known = np.abs(crossed[np.isfinite(crossed)])
    return float((np.median(known) * 1.4826) ** 2 / 36.0) if known.size else 0.0


def _mean(values: Array) -> Array:
    """Return the average of the square around each pixel; 0 near the edges."""
    side = 2 * REACH + 1
    result = np.zeros_like(values)
    if min(values.shape) < side:
        return result
    sums = np.zeros((values.shape[0] + 1, values.shape[1] + 1))
    np.cumsum(np.cumsum(values, axis=0, dtype=np.float64), axis=1, out=sums[1:, 1:])
    boxes = sums[side:, side:] - sums[:-side, side:] - sums[side:, :-side] + sums[:-side, :-side]
    result[REACH:-REACH, REACH:-REACH] = boxes / side**2
    return result


def _cell_maxima(values: Array, cell: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the rows and columns of the largest value of each square cell."""
    height, width = values.shape
    down, across = -(-height // cell), -(-width // cell)
    padded = np.zeros((down * cell, across * cell), np.float32)
    padded[:height, :width] = values
    cells = padded.reshape(down, cell, across, cell).swapaxes(1, 2).reshape(down, across, cell * cell)
    best = cells.argmax(axis=2)
    rows = np.arange(down)[:, None] * cell + best // cell
    columns = np.arange(across)[None, :] * cell + best % cell
    inside = (rows < height) & (columns < width)
    return rows[inside], columns[inside]
