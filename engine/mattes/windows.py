"""Windows: sources that are shapes in the display window, with soft edges.

Positions and lengths are in pixels of the display window at level 0, from its top left corner; angles turn x towards y,
which points down. Edges without softness are antialiased over one pixel.
"""

from __future__ import annotations

import math
from typing import Any, Self

from engine.kernel import pairs
from engine.kernel.op import Numbers, Table, choice, derived, derived_table, slider
from engine.kernel.pixel import Pixel, Scalar, maximum, minimum, path_distance, select, sqrt
from engine.mattes import checks, falloffs
from engine.mattes import window_fields as fields
from engine.mattes.bezier import MOST_POINTS, flattened
from engine.mattes.source import MatteSource

GRADIENT_REACH = 32768.0
"""How far from the start of a linear gradient positions are exact."""
LEAST_GRADIENT = 2.0
"""The least length of a linear gradient, in pixels."""
LEAST_ASPECT = 0.001
CENTRAL = 1e-18
"""A position relative to the radii of an ellipse that counts as its centre."""


class Ellipse(MatteSource):
    """An ellipse: 1 inside, 0 outside, with a soft edge on either side of the outline.

    The softness is measured along the first-order distance f / |grad f| to the outline, with f = |(u / a, v / b)| - 1,
    which is exact for circles and on the axes. It reaches inwards no farther than the smaller radius. Source:
    G. Taubin, "Distance approximations for rasterizing implicit curves", ACM Transactions on Graphics 13(1), 1994.
    """

    family = "Windows"

    center: Numbers = fields.position(fields.CENTER, "Centre: x from the left, y from the top")
    size: Numbers = fields.length((480.0, 270.0), "Half of the width, half of the height", fields.LEAST_RADIUS)
    rotation: float = fields.angle()
    softness_in: float = fields.softness("inside")
    softness_out: float = fields.softness("outside")

    def check(self) -> None:
        checks.within(self, checks.FARTHEST, "center", "size", "rotation", "softness_in", "softness_out")

    @derived(pairs.axes_size(2, 2))
    def axes(self) -> tuple[float, ...]:
        """The axes of the ellipse, in units of its radii."""
        reach = max(self.size) + self.softness_out + falloffs.LEAST_EDGE
        return pairs.axes(self.center, fields.turned(self.rotation, *self.size), reach)

    @derived(2)
    def edge(self) -> tuple[float, float]:
        """The soft edge."""
        return falloffs.edge(min(self.softness_in, *self.size), self.softness_out)

    def coverage(self, px: Pixel) -> Scalar:
        parts = list(pairs.along(self.axes, (px.x, px.y)))
        u, v = (pairs.total(part) for part in parts)
        slope = _length(u / self.size[0], v / self.size[1])
        ratio = maximum(_length(u, v), CENTRAL) / maximum(slope, CENTRAL / minimum(*self.size))
        return falloffs.within(_beyond_unit_circle(parts) * ratio, self.edge)

    def scaled(self, x: float, y: float) -> Self:
        """Return the ellipse for another display window. It is exact, but for the softness if `x` is not `y`."""
        rotation, size = fields.scaled_ellipse(self.rotation, self.size, x, y)
        softness = fields.scaled_lengths(self, x, y, "softness_in", "softness_out")
        return self.replace(center=fields.scaled_point(self.center, x, y), size=size, rotation=rotation, **softness)

    @classmethod
    def for_frame(cls, width: float, height: float) -> Self:
        return cls(**fields.quarter(width, height))


class Rectangle(MatteSource):
    """A rectangle, with rounded corners if `roundness` is above 0: 1 inside, 0 outside, with a soft edge.

    The softness is measured along the exact distance to the outline, so that a soft edge is round at the corners. It
    reaches inwards no farther than half of the shorter side.
    """

    family = "Windows"

    center: Numbers = fields.position(fields.CENTER, "Centre: x from the left, y from the top")
    size: Numbers = fields.length((480.0, 270.0), "Half of the width, half of the height", fields.LEAST_RADIUS)
    rotation: float = fields.angle()
    roundness: float = slider(
        0.0, 0.0, 1.0, minimum=0.0, help="Radius of the corners, as a share of half of the shorter side; 1 is round"
    )
    softness_in: float = fields.softness("inside")
    softness_out: float = fields.softness("outside")

    def check(self) -> None:
        checks.within(self, checks.FARTHEST, "center", "size", "rotation", "softness_in", "softness_out")
        checks.within(self, 1.0, "roundness")

    @derived(pairs.axes_size(2, 2))
    def axes(self) -> tuple[float, ...]:
        """The axes of the rectangle, in pixels."""
        reach = math.hypot(*self.size) + self.softness_out + falloffs.LEAST_EDGE
        return pairs.axes(self.center, fields.turned(self.rotation), reach)

    @derived(2)
    def edge(self) -> tuple[float, float]:
        """The soft edge."""
        return falloffs.edge(min(self.softness_in, *self.size), self.softness_out)

    @derived(8)
    def sides(self) -> tuple[float, ...]:
        """Half of the width and half of the height, each with and without the corner, as pairs."""
        radius = self.roundness * min(self.size)
        return tuple(part for side in self.size for value in (side, side - radius) for part in pairs.split(value))

    @derived(6)
    def corner(self) -> tuple[float, ...]:
        """The radius of the corners, its square, and the grain of positions there."""
        radius = self.roundness * min(self.size)
        grain = pairs.grain_for(radius + self.softness_out + falloffs.LEAST_EDGE)
        return (*pairs.split(radius), *pairs.square_of(radius, grain), grain, 1.0 / grain)

    def coverage(self, px: Pixel) -> Scalar:
        outside, inner = [], []
        for first, (high, low) in zip((0, 4), pairs.along(self.axes, (px.x, px.y)), strict=True):
            side_high, side_low, straight_high, straight_low = self.sides[first : first + 4]
            opposite = high + low < 0.0
            high, low = select(opposite, -high, high), select(opposite, -low, low)
            outside.append(pairs.total(pairs.less((high, low), (side_high, side_low))))
            inner.append(pairs.less((high, low), (straight_high, straight_low)))
        by_corner = minimum(*(pairs.total(part) for part in inner)) > 0.0
        beyond = pairs.beyond(inner, self.corner[:2], self.corner[2:4], *self.corner[4:])
        return falloffs.within(select(by_corner, beyond, maximum(*outside)), self.edge)

    def scaled(self, x: float, y: float) -> Self:
        """Return the rectangle for another display window. It is exact, unless it is turned and `x` is not `y`."""
        rotation, size = fields.scaled_rectangle(self.rotation, self.size, x, y)
        softness = fields.scaled_lengths(self, x, y, "softness_in", "softness_out")
        return self.replace(center=fields.scaled_point(self.center, x, y), size=size, rotation=rotation, **softness)

    @classmethod
    def for_frame(cls, width: float, height: float) -> Self:
        return cls(**fields.quarter(width, height))


class Path(MatteSource):
    """A closed path of straight lines and cubic Bezier curves: 1 inside by the even-odd rule, 0 outside.

    `points` are (x, y, in x, in y, out x, out y): vertices with their two handles, relative to the vertex. The softness
    is measured along the exact distance to the outline. A path that encloses nothing covers nothing.
    """

    family = "Windows"

    points: tuple[tuple[float, float, float, float, float, float], ...] = ()
    softness_in: float = fields.softness("inside")
    softness_out: float = fields.softness("outside")

    def check(self) -> None:
        checks.rows(self, "points", 6, checks.FARTHEST, MOST_POINTS)
        checks.within(self, checks.FARTHEST, "softness_in", "softness_out")

    @derived_table
    def outline(self) -> Table:
        """The polyline of the path: x, y and 0 of each vertex."""
        return Table(flattened(self.points))

    @derived()
    def encloses(self) -> float:
        """1, or 0 for a path of fewer than three different vertices."""
        return float(len({tuple(vertex) for vertex in self.outline.array.tolist()}) > 2)

    @derived(2)
    def edge(self) -> tuple[float, float]:
        """The soft edge."""
        return falloffs.edge(self.softness_in, self.softness_out)

    def coverage(self, px: Pixel) -> Scalar:
        distance = -path_distance(self.outline, px.x, px.y)
        return falloffs.within(distance, self.edge) * self.encloses

    def scaled(self, x: float, y: float) -> Self:
        """Return the path for another display window. It is exact, but for the softness if `x` is not `y`."""
        points = tuple(tuple(fields.bounded(n) for n in _times(point, (x, y) * 3)) for point in self.points)
        return self.replace(points=points, **fields.scaled_lengths(self, x, y, "softness_in", "softness_out"))

    @classmethod
    def for_frame(cls, width: float, height: float) -> Self:
        corners = ((1.0, 1.0), (3.0, 1.0), (3.0, 3.0), (1.0, 3.0))
        return cls(points=tuple((x * width / 4.0, y * height / 4.0, 0.0, 0.0, 0.0, 0.0) for x, y in corners))


class LinearGradient(MatteSource):
    """A gradient from 1 at `start` to 0 at `end`, constant across and beyond.

    A gradient shorter than two pixels is two pixels long; without a direction, it runs to the right.
    """

    family = "Windows"
    label = "Linear gradient"

    start: Numbers = fields.position((960.0, 270.0), "Where the coverage is 1: x from the left, y from the top")
    end: Numbers = fields.position((960.0, 810.0), "Where the coverage is 0: x from the left, y from the top")
    falloff: str = choice("smooth", "linear", help="smooth: eases in and out")

    def check(self) -> None:
        checks.within(self, checks.FARTHEST, "start", "end")

    @derived(pairs.axes_size(2, 1))
    def axes(self) -> tuple[float, ...]:
        """The direction of the gradient, in units of its length."""
        x, y = self.end[0] - self.start[0], self.end[1] - self.start[1]
        length = math.hypot(x, y)
        x, y = (x / length, y / length) if length else (1.0, 0.0)
        length = max(length, LEAST_GRADIENT)
        return pairs.axes(self.start, [(x / length, y / length)], GRADIENT_REACH)

    def coverage(self, px: Pixel) -> Scalar:
        ((high, low),) = pairs.along(self.axes, (px.x, px.y))
        return falloffs.eased((1.0 - high) - low, self.falloff)

    def scaled(self, x: float, y: float) -> Self:
        """Return the gradient for another display window, between the same points."""
        return self.replace(start=fields.scaled_point(self.start, x, y), end=fields.scaled_point(self.end, x, y))

    @classmethod
    def for_frame(cls, width: float, height: float) -> Self:
        return cls(start=(width / 2.0, height / 4.0), end=(width / 2.0, height * 0.75))


class RadialGradient(MatteSource):
    """A gradient from 1 up to the radius `inner` to 0 from the radius `outer` on, round or elliptical.

    A gradient narrower than a pixel is a pixel wide, inwards from `outer`.
    """

    family = "Windows"
    label = "Radial gradient"

    center: Numbers = fields.position(fields.CENTER, "Centre: x from the left, y from the top")
    inner: float = fields.length(0.0, "Radius up to which the coverage is 1")
    outer: float = fields.length(270.0, "Radius from which on the coverage is 0", fields.LEAST_RADIUS)
    aspect: float = slider(1.0, 0.1, 10.0, minimum=LEAST_ASPECT, help="Height of the gradient divided by its width")
    rotation: float = fields.angle()
    falloff: str = choice("smooth", "linear", help="smooth: eases in and out")

    def check(self) -> None:
        checks.within(self, checks.FARTHEST, "center", "inner", "outer", "rotation")
        checks.within(self, 1.0 / LEAST_ASPECT, "aspect")

    @derived(pairs.axes_size(2, 2))
    def axes(self) -> tuple[float, ...]:
        """The axes of the gradient, in units of its outer radii."""
        across, down = self.outer, self.outer * self.aspect
        return pairs.axes(self.center, fields.turned(self.rotation, across, down), max(across, down))

    @derived()
    def rise(self) -> float:
        """The change of the coverage from the outer radius to the centre, were it to go on as far."""
        return self.outer / max(self.outer - self.inner, falloffs.LEAST_EDGE)

    def coverage(self, px: Pixel) -> Scalar:
        beyond = _beyond_unit_circle(list(pairs.along(self.axes, (px.x, px.y))))
        return falloffs.eased(-beyond * self.rise, self.falloff)

    def scaled(self, x: float, y: float) -> Self:
        """Return the gradient for another display window. It is exact."""
        size = self.outer, self.outer * self.aspect
        rotation, (across, down) = fields.scaled_ellipse(self.rotation, size, x, y)
        return self.replace(
            center=fields.scaled_point(self.center, x, y),
            inner=fields.bounded(self.inner * across / self.outer),
            outer=across,
            aspect=min(max(down / across, LEAST_ASPECT), 1.0 / LEAST_ASPECT),
            rotation=rotation,
        )

    @classmethod
    def for_frame(cls, width: float, height: float) -> Self:
        outer = max(min(width, height) / 4.0, fields.LEAST_RADIUS)
        return cls(center=(width / 2.0, height / 2.0), outer=outer)


def _length(*parts: Scalar) -> Scalar:
    return sqrt(sum((part * part for part in parts[1:]), start=parts[0] * parts[0]))


def _times(values: Any, factors: Any) -> list[float]:
    return [value * factor for value, factor in zip(values, factors, strict=True)]


def _beyond_unit_circle(parts: list[pairs.Pair]) -> Scalar:
    """Return how far a point is outside the circle of radius 1."""
    return pairs.beyond(parts, (1.0, 0.0), (1.0, 0.0), pairs.UNIT_GRAIN, 1.0 / pairs.UNIT_GRAIN)
