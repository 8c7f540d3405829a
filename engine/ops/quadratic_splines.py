"""Curves through control points, made of parabolas: fitted on the host, looked up per pixel.

Source: L. L. Schumaker, "On shape preserving quadratic spline interpolation", SIAM Journal on Numerical Analysis 20(4),
1983: two points with given slopes are joined by one parabola, or by two that meet at a knot. The position of the knot,
and the slopes if none are given, are chosen as in OpenColorIO's grading curves (GradingBSplineCurve).

The fit is done in float32, step by step as in OpenColorIO: whether slopes are reduced may depend on a sum that is 0 up
to rounding, as in the tone curves of ACES 1, and a reduced slope is visible.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.core.records import dataclass
from engine.kernel.op import Table
from engine.kernel.pixel import Scalar, lookup, search, sqrt

Array = NDArray[np.float32]

STEPS = (4, 8)
"""Bisection steps that find a piece, for curves with few pieces and with more."""
MOST_PIECES = 2 ** STEPS[-1] - 1
LEAST_END_SLOPE = 0.01
"""Smallest estimated slope at the ends of a rising curve."""
FLAT = 1e-5
"""A smaller slope beyond the ends counts as 0 when a curve is reversed."""
INSIDE = 1e-3
"""How far from a point a knot is put that would lie on it, as a share of the distance to the next point."""
STEEP = 1e30
"""Slope used for flat ends when a curve is reversed: the inverse stays constant beyond them."""
LOWEST = -3e38


@dataclass(frozen=True)
class Pieces:
    """y = (a t + b) t + c with t = x - start, from each start to the next, the last one to `end`; straight beyond."""

    start: Array
    a: Array
    b: Array
    c: Array
    end: float

    def with_diagonal(self) -> Pieces:
        """Return the curve plus x."""
        return Pieces(self.start, self.a, self.b + 1.0, self.c + self.start, self.end)

    def at_end(self) -> tuple[float, float]:
        """Return value and slope at the end."""
        t = np.float32(self.end) - self.start[-1]
        a, b, c = self.a[-1], self.b[-1], self.c[-1]
        return float((a * t + b) * t + c), float(2.0 * a * t + b)


def straight(slope: float, value: float) -> Pieces:
    """Return the line slope * x + value."""
    start, a, b, c = np.array([[0.0], [0.0], [slope], [value]], np.float32)
    return Pieces(start, a, b, c, 1.0)


def through(points: Array, slopes: Array, knots: Sequence[np.float32 | None]) -> Pieces:
    """Return the parabolas through `points` (n, 2) with `slopes`; an interval with a knot of None is one parabola."""
    rows: list[tuple[np.float32, ...]] = []
    for (x0, y0), (x1, y1), m0, m1, knot in zip(points, points[1:], slopes, slopes[1:], knots, strict=False):
        dx = x1 - x0
        if knot is None:
            rows.append((x0, 0.5 * (m1 - m0) / dx, m0, y0))
            continue
        t = knot - x0
        middle = (2.0 * ((y1 - y0) / dx) - m1) + (m1 - m0) * t / dx
        bend = (middle - m0) / t
        rows.append((x0, 0.5 * bend, m0, y0))
        rows.append((knot, 0.5 * (m1 - middle) / (x1 - knot), middle, y0 + m0 * t + 0.5 * bend * t * t))
    start, a, b, c = np.array(rows, np.float32).T
    return Pieces(start, a, b, c, float(points[-1, 0]))


def secants(points: Array) -> Array:
    """Return the slopes of the straight lines from point to point."""
    steps = np.diff(points, axis=0)
    return np.asarray(steps[:, 1] / steps[:, 0])


def weighted_slopes(points: Array) -> Array:
    """Estimate the slopes at points as the mean of the secants weighted by length.

    Straight runs count as one secant, and the ends get a minimum slope.
    """
    secant, lengths = secants(points), np.sqrt((np.diff(points, axis=0) ** 2).sum(axis=1))
    if len(points) == 2:
        return np.repeat(secant, 2)
    bends = np.flatnonzero(np.abs(np.diff(secant)) >= 1e-6) + 1
    for run in np.split(np.arange(len(secant)), bends):
        lengths[run] = lengths[run].sum()
    inner = (lengths[1:] * secant[1:] + lengths[:-1] * secant[:-1]) / (lengths[1:] + lengths[:-1])
    first, last = 0.5 * (3.0 * secant[0] - inner[0]), 0.5 * (3.0 * secant[-1] - inner[-1])
    ends = np.maximum(np.float32(LEAST_END_SLOPE), [first, last])
    return np.concatenate([ends[:1], inner, ends[1:]])


def rising_curve(points: Array, slopes: Array | None) -> Pieces:
    """Fit the curve of OpenColorIO's RGB curves. Slopes that would make it fall between points are reduced."""
    slopes = weighted_slopes(points) if slopes is None else slopes.copy()
    knots = _rising_knots(points, slopes)
    if _lessen(points, slopes, knots):
        knots = _rising_knots(points, slopes)
    return through(points, slopes, knots)


def _rising_knots(points: Array, slopes: Array) -> list[np.float32 | None]:
    knots: list[np.float32 | None] = []
    for (x0, _), (x1, _), m0, m1, secant in zip(points, points[1:], slopes, slopes[1:], secants(points), strict=False):
        near, far = m0 - secant, m1 - secant
        if abs((m0 + m1) - 2.0 * secant) < 1e-6:
            knots.append(None)
        elif near * far >= 0.0:
            knots.append((x0 + x1) * np.float32(0.5))
        elif abs(near) > abs(far):
            knots.append(_between(x0, x1, x1 + near * (x1 - x0) / (m1 - m0)))
        else:
            knots.append(_between(x0, x1, x0 + far * (x1 - x0) / (m1 - m0)))
    return knots


def _between(x0: np.float32, x1: np.float32, knot: np.float32) -> np.float32:
    """Return a knot that lies between its points: where they continue a straight run, rounding puts it onto one."""
    return knot if x0 < knot < x1 else np.float32(x0 + (x1 - x0) * (INSIDE if knot <= x0 else 1.0 - INSIDE))


def _lessen(points: Array, slopes: Array, knots: Sequence[np.float32 | None]) -> bool:
    """Reduce, in place, the slopes around a knot where the curve would fall; return whether there was one.

    A single parabola counts as two that meet at its end.
    """
    changed = False
    for i, knot in enumerate(knots):
        (x0, y0), (x1, y1) = points[i], points[i + 1]
        m0, m1 = slopes[i], slopes[i + 1]
        before, after = ((x1 if knot is None else knot) - x0, x1 - (x1 if knot is None else knot))
        if (2.0 * (y1 - y0) - before * m0 - after * m1) / (x1 - x0) < 0.0:
            secant = (y1 - y0) / (x1 - x0)
            aim = min(np.float32(0.01) * np.float32(0.5) * (m0 + m1), secant)
            slopes[i : i + 2] *= (2.0 * secant - aim) / ((before * m0 + after * m1) / (x1 - x0))
            changed = True
    return changed


@dataclass(frozen=True)
class Splines:
    """Several curves in two tables: knots (start of a piece; its origin; unused) and coefficients (a, b, c)."""

    knots: Table
    pieces: Table
    first: tuple[float, ...]
    last: tuple[float, ...]

    @property
    def steps(self) -> int:
        """Bisection steps that find a piece of any of the curves."""
        most = max(last - first for first, last in zip(self.first, self.last, strict=True))
        return next(steps for steps in STEPS if most < 2**steps)


def packed(curves: Sequence[Pieces], reverse: bool, backwards: int = 0) -> Splines:
    """Pack curves into tables. With `reverse`, or for the last `backwards` ones, pieces are searched by y."""
    rows = [_rows(curve, reverse or i >= len(curves) - backwards) for i, curve in enumerate(curves)]
    ends = np.cumsum([len(r) for r in rows])
    whole = np.concatenate([*rows, rows[-1][-1:]])
    knots = np.column_stack([whole[:, 0], whole[:, 1], np.zeros(len(whole))])
    first = tuple(float(end - len(r)) for end, r in zip(ends, rows, strict=True))
    return Splines(Table(knots), Table(whole[:, 2:]), first, tuple(float(end - 1) for end in ends))


def _rows(curve: Pieces, reverse: bool) -> NDArray[np.float64]:
    """Return (search key, origin, a, b, c) of each piece, with the straight ones before and after."""
    value, slope = curve.at_end()
    start = float(curve.start[0])
    ends = [float(curve.b[0]), slope]
    if reverse:
        ends = [STEEP if abs(b) < FLAT else b for b in ends]
    inner = np.column_stack([curve.start, curve.start, curve.a, curve.b, curve.c])
    before = [LOWEST, start, 0.0, ends[0], float(curve.c[0])]
    after = [curve.end, curve.end, 0.0, ends[1], value]
    rows = np.vstack([before, inner, after])
    if reverse:  # a value at a knot belongs to the piece that begins there, except at the first knot
        values = np.maximum.accumulate(rows[1:, 4]).astype(np.float32)
        rows[1:, 0] = values
        rows[2:, 0] = np.nextafter(values[1:], np.float32(-np.inf))
    return rows


def forward(knots: Any, pieces: Any, first: Scalar, last: Scalar, steps: int, x: Scalar) -> Scalar:
    """Evaluate the curve between entries `first` and `last` at `x`; `steps` bisection steps find the piece."""
    at = search(knots, 0, x, first, last, steps)
    t = x - lookup(knots, 1, at, 0.0)
    a, b, c = (lookup(pieces, i, at, 0.0) for i in range(3))
    return (a * t + b) * t + c


def backward(knots: Any, pieces: Any, first: Scalar, last: Scalar, steps: int, y: Scalar) -> Scalar:
    """Return where the rising curve between entries `first` and `last` has the value `y`, as `forward` finds pieces."""
    at = search(knots, 0, y, first, last, steps)
    a, b, c = (lookup(pieces, i, at, 0.0) for i in range(3))
    below = c - y
    return lookup(knots, 1, at, 0.0) - 2.0 * below / (sqrt(b * b - 4.0 * a * below) + b)
