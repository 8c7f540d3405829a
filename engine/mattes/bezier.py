"""Paths of cubic Bezier curves as polylines."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

MOST_SEGMENTS = 512
"""Straight lines of a polyline: each pixel measures its distance to all of them."""
MOST_POINTS = 512
"""Vertices of a path."""
FLATNESS = 0.1
"""The distance, in pixels, up to which a polyline may leave its curve, unless it needs more lines than there may be."""

Array = NDArray[np.float64]


def flattened(points: Sequence[Sequence[float]]) -> Array:
    """Return the vertices (n, 3) of the closed polyline of a path: x, y and 0, at least two.

    `points` are (x, y, in x, in y, out x, out y), with handles relative to the vertex. Curves are cut into equal parts
    of their parameter, as many as their second differences need. Straight lines stay whole. Source of the bound:
    Wang's formula, in R. Goldman, "Pyramid Algorithms", 2003, section 5.6.3.
    """
    if not points:
        return np.zeros((2, 3))
    at = np.asarray(points, np.float64)
    start, end = at[:, :2], np.roll(at[:, :2], -1, axis=0)
    curves = np.stack([start, start + at[:, 4:], end + np.roll(at[:, 2:4], -1, axis=0), end])
    found = [_sampled(curves[:, number], count) for number, count in enumerate(_counts(curves, len(points)))]
    line = np.concatenate(found)
    line = np.concatenate([line, line]) if len(line) == 1 else line
    return np.column_stack([line, np.zeros(len(line))])


def _counts(curves: Array, least: int) -> NDArray[np.int64]:
    """Return the number of lines of each curve; together at most MOST_SEGMENTS."""
    bends = np.abs(np.diff(curves, 2, axis=0))
    sharpest = np.hypot(bends[..., 0], bends[..., 1]).max(axis=0)
    wanted = np.where(_is_straight(curves), 1.0, np.sqrt(0.75 * sharpest / FLATNESS))
    spare = MOST_SEGMENTS - least
    counts = np.ceil(wanted) if wanted.sum() <= spare else np.floor(wanted * (spare / wanted.sum()))
    return np.maximum(counts, 1.0).astype(np.int64)


def _is_straight(curves: Array) -> NDArray[np.bool_]:
    """Return which curves have no handles."""
    return np.asarray((curves[0] == curves[1]).all(axis=-1) & (curves[2] == curves[3]).all(axis=-1))


def _sampled(curve: Array, count: int) -> Array:
    """Return `count` points of a curve (4, 2), from its start, without its end."""
    t = (np.arange(count) / count)[:, None]
    s = 1.0 - t
    weights = s**3, 3.0 * s * s * t, 3.0 * s * t * t, t**3
    return np.asarray(sum(weight * point for weight, point in zip(weights, curve, strict=True)))
