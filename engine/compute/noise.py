"""The noise of an area of an image, as the sliders of `Denoise` describe it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.errors import GradeError
from engine.ops.denoise import DEVIATIONS, SPLINE

Floats = NDArray[np.float64]
Three = tuple[float, float, float]

LEAST_SIDE = 12
"""The least width and height of an area, in pixels."""
PER_BIN, MOST_BINS = 144, 8
"""Pixels of one intensity whose noise is measured together, at least, and the largest number of intensities."""
ALIKE = 0.25
"""An area whose means differ by a smaller share of the largest has one intensity."""
NORMAL = 1.4826
"""The standard deviation of normal noise whose median distance from 0 is 1."""


class Noise(NamedTuple):
    """The noise of red, green and blue: x has the variance dark**2 + shot**2 * x."""

    dark: Three
    shot: Three


def measure_noise(pixels: NDArray[Any]) -> Noise:
    """Return the noise of an area (height, width, 3 or 4) with little detail. Raises GradeError if it is too small.

    At each of up to eight intensities it is the median absolute value of the finest level of the wavelets of `Denoise`,
    which detail hardly changes, and over the intensities the least squares of variances in proportion to their size. An
    area of one intensity says nothing of how noise depends on it: all of it is then `dark`.
    """
    area = np.asarray(pixels, np.float64)[..., :3]
    if min(area.shape[:2]) < LEAST_SIDE:
        sides = f"{LEAST_SIDE} x {LEAST_SIDE}"
        raise GradeError("the area is too small to measure noise", f"choose one of at least {sides} pixels")
    finite = np.asarray(np.isfinite(area).all(axis=-1))
    if finite.sum() < LEAST_SIDE**2:
        raise GradeError("the area has too few finite pixels to measure noise", "choose another one")
    found = [_of_channel(np.where(finite, area[..., channel], 0.0), finite) for channel in range(3)]
    dark, shot = zip(*found, strict=True)
    return Noise(dark, shot)


def _of_channel(values: Floats, finite: NDArray[np.bool_]) -> tuple[float, float]:
    means = _smoothed(_smoothed(values, 0), 1)
    reached = _smoothed(_smoothed(finite.astype(np.float64), 0), 1) > 1.0 - 1e-9  # all pixels around are finite
    details, means = (values[2:-2, 2:-2] - means)[reached], means[reached]
    if not len(means):
        raise GradeError("the area has too few finite pixels to measure noise", "choose another one")
    bins = np.array_split(np.argsort(means, kind="stable"), min(max(len(means) // PER_BIN, 1), MOST_BINS))
    levels = np.array([max(np.median(means[bin_]), 0.0) for bin_ in bins])
    deviations = np.array([NORMAL * np.median(np.abs(details[bin_])) for bin_ in bins]) / DEVIATIONS[0]
    dark, shot = _fitted(levels, deviations**2)
    return float(np.sqrt(dark)), float(np.sqrt(shot))


def _smoothed(values: Floats, axis: int) -> Floats:
    """Return values after the spline along an axis, without those that it can't reach."""
    weights = np.array(SPLINE) / sum(SPLINE)
    length = values.shape[axis] - len(weights) + 1
    parts = (weight * values.take(range(n, n + length), axis) for n, weight in enumerate(weights))
    return np.asarray(sum(parts))


def _fitted(levels: Floats, variances: Floats) -> tuple[float, float]:
    """Return a and b, not below 0, of variances a + b * level: the weighted least squares."""
    if np.ptp(levels) < ALIKE * levels.max() or not variances.any():
        return float(variances.mean()), 0.0
    weights = 1.0 / np.maximum(variances, 1e-3 * variances.max())
    design = np.stack([np.ones_like(levels), levels], axis=1) * weights[:, None]
    a, b = np.linalg.lstsq(design, variances * weights, rcond=None)[0]
    if a >= 0.0 and b >= 0.0:
        return float(a), float(b)
    column = design[:, int(a < 0.0)]
    alone = float(column @ (variances * weights) / (column @ column))
    return (0.0, alone) if a < 0.0 else (alone, 0.0)
