"""The points of a grading curve: (x, y, slope) in the order of x. Pure functions on tuples."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from engine.kernel.op import Table

Point = tuple[float, float, float]
Points = tuple[Point, ...]
Sampler = Callable[[Points, ArrayLike], NDArray[np.float64]]
"""The curve through points at some x, as the op has it; hue within 0..1."""
GAP = 0.004
"""Least distance in x between two points, as a part of the range."""
REACH = 1.0 / 12.0
"""How far from a picked place the curve is held, as a part of the range: 30 degrees of hue."""


@dataclass(frozen=True)
class Axis:
    """One direction of a plot: where points may lie, what is seen `beyond`, lines, and the numbers that are told."""

    low: float
    high: float
    lines: tuple[float, ...]
    name: str
    unit: str
    step: float
    beyond: float = 0.0
    zero: float = 0.0
    """What is told as 0."""
    scale: float = 1.0
    """How much is told for 1."""
    sign: str = ""
    """Of the unit, behind a number."""

    @property
    def span(self) -> float:
        return self.high - self.low

    @property
    def first(self) -> float:
        return self.low - self.beyond

    @property
    def last(self) -> float:
        return self.high + self.beyond

    def shown(self, value: float) -> float:
        """A value in the axis' unit."""
        return (value - self.zero) * self.scale

    def neat(self, value: float) -> float:
        """The nearest value of the fine steps."""
        fine = 0.1 * self.step
        return round((value - self.zero) / fine) * fine + self.zero

    def meant(self, number: float) -> float:
        """The value that a number in the axis' unit tells."""
        return number / self.scale + self.zero


@dataclass(frozen=True)
class Plane:
    """What a curve is drawn and edited on. On a `turning` plane x is hue, which goes round 0..1; with a curve that is
    `rising`, too, y goes round with it, and what is shown of y is its distance from x."""

    x: Axis
    y: Axis
    sample: Sampler
    slope: float
    """Of the line that changes nothing; `start` is its value at 0."""
    start: float
    rising: bool = False
    turning: bool = False
    strip: Callable[[ArrayLike], NDArray[np.float64]] | None = None
    """The colours (n, 3) of the screen, 0..1, that stand for some x."""

    @property
    def lean(self) -> float:
        """What of x is taken from y where it is shown."""
        return 1.0 if self.rising and self.turning else 0.0

    @property
    def turn(self) -> tuple[float, float]:
        """From a point to the same one a turn later."""
        return 1.0, self.lean

    def neutral(self, x: float) -> float:
        return self.slope * x + self.start


def points_of(table: Table, plane: Plane) -> Points:
    """The rows of a table in the order of x, those of hue within 0..1."""
    points = [(float(x), float(y), float(slope)) for x, y, slope in table.array]
    return tuple(sorted((_brought_round(point, plane) for point in points), key=lambda point: point[0]))


def moved(points: Points, index: int, x: float, y: float, plane: Plane) -> tuple[Points, int]:
    """A point elsewhere: between its neighbours and on the plane; and its place, for hue goes round.

    A point that lies beyond the ends of an axis is not pulled in, and one that is near another is not pushed off.
    """
    old, gap = points[index], GAP * plane.x.span
    left, right = _neighbours(points, index, plane)
    ends = (min(plane.x.low, old[0]), max(plane.x.high, old[0]))
    first = min(left[0] + gap, old[0]) if left else ends[0]
    last = max(right[0] - gap, old[0]) if right else ends[1]
    x = _held(x, first, last)
    shown, was = y - plane.lean * x, old[1] - plane.lean * old[0]
    y = _held(shown, min(plane.y.low, was), max(plane.y.high, was)) + plane.lean * x
    if plane.rising:
        y = _held(y, left[1] if left else y, right[1] if right else y)
    rest = (*points[:index], *points[index + 1 :])
    return _with(rest, _brought_round((x, y, old[2]), plane))


def added(points: Points, x: float, y: float, plane: Plane) -> tuple[Points, int]:
    """A further point, and its place; the points as they are, and the nearest, where there is no room for one."""
    crowded = _crowded(points, x, plane)
    if crowded is not None:
        return points, crowded
    more, at = _inserted(points, x, float(curve_at(points, [x], plane)[0]), plane)
    whole = round(x - more[at][0]) if plane.turning else 0
    return moved(more, at, x - whole, y - whole * plane.lean, plane)


def pinned(points: Points, x: float, plane: Plane) -> tuple[Points, int]:
    """A point on the curve at `x`, and its place. Where a curve may go up and down, also one on each side, on the curve
    too, so that it can be moved there alone."""
    x = x if plane.turning else _held(x, plane.x.low, plane.x.high)
    reach = REACH * plane.x.span
    places = [x - reach, x + reach, x] if plane.turning or not plane.rising else [x]
    at = 0
    for place, y in zip(places, curve_at(points, places, plane), strict=True):
        crowded = _crowded(points, place, plane)
        points, at = (points, crowded) if crowded is not None else _inserted(points, place, float(y), plane)
    return points, at


def curve_at(points: Points, xs: ArrayLike, plane: Plane) -> NDArray[np.float64]:
    """The curve at some x, of hue whatever turn it is of."""
    x = np.asarray(xs, np.float64)
    whole = np.floor(x) if plane.turning else np.zeros_like(x)
    return plane.sample(points, x - whole) + whole * plane.lean


def removed(points: Points, index: int) -> Points:
    """Without a point; two stay."""
    return (*points[:index], *points[index + 1 :]) if len(points) > 2 else points


def has_slopes(points: Points) -> bool:
    """Whether slopes are given; else they are estimated from the points."""
    return any(point[2] for point in points)


def without_slopes(points: Points) -> Points:
    return tuple((x, y, 0.0) for x, y, _ in points)


def slope_at(points: Points, x: float, plane: Plane) -> float:
    """The slope of the curve."""
    step = 1e-3 * plane.x.span
    before, after = curve_at(points, [x - step, x + step], plane)
    return float(after - before) / (2.0 * step)


def _neighbours(points: Points, index: int, plane: Plane) -> tuple[Point | None, Point | None]:
    left, right = (points[i] if 0 <= i < len(points) else None for i in (index - 1, index + 1))
    if plane.turning:
        (dx, dy), (x, y, slope) = plane.turn, points[-1]
        left = left or (x - dx, y - dy, slope)
        x, y, slope = points[0]
        right = right or (x + dx, y + dy, slope)
    return left, right


def _brought_round(point: Point, plane: Plane) -> Point:
    whole = float(np.floor(point[0])) if plane.turning else 0.0
    return point[0] - whole, point[1] - whole * plane.lean, point[2]


def _way(dx: float, plane: Plane) -> float:
    """The shortest way in x."""
    return (dx + 0.5) % 1.0 - 0.5 if plane.turning else dx


def _crowded(points: Points, x: float, plane: Plane) -> int | None:
    """The nearest point, where there is no room for one at `x`."""
    ways = [_way(point[0] - x, plane) for point in points]
    nearest = min(range(len(ways)), key=lambda i: abs(ways[i]))
    room = plane.turning or plane.x.first <= x <= plane.x.last
    return None if room and abs(ways[nearest]) >= 2.0 * GAP * plane.x.span else nearest


def _inserted(points: Points, x: float, y: float, plane: Plane) -> tuple[Points, int]:
    slope = slope_at(points, x, plane) if has_slopes(points) else 0.0
    return _with(points, _brought_round((x, y, slope), plane))


def _with(points: Points, point: Point) -> tuple[Points, int]:
    at = sum(other[0] < point[0] for other in points)
    return (*points[:at], point, *points[at:]), at


def _held(value: float, low: float, high: float) -> float:
    return min(max(value, low), max(low, high))
