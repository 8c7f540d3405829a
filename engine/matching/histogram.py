"""Curves that give each channel the distribution of another image's channel: few points, rising, editable."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.kernel.op import Table
from engine.matching.samples import Samples
from engine.ops import GradingRgbCurve
from engine.ops.grading_rgb_curve import IDENTITY

PORTIONS = np.array([0.003, 0.02, 0.07, 0.17, 0.33, 0.5, 0.67, 0.83, 0.93, 0.98, 0.997])
"""The portions of the pixels that are darker than the points of a curve."""
APART = 0.006
"""The least distance of points: a tenth of a stop."""
FLATTEST, STEEPEST = 0.1, 8.0
"""The slopes between points."""
END = 0.1
"""The distance of the point beyond the last one, which sets the slope from there on."""
END_SLOPES = (0.5, 2.0)


def matching_curves(source: Samples, reference: Samples) -> GradingRgbCurve:
    """Return the curves of the channels, for logarithms."""
    red, green, blue = (_curve(source[:, n], reference[:, n]) for n in range(3))
    return GradingRgbCurve.of(red, green, blue, IDENTITY)


def _curve(source: NDArray[np.float64], reference: NDArray[np.float64]) -> Table:
    """Return the points of a curve: quantiles of the source, and of the reference."""
    xs, ys = np.quantile(source, PORTIONS), np.quantile(reference, PORTIONS)
    middle = len(PORTIONS) // 2
    kept = [middle]
    for step in (-1, 1):
        at = middle
        while 0 <= (at := at + step) < len(xs):
            if abs(xs[at] - xs[kept[-1 if step > 0 else 0]]) >= APART:
                kept.insert(len(kept) if step > 0 else 0, at)
    xs, ys = xs[kept], ys[kept]
    slopes = np.clip(np.diff(ys) / np.diff(xs), FLATTEST, STEEPEST)
    ys = _joined(xs, ys, slopes, kept.index(middle))
    spread = (np.std(ys) / np.std(xs)) if len(xs) > 1 else 1.0
    end = float(np.clip(spread, *END_SLOPES))
    xs = np.concatenate([[xs[0] - END], xs, [xs[-1] + END]])
    ys = np.concatenate([[ys[0] - END * end], ys, [ys[-1] + END * end]])
    return Table(np.column_stack([xs, ys, np.zeros(len(xs))]))


def _joined(
    xs: NDArray[np.float64], ys: NDArray[np.float64], slopes: NDArray[np.float64], middle: int
) -> NDArray[np.float64]:
    """Return the heights of points with these slopes between them, from the one in the middle on."""
    steps = np.concatenate([[0.0], np.cumsum(slopes * np.diff(xs))])
    return np.asarray(steps - steps[middle] + ys[middle])
