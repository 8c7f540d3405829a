"""The bicubic B-spline of the grid of hues and lightness: fitted on the host, and where its map folds."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]

COLUMNS, ROWS = 12, 5
FIRST_STOPS, ROW_STOPS = -6.0, 3.0
"""Lightness of the darkest row, and the distance of rows, in stops."""


def weights_at(t: Any) -> tuple[Any, ...]:
    """Return the weights of four neighbouring coefficients at a fraction of the interval between the inner two."""
    one = 1.0 - t
    third = ((3.0 - 3.0 * t) * t + 3.0) * t + 1.0
    second = ((3.0 * t - 6.0) * t) * t + 4.0
    return tuple(x * (1.0 / 6.0) for x in (one * one * one, second, third, t * t * t))


def coefficients(nodes: Array) -> Array:
    """Return the coefficients (rows, columns, n) of the spline that meets the nodes (rows, columns, n)."""
    by_row = np.tensordot(np.linalg.inv(_system(ROWS, False)), nodes, axes=(1, 0))
    return np.asarray(np.moveaxis(np.tensordot(np.linalg.inv(_system(COLUMNS, True)), by_row, axes=(1, 1)), 0, 1))


@cache
def _system(size: int, periodic: bool) -> Array:
    """Return the values of the spline at its nodes, for each coefficient; beyond the ends, these repeat."""
    matrix = np.zeros((size, size))
    for at in range(size):
        for step, weight in ((-1, 1.0), (0, 4.0), (1, 1.0)):
            matrix[at, (at + step) % size if periodic else min(max(at + step, 0), size - 1)] += weight / 6.0
    return matrix


def values_at(fitted: Array, hues: ArrayLike, stops: ArrayLike) -> Array:
    """Return the spline (..., n) at hues in degrees and lightness in stops."""
    column = np.asarray(hues, np.float64) * (COLUMNS / 360.0)
    row = np.clip((np.asarray(stops, np.float64) - FIRST_STOPS) / ROW_STOPS, -2.0, ROWS + 1.0)
    column, row = np.broadcast_arrays(column, row)
    left, top = np.floor(column).astype(int), np.floor(row).astype(int)
    across, down = weights_at(column - left), weights_at(row - top)
    total = np.zeros((*column.shape, fitted.shape[-1]))
    for j, of_row in enumerate(down):
        line = np.clip(top + j - 1, 0, ROWS - 1)
        for i, of_column in enumerate(across):
            total += (of_row * of_column)[..., None] * fitted[line, (left + i - 1) % COLUMNS]
    return total


def folds(nodes: Array, hues: Array, stops: Array) -> NDArray[np.bool_]:
    """Return where the map of hue and lightness of saturated colours folds: (stops, hues), for a regular grid."""
    fitted, step = coefficients(nodes), 1e-4
    h, s = np.meshgrid(hues, stops)
    by_hue = (values_at(fitted, h + step, s) - values_at(fitted, h - step, s)) / (2.0 * step)
    by_stops = (values_at(fitted, h, s + step) - values_at(fitted, h, s - step)) / (2.0 * step)
    determinant = (1.0 + by_hue[..., 0]) * (1.0 + by_stops[..., 2]) - by_hue[..., 2] * by_stops[..., 0]
    return np.asarray(determinant <= 0.0)
