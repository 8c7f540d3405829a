"""The points of a grading curve: (x, y, slope) that rise in x and never fall in y. Pure functions on tuples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.op import Table
from engine.ops import GradingRgbCurve

Point = tuple[float, float, float]
Points = tuple[Point, ...]
GAP = 0.004
"""Least distance in x between two points, as a part of the range."""


@dataclass(frozen=True)
class Axes:
    """What a plot of a style shows: the ends of the straight curve, what lies a little beyond, lines, and the unit."""

    low: float
    high: float
    lines: tuple[float, ...]
    unit: str
    step: float

    @property
    def span(self) -> float:
        return self.high - self.low

    @property
    def first(self) -> float:
        return self.low - 0.08 * self.span

    @property
    def last(self) -> float:
        return self.high + 0.08 * self.span


AXES = {
    "log": Axes(0.0, 1.0, (0.0, 0.25, 0.5, 0.75, 1.0), "code value", 0.01),
    "linear": Axes(-7.0, 7.0, (-6.0, -4.0, -2.0, 0.0, 2.0, 4.0, 6.0), "stops from mid grey", 0.1),
}


def points_of(table: Table) -> Points:
    return tuple((float(x), float(y), float(slope)) for x, y, slope in table.array)


def moved(points: Points, index: int, x: float, y: float, axes: Axes) -> Points:
    """A point elsewhere: between its neighbours, and within the plot."""
    gap = GAP * axes.span
    left = points[index - 1] if index else (axes.first - gap, axes.first, 0.0)
    right = points[index + 1] if index + 1 < len(points) else (axes.last + gap, axes.last, 0.0)
    held = (_held(x, left[0] + gap, right[0] - gap), _held(y, left[1], right[1]), points[index][2])
    return (*points[:index], held, *points[index + 1 :])


def added(points: Points, x: float, y: float, slope: float, axes: Axes) -> tuple[Points, int]:
    """A further point, and its place; the points as they are, and the nearest, where there is no room for one."""
    gap = GAP * axes.span
    nearest = min(range(len(points)), key=lambda i: abs(points[i][0] - x))
    if abs(points[nearest][0] - x) < 2.0 * gap or not axes.first <= x <= axes.last:
        return points, nearest
    at = sum(point[0] < x for point in points)
    steep = slope if any(point[2] for point in points) else 0.0
    more = (*points[:at], (x, points[min(at, len(points) - 1)][1], steep), *points[at:])
    return moved(more, at, x, y, axes), at


def removed(points: Points, index: int) -> Points:
    """Without a point; two stay."""
    return (*points[:index], *points[index + 1 :]) if len(points) > 2 else points


def scaled(points: Points, before: Axes, after: Axes) -> Points:
    """The same shape on the axes of another style."""
    scale = after.span / before.span
    return tuple(
        ((x - before.low) * scale + after.low, (y - before.low) * scale + after.low, slope) for x, y, slope in points
    )


def curve_of(points: Points, xs: Sequence[float] | NDArray[np.float64]) -> NDArray[np.float64]:
    """The curve at some x, by the op's own float64 reference."""
    straight = GradingRgbCurve.straight()
    op = GradingRgbCurve.of(straight.red, straight.green, straight.blue, Table(points))
    grey = np.repeat(np.asarray(xs, np.float64)[:, None], 4, axis=1)
    return op.reference(grey)[:, 0]


def _held(value: float, low: float, high: float) -> float:
    return min(max(value, low), max(low, high))
