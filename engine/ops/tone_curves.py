"""Curves of OpenColorIO's tone controls: sections of parabolas, and of inverse parabolas.

Source: OpenColorIO, GradingToneTransform. The host computes the sections in double precision; each pixel finds its
section and evaluates it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from engine.kernel.op import Table
from engine.kernel.pixel import Scalar, lookup, search, select, sqrt
from engine.ops.quadratic_splines import LOWEST

STEPS = 3
"""Bisection steps that find a section: a curve has at most 8."""
LEAST_SLOPE = 0.01
HALO, MIDDLE_SLOPE = 0.4, 0.1


class Section(NamedTuple):
    """A section from input `x`, where the curve is `y`: (a t + b) t + c with t = input - origin, or solved for it."""

    x: float
    y: float
    origin: float
    a: float
    b: float
    c: float
    solved: bool = False

    def reversed(self) -> Section:
        return self._replace(x=self.y, y=self.x, solved=not self.solved)

    def at(self, x: float) -> float:
        if not self.solved:
            return (self.a * (x - self.origin) + self.b) * (x - self.origin) + self.c
        below = self.c - x
        return self.origin - 2.0 * below / (math.sqrt(self.b * self.b - 4.0 * self.a * below) + self.b)


Curve = tuple[Section, ...]
"""Sections in ascending order; the first extends to -infinity."""

IDENTITY: Curve = (Section(LOWEST, LOWEST, 0.0, 0.0, 1.0, 0.0),)


def reverse(curve: Curve) -> Curve:
    """Return the inverse of a rising curve."""
    return tuple(section.reversed() for section in curve)


def value(curve: Curve, x: float) -> float:
    """Evaluate the curve at `x`."""
    return [section for section in curve if section.x < x or section is curve[0]][-1].at(x)


def _rising(x: Sequence[float], y: Sequence[float], slopes: Sequence[float]) -> Curve:
    """Return parabolas through points with given, consistent slopes; straight beyond."""
    sections = [Section(LOWEST, LOWEST, x[0], 0.0, slopes[0], y[0])]
    for i in range(len(x) - 1):
        bend = 0.5 * (slopes[i + 1] - slopes[i]) / (x[i + 1] - x[i])
        sections.append(Section(x[i], y[i], x[i], bend, slopes[i], y[i]))
    sections.append(Section(x[-1], y[-1], x[-1], 0.0, slopes[-1], y[-1]))
    return tuple(sections)


def middle(amount: float, centre: float, width: float, bottom: float, top: float) -> Curve:
    """Return a curve that raises or lowers the tones around `centre` and keeps both ends of the range."""
    if amount == 1.0:
        return IDENTITY
    width = min(max(width, 0.01), (top - bottom) * 0.95)
    centre = min(max(centre, bottom + width * 0.51), top - width * 0.51)
    first = centre - 0.5 * width
    x = (bottom, first, first + 0.25 * width, first + 0.75 * width, first + width, top)
    change = (min(max(amount, 0.01), 1.99) - 1.0) * (1.0 - MIDDLE_SLOPE)
    m = [1.0, 1.0 + change * HALO, 1.0 + change, 1.0 - change, 1.0 - change * HALO, 1.0]
    if centre <= 0.5 * (top + bottom):
        area = (x[1] - x[0]) * (m[1] - m[0]) * 0.5 + (x[2] - x[1]) * ((m[1] - m[0]) + (m[2] - m[1]) * 0.5)
        area += (centre - x[2]) * (m[2] - m[0]) * 0.5
        rest = (x[4] - x[3]) * (0.5 * m[3] - m[5]) + (x[3] - centre) * (m[3] - m[5]) * 0.5 + area
        m[4] = (rest - 0.5 * (x[5] - x[4]) * m[5]) / (-0.5 * (x[5] - x[3]))
    else:
        area = (x[5] - x[4]) * (m[4] - m[5]) * 0.5 + (x[4] - x[3]) * ((m[4] - m[5]) + (m[3] - m[4]) * 0.5)
        area += (x[3] - centre) * (m[3] - m[5]) * 0.5
        rest = (x[2] - x[1]) * (0.5 * m[2] - m[0]) + (centre - x[2]) * (m[2] - m[0]) * 0.5 + area
        m[1] = (rest - 0.5 * (x[1] - x[0]) * m[0]) / (-0.5 * (x[2] - x[0]))
    y = [x[0]]
    for i in range(5):
        y.append(y[-1] + (m[i] + m[i + 1]) * (x[i + 1] - x[i]) * 0.5)
    return _rising(x, y, m)


def bend(amount: float, low: float, high: float, at_low: bool) -> Curve:
    """Return the highlights or shadows curve: its slope is `amount` at one end of low..high and beyond, 1 at the other.

    For an amount above 1 it is the inverse of the curve for 2 - amount.
    """
    if amount == 1.0:
        return IDENTITY
    slope = max(LEAST_SLOPE, amount if amount < 1.0 else 2.0 - amount)
    m0, m2 = (slope, 1.0) if at_low else (1.0, slope)
    half = 0.5 * (high - low)
    between = (0.5 / (2.0 * half)) * ((2.0 * low + m0 * half) * half + (2.0 * high - m2 * half) * half)
    centre = low + half
    middle_slope = (2.0 * high - 2.0 * between - m2 * half) / half
    curve = (
        Section(LOWEST, LOWEST, low, 0.0, m0, low),
        Section(low, low, low, (between - low - m0 * half) / half**2, m0, low),
        Section(centre, between, centre, (between - high + m2 * half) / half**2, middle_slope, between),
        Section(high, high, high, 0.0, m2, high),
    )
    return curve if amount < 1.0 else reverse(curve)


def whites(amount: float, start: float, width: float) -> Curve:
    """Return the whites curve: slope `amount` from start + width on; for an amount above 1 the slope grows beyond."""
    if amount == 1.0:
        return IDENTITY
    end = start + width
    if amount < 1.0:
        slope = max(LEAST_SLOPE, amount)
        return _rising((start, end), (start, start + (1.0 + slope) * width * 0.5), (1.0, slope))
    slope = max(LEAST_SLOPE, float(np.float32(2.0) - np.float32(amount)))
    gain = 0.5 * (1.0 + slope)
    last = start + width / gain
    inner = (
        Section(LOWEST, LOWEST, start, 0.0, 1.0, start),
        Section(start, start, start, 0.5 * (slope - 1.0) / width * gain, 1.0, start, solved=True),
    )
    return (*inner, Section(end, last, end, _growth(np.float32(start), np.float32(width), slope), 1.0 / slope, last))


def _growth(start: np.float32, width: np.float32, slope: float) -> float:
    """Return half the second derivative at the end of the whites.

    Computed in float32: its rounding shows, since the difference is so small.
    """
    end, last = start + width, np.float32(slope)
    before = start + (end - start) * np.float32(0.99)
    near = 1.0 / (1.0 + (before - start) * (last - 1.0) / (end - start))
    return float(np.float32(0.5) * (1.0 / last - near) / (end - before))


def blacks(amount: float, start: float, width: float) -> Curve:
    """Return the blacks curve: slope 2 - `amount` below start - width, or the reciprocal for an amount below 1."""
    if amount == 1.0:
        return IDENTITY
    if amount > 1.0:
        slope = max(LEAST_SLOPE, 2.0 - amount)
        return _rising((start - width, start), (start - (1.0 + slope) * width * 0.5, start), (slope, 1.0))
    slope = max(LEAST_SLOPE, amount)
    gain = 0.5 * (1.0 + slope)
    return reverse(_rising((start - width / gain, start), (start - width, start), (slope, 1.0)))


def contrast(amount: float, bottom: float, top: float, pivot: float) -> Curve:
    """Return an S curve about `pivot` that keeps both ends of the range."""
    if amount == 1.0:
        return IDENTITY
    inverse_slope = 1.8125 - 0.8125 * min(amount, 1.99)
    slope = 1.0 / inverse_slope if amount > 1.0 else 0.28125 + 0.71875 * max(amount, 0.01)
    dark, light = _shoulder(-bottom, -pivot, slope), _shoulder(top, pivot, slope)
    x = (-dark[1][0], -dark[0][0], light[0][0], light[1][0])
    y = (-dark[1][1], -dark[0][1], light[0][1], light[1][1])
    return _rising(x, y, (dark[2], slope, slope, light[2]))


def _shoulder(end: float, pivot: float, slope: float) -> tuple[tuple[float, float], tuple[float, float], float]:
    """Return the end of the line through the pivot, the start of the straight end (to `end`, `end`), and its slope."""
    y0 = pivot + (end - pivot) * 0.25
    x0 = pivot + (y0 - pivot) / slope
    least = (end - x0) * 0.3
    last = 1.0 / slope
    centre = (end - y0 - last * end + slope * x0) / (slope - last)
    x1, x2 = x0, 2.0 * centre - x0
    if x2 > end:
        x1, x2 = 2.0 * centre - end, end
    elif x2 - x1 < least:
        x2 = x1 + least
        centre = 0.5 * (x1 + x2)
        last = (end - y0 + slope * x0 - centre * slope) / (end - centre)
    return (x1, y0), (x2, y0 + (slope + last) * (x2 - x1) * 0.5), last


def packed(curves: Sequence[Curve]) -> tuple[Table, Table, tuple[float, ...], tuple[float, ...]]:
    """Pack sections into tables of (from, origin, solved) and (a, b, c); return them with each curve's first and last
    entry."""
    rows = [section for curve in curves for section in curve]
    lengths = np.array([len(curve) for curve in curves])
    last = np.cumsum(lengths) - 1
    knots = [(row.x, row.origin, float(row.solved)) for row in [*rows, rows[-1]]]
    pieces = [(row.a, row.b, row.c) for row in [*rows, rows[-1]]]
    return Table(knots), Table(pieces), tuple(map(float, last - lengths + 1)), tuple(map(float, last))


def evaluate(knots: Any, pieces: Any, first: Scalar, last: Scalar, x: Scalar) -> Scalar:
    """Evaluate the curve between entries `first` and `last` at `x`."""
    at = search(knots, 0, x, first, last, STEPS)
    origin, solved = lookup(knots, 1, at, 0.0), lookup(knots, 2, at, 0.0)
    a, b, c = (lookup(pieces, i, at, 0.0) for i in range(3))
    t, below = x - origin, c - x
    root = origin - 2.0 * below / (sqrt(b * b - 4.0 * a * below) + b)
    return select(solved > 0.5, root, (a * t + b) * t + c)
