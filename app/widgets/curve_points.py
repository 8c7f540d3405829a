"""The points of a grading curve, (x, y, slope) sorted by x, and pure functions that edit them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from engine.core.records import dataclass
from engine.kernel.op import Table

Point = tuple[float, float, float]
Points = tuple[Point, ...]
Sampler = Callable[[Points, ArrayLike], NDArray[np.float64]]
"""Evaluates the curve through points at some x as the op does; hues are within 0..1."""
GAP = 0.004
"""Least distance in x between two points, as a fraction of the range."""
REACH = 1.0 / 12.0
"""Distance in x from a pinned point to the points that pin the curve on each side, as a fraction of the range:
30 degrees of hue."""


@dataclass(frozen=True)
class Axis:
    """One axis of a plot. Points lie in `low`..`high`; the plot shows `beyond` more at each end, grid lines at `lines`,
    and displays (value - zero) * scale."""

    low: float
    high: float
    lines: tuple[float, ...]
    name: str
    unit: str
    step: float
    beyond: float = 0.0
    zero: float = 0.0
    """The value displayed as 0."""
    scale: float = 1.0
    """Displayed units per unit of the value."""
    sign: str = ""
    """Suffix of displayed numbers."""

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
        """Return the displayed number of a value."""
        return (value - self.zero) * self.scale

    def neat(self, value: float) -> float:
        """Round a value to the nearest fine step."""
        fine = 0.1 * self.step
        return round((value - self.zero) / fine) * fine + self.zero

    def meant(self, number: float) -> float:
        """Return the value of a displayed number."""
        return number / self.scale + self.zero


@dataclass(frozen=True)
class Plane:
    """The plane on which a curve is drawn and edited. On a `turning` plane x is hue, with period 1. If its curve is
    also `rising`, y has the same period, and the plot shows y - x."""

    x: Axis
    y: Axis
    sample: Sampler
    slope: float
    """Slope of the neutral line; `start` is its value at 0."""
    start: float
    rising: bool = False
    turning: bool = False
    strip: Callable[[ArrayLike], NDArray[np.float64]] | None = None
    """Returns display colours (n, 3), 0..1, that represent positions x (n,)."""

    @property
    def lean(self) -> float:
        """The factor of x that the plot subtracts from y."""
        return 1.0 if self.rising and self.turning else 0.0

    @property
    def turn(self) -> tuple[float, float]:
        """The offset from a point to its copy one period later."""
        return 1.0, self.lean

    def neutral(self, x: float) -> float:
        return self.slope * x + self.start


def points_of(table: Table, plane: Plane) -> Points:
    """Return the rows of a table as points sorted by x; hues are wrapped to 0..1."""
    points = [(float(x), float(y), float(slope)) for x, y, slope in table.array]
    return tuple(sorted((_brought_round(point, plane) for point in points), key=lambda point: point[0]))


def moved(points: Points, index: int, x: float, y: float, plane: Plane) -> tuple[Points, int]:
    """Move a point, clamped between its neighbours and to the plane; return the points and its new index.

    The index can change because hue is periodic. A point that is already outside an axis or too close to a neighbour
    keeps its position.
    """
    old, gap = points[index], GAP * plane.x.span
    left, right = _neighbours(points, index, plane)
    ends = (min(plane.x.low, old[0]), max(plane.x.high, old[0]))
    first = min(left[0] + gap, old[0]) if left else ends[0]
    last = max(right[0] - gap, old[0]) if right else ends[1]
    x = _clamped(x, first, last)
    shown, was = y - plane.lean * x, old[1] - plane.lean * old[0]
    y = _clamped(shown, min(plane.y.low, was), max(plane.y.high, was)) + plane.lean * x
    if plane.rising:
        y = _clamped(y, left[1] if left else y, right[1] if right else y)
    rest = (*points[:index], *points[index + 1 :])
    return _with(rest, _brought_round((x, y, old[2]), plane))


def added(points: Points, x: float, y: float, plane: Plane) -> tuple[Points, int]:
    """Add a point; return the points and its index. If another point is too close, return that one's index."""
    crowded = _crowded(points, x, plane)
    if crowded is not None:
        return points, crowded
    more, at = _inserted(points, x, float(curve_at(points, [x], plane)[0]), plane)
    whole = round(x - more[at][0]) if plane.turning else 0
    return moved(more, at, x - whole, y - whole * plane.lean, plane)


def pinned(points: Points, x: float, plane: Plane) -> tuple[Points, int]:
    """Add a point on the curve at `x`; return the points and its index. On a curve that need not rise, also add one on
    each side, so that moving the point changes the curve only locally."""
    x = x if plane.turning else _clamped(x, plane.x.low, plane.x.high)
    reach = REACH * plane.x.span
    places = [x - reach, x + reach, x] if plane.turning or not plane.rising else [x]
    at = 0
    for place, y in zip(places, curve_at(points, places, plane), strict=True):
        crowded = _crowded(points, place, plane)
        points, at = (points, crowded) if crowded is not None else _inserted(points, place, float(y), plane)
    return points, at


def curve_at(points: Points, xs: ArrayLike, plane: Plane) -> NDArray[np.float64]:
    """Return the curve at `xs`; hues may lie outside 0..1."""
    x = np.asarray(xs, np.float64)
    whole = np.floor(x) if plane.turning else np.zeros_like(x)
    return plane.sample(points, x - whole) + whole * plane.lean


def removed(points: Points, index: int) -> Points:
    """Remove a point, unless only two are left."""
    return (*points[:index], *points[index + 1 :]) if len(points) > 2 else points


def has_slopes(points: Points) -> bool:
    """Return whether the points define slopes; otherwise the op estimates them."""
    return any(point[2] for point in points)


def without_slopes(points: Points) -> Points:
    return tuple((x, y, 0.0) for x, y, _ in points)


def slope_at(points: Points, x: float, plane: Plane) -> float:
    """Return the slope of the curve at `x`."""
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
    """Return the shortest signed distance in x."""
    return (dx + 0.5) % 1.0 - 0.5 if plane.turning else dx


def _crowded(points: Points, x: float, plane: Plane) -> int | None:
    """Return the index of the nearest point if it is too close to `x`, or if `x` is not visible; else None."""
    ways = [_way(point[0] - x, plane) for point in points]
    nearest = min(range(len(ways)), key=lambda i: abs(ways[i]))
    visible = plane.turning or plane.x.first <= x <= plane.x.last
    return None if visible and abs(ways[nearest]) >= 2.0 * GAP * plane.x.span else nearest


def _inserted(points: Points, x: float, y: float, plane: Plane) -> tuple[Points, int]:
    slope = slope_at(points, x, plane) if has_slopes(points) else 0.0
    return _with(points, _brought_round((x, y, slope), plane))


def _with(points: Points, point: Point) -> tuple[Points, int]:
    at = sum(other[0] < point[0] for other in points)
    return (*points[:at], point, *points[at:]), at


def _clamped(value: float, low: float, high: float) -> float:
    return min(max(value, low), max(low, high))
