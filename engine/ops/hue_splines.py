"""Curves over hue, saturation and luma, fitted on the host: the splines of OpenColorIO's hue curves.

Source: the spline of `quadratic_splines`, with other slopes and knots: OpenColorIO, GradingHueCurveTransform. The fit
is done in float32, as OpenColorIO's is.
"""

from __future__ import annotations

import numpy as np

from engine.ops.quadratic_splines import Array, Pieces, secants, through, weighted_slopes

f = np.float32
KNOT_MARGIN = f(0.2)
SPACE = f(2e-3)
"""Smallest distance of points, as a fraction of the curve's span."""


def curve(points: Array, slopes: Array | None, periodic: bool, rising: bool, harmonic: bool) -> Pieces:
    """Fit a curve through `points` (n, 2): `periodic` over 0..1, or `rising` (then y is periodic with x).

    Without `slopes`, the slope at a point is the mean of the neighbouring secants' slopes, harmonic or weighted by
    length.
    """
    points = _prepared(points, periodic, rising)
    if slopes is None:
        slopes = _estimated(points, periodic, harmonic)
    elif periodic:
        slopes = np.concatenate([slopes[-1:], slopes, slopes[-1:]])
    else:
        slopes = slopes.copy()
    knots = [_knot(points[i], points[i + 1], slopes[i], slopes[i + 1]) for i in range(len(points) - 1)]
    return through(points, slopes, knots)


def _prepared(points: Array, periodic: bool, rising: bool) -> Array:
    """Wrap points to 0..1, sort them, keep them apart, and add one point on each side of a periodic curve."""
    turn = np.array([1.0, 1.0 if rising else 0.0], f)
    points = points.astype(f)
    if periodic:
        points = np.where(points[:, :1] < 0.0, points + turn, np.where(points[:, :1] >= 1.0, points - turn, points))
    points = points[np.argsort(points[:, 0], kind="stable")]
    for axis in (0, 1) if rising else (0,):
        least = (points[-1, axis] - points[0, axis]) * SPACE
        for i in range(1, len(points)):
            if points[i, axis] - points[i - 1, axis] < least:
                points[i, axis] = points[i - 1, axis] + least
    if periodic:
        points = np.concatenate([points[-1:] - turn, points, points[:1] + turn])
    return points


def _estimated(points: Array, periodic: bool, harmonic: bool) -> Array:
    if len(points) == 2:
        return weighted_slopes(points)
    slopes = _harmonic_slopes(points) if harmonic else weighted_slopes(points)
    for i, secant in enumerate(secants(points)):
        share = 1.0 - KNOT_MARGIN if abs(slopes[i]) > abs(slopes[i + 1]) else KNOT_MARGIN
        near_least = slopes[i] + share * (slopes[i + 1] - slopes[i])
        scale = f(1.5) * secant / near_least if near_least != 0.0 else f(1.0)
        if scale < 1.0:
            slopes[i : i + 2] *= scale
    if periodic:
        slopes[0], slopes[-1] = slopes[-2], slopes[1]
    return slopes


def _harmonic_slopes(points: Array) -> Array:
    secant = secants(points)
    before, after = secant[:-1], secant[1:]
    total = after + before
    total = np.where(np.abs(total) < 1e-3, np.where(total < 0.0, f(-1e-3), f(1e-3)), total)
    inner = np.where(after * before <= 0.0, f(0.0), 2.0 * after * before / total)
    last = f(0.5) * (f(3.0) * secant[-1] - inner[-1])
    first = f(0.5) * (f(3.0) * secant[0] - inner[0])
    return np.concatenate([[first], inner, [last]]).astype(f)


def _knot(p0: Array, p1: Array, m0: np.float32, m1: np.float32) -> np.float32 | None:
    """Return where the two parabolas of an interval meet; None if a single one suffices.

    The knot is nearer to the point whose slope differs more from the secant's.
    """
    dx = p1[0] - p0[0]
    secant = (p1[1] - p0[1]) / dx
    if abs((m0 + m1) - f(2.0) * secant) <= 1e-5:
        return None
    if secant < 0.0:
        m0, m1, secant = -m0, -m1, -secant
    centre, left, right = p0[0] + f(0.5) * dx, p0[0] + dx * KNOT_MARGIN, p1[0] - dx * KNOT_MARGIN
    low, high, steep, shallow = (m0, m1, left, right) if m0 <= m1 else (m1, m0, right, left)
    span = high - low
    part = f(1.0) - f(0.5) * KNOT_MARGIN
    above, below = low + part * span, low + (f(1.0) - part) * span
    fade = (span / max(f(0.01), high) - f(0.05)) / f(0.75 - 0.05)
    fade = max(f(0.0), min(fade, f(1.0)))
    steep, shallow = centre + fade * (steep - centre), centre + fade * (shallow - centre)
    far, near = high * f(4.0), high * f(1.1)
    if secant >= far:
        return f(centre)
    if secant > near:
        return f(steep + (secant - near) / (far - near) * (centre - steep))
    if secant >= above:
        return f(steep)
    if secant > below and above != below:
        return f(shallow + (secant - below) / (above - below) * (steep - shallow))
    return f(shallow)
