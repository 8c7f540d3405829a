"""Paths of mattes on the canvas: vertices with Bezier handles, and handles that move, turn and scale the whole path."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from app.model import matte_paths
from app.model.matte_geometry import (
    ANGLE_STEP,
    Handle,
    Held,
    Line,
    Outlines,
    between_180,
    constrained_direction,
    constrained_move,
)
from app.model.matte_paths import Point, Vertices
from app.model.matte_shapes import ROTATION_GAP, SOFTNESS_GAP, bounds_of, moving_box, pixels, place
from engine.core.records import dataclass
from engine.mattes.source import MatteSource
from engine.mattes.windows import Path

LEAST_SCALE = 0.01
MOST_CLEANED = 320
"""The number of points of a soft outline up to which its loops in narrow corners are removed."""
LEAST_MITRE = 0.05
"""The least denominator of the common point of two offset lines, which is far away where they are almost opposite."""
ROUND_FROM = math.radians(12.0)
"""The angle between two pieces of a line from which its offset gets an arc, and that between two points of the arc."""
SOFT_PIECES = 200
"""About the number of straight pieces that a soft outline is made of; a segment has at least LEAST_STEPS of them."""
LEAST_STEPS = 4
BEZIER = ("in", "out")
Array = NDArray[np.float64]


@dataclass(frozen=True)
class PathShape:
    """A path; the vertex at `chosen` shows its Bezier handles, unless it is -1."""

    source: Path
    chosen: int = -1

    @property
    def points(self) -> Vertices:
        """The vertices."""
        return self.source.points

    @cached_property
    def line(self) -> Line:
        """The polyline of the path."""
        return matte_paths.polyline(self.points)

    @property
    def middle(self) -> Point:
        """The middle of the bounding box."""
        left, top, right, bottom = self.bounds()
        return (left + right) / 2.0, (top + bottom) / 2.0

    @property
    def whole(self) -> Handle:
        """The handle that moves the path."""
        return Handle("whole", self.middle)

    def handles(self, metric: Point) -> tuple[Handle, ...]:
        left, top, right, bottom = self.bounds()
        gap = ROTATION_GAP / metric[1]
        found = [self.whole, Handle("rotation", ((left + right) / 2.0, top - self.source.softness_out - gap))]
        found.append(Handle("size", (right + SOFTNESS_GAP / metric[0], bottom + SOFTNESS_GAP / metric[1])))
        at, (x, y) = self._soft_place
        for name, sign in (("softness_out", 1.0), ("softness_in", -1.0)):
            by = getattr(self.source, name)
            dx, dy = (sign * (by + SOFTNESS_GAP / scale) for scale in metric)
            found.append(Handle(name, (at[0] + x * dx, at[1] + y * dy)))
        found += [Handle("vertex", (vertex[0], vertex[1]), index) for index, vertex in enumerate(self.points)]
        if 0 <= self.chosen < len(self.points):
            x0, y0, in_x, in_y, out_x, out_y = self.points[self.chosen]
            ends = (("in", in_x, in_y), ("out", out_x, out_y))
            found += [Handle(name, (x0 + x, y0 + y), self.chosen) for name, x, y in ends if x or y]
        return tuple(found)

    def outlines(self) -> Outlines:
        return self._outlines

    @cached_property
    def _outlines(self) -> Outlines:
        ends = [by for by in (-self.source.softness_in, self.source.softness_out) if by]
        steps = min(max(SOFT_PIECES // len(self.points), LEAST_STEPS), matte_paths.STEPS)
        line = matte_paths.polyline(self.points, steps=steps) if ends else []
        return Outlines((self.line,), tuple(soft for by in ends if (soft := offset(line, by))))

    def contains(self, at: Point) -> bool:
        return matte_paths.contains(self.line, at)

    def bounds(self) -> tuple[float, float, float, float]:
        return self._bounds

    @cached_property
    def _bounds(self) -> tuple[float, float, float, float]:
        return bounds_of((self.line,))

    def moving(self, handle: Handle) -> tuple[Sequence[float], Sequence[float]]:
        if handle.name == "whole":
            return moving_box(self.bounds())
        return ((handle.at[0],), (handle.at[1],)) if handle.name == "vertex" else ((), ())

    def dragged(self, handle: Handle, start: Point, now: Point, held: Held, metric: Point) -> MatteSource:
        dx, dy = now[0] - start[0], now[1] - start[1]
        to = handle.at[0] + dx, handle.at[1] + dy
        points, index = self.points, handle.index
        if handle.name == "vertex" and held.alt:
            return self._with(matte_paths.with_symmetric_handles(points, index, *to))
        if handle.name in ("whole", "vertex"):
            dx, dy = constrained_move(dx, dy, metric) if held.shift else (dx, dy)
            return self._moved(handle, dx, dy)
        if handle.name in BEZIER:
            vertex = points[index][:2]
            to = constrained_direction((vertex[0], vertex[1]), to, metric) if held.shift else to
            return self._with(matte_paths.with_handle(points, index, handle.name, *to, alone=held.alt))
        if handle.name == "rotation":
            angles = [math.degrees(math.atan2(y - self.middle[1], x - self.middle[0])) for x, y in (start, now)]
            by = between_180(angles[1] - angles[0])
            by = ANGLE_STEP * round(by / ANGLE_STEP) if held.shift else by
            return self._with(matte_paths.turned(points, self.middle, by))
        if handle.name == "size":
            return self._scaled(dx, dy, held.shift)
        normal = self._soft_place[1]
        return self._softened(handle.name, dx * normal[0] + dy * normal[1])

    def nudged(self, handle: Handle, dx: float, dy: float) -> MatteSource:
        if handle.name == "rotation":
            return self._with(matte_paths.turned(self.points, self.middle, dx + dy))
        if handle.name.startswith("softness"):
            return self._softened(handle.name, (dx - dy) if handle.name == "softness_out" else (dy - dx))
        now = handle.at[0] + dx, handle.at[1] + dy
        return self.dragged(handle, handle.at, now, Held(), (1.0, 1.0))

    def readout(self, handle: Handle, began: MatteSource) -> str:
        source = self.source
        if handle.name.startswith("softness"):
            side = "inside" if handle.name == "softness_in" else "outside"
            return f"softness {side} {pixels(getattr(source, handle.name))}"
        if handle.name == "rotation":
            return f"rotation {self._turned_since(began):.1f}°"
        if handle.name == "size":
            left, top, right, bottom = self.bounds()
            return f"size {pixels(right - left, bottom - top)}"
        if handle.name == "whole":
            return place(self.middle)
        vertex = self.points[handle.index]
        if handle.name == "vertex":
            return place((vertex[0], vertex[1]))
        x, y = vertex[2:4] if handle.name == "in" else vertex[4:]
        return f"handle {pixels(math.hypot(x, y))}   angle {math.degrees(math.atan2(y, x)):.1f}°"

    @cached_property
    def _soft_place(self) -> tuple[Point, Point]:
        """The middle of the first segment, where the handles of softness are, and the direction outwards from it."""
        at = matte_paths.point_at(self.points, 0, 0.5)
        before, after = (matte_paths.point_at(self.points, 0, t) for t in (0.45, 0.55))
        x, y = after[1] - before[1], before[0] - after[0]
        length = math.hypot(x, y) or 1.0
        sign = math.copysign(1.0, _area(self.line)) / length
        return at, (x * sign, y * sign)

    def _with(self, points: Vertices) -> MatteSource:
        return self.source.replace(points=points)

    def _moved(self, handle: Handle, dx: float, dy: float) -> MatteSource:
        if handle.name == "whole":
            return self._with(matte_paths.moved(self.points, dx, dy))
        x, y = handle.at[0] + dx, handle.at[1] + dy
        return self._with(matte_paths.with_position(self.points, handle.index, x, y))

    def _scaled(self, dx: float, dy: float, uniform: bool) -> MatteSource:
        left, top, right, bottom = self.bounds()
        sides = (right - left) / 2.0, (bottom - top) / 2.0
        x, y = (max(1.0 + by / side, LEAST_SCALE) if side else 1.0 for by, side in zip((dx, dy), sides, strict=True))
        x, y = (max(x, y), max(x, y)) if uniform else (x, y)
        return self._with(matte_paths.scaled(self.points, self.middle, x, y))

    def _softened(self, name: str, outwards: float) -> MatteSource:
        by = outwards if name == "softness_out" else -outwards
        return self.source.replace(**{name: max(getattr(self.source, name) + by, 0.0)})

    def _turned_since(self, began: MatteSource) -> float:
        """Return by how many degrees the path was rotated since it was `began`."""
        old = PathShape(began) if isinstance(began, Path) else self
        at = max(range(len(old.points)), key=lambda index: math.dist(old.points[index][:2], old.middle))
        if at >= len(self.points):
            return 0.0
        ends = ((old.points[at], old.middle), (self.points[at], old.middle))
        was, now = (math.atan2(vertex[1] - middle[1], vertex[0] - middle[0]) for vertex, middle in ends)
        return between_180(math.degrees(now - was))


def offset(line: Line, by: float) -> Line:
    """Return the line that runs `by` outside a closed polyline, inside if it is negative; [] if there is none."""
    points = np.array([at for n, at in enumerate(line) if at != line[n - 1]])
    if len(points) < matte_paths.LEAST:
        return []
    sign = math.copysign(1.0, _area(line)) * math.copysign(1.0, by)
    steps = np.roll(points, -1, axis=0) - points
    after = np.stack([steps[:, 1], -steps[:, 0]], -1) / np.linalg.norm(steps, axis=1)[:, None] * sign
    before = np.roll(after, 1, axis=0)
    dot = (before * after).sum(axis=1)
    angles = np.arctan2(before[:, 0] * after[:, 1] - before[:, 1] * after[:, 0], dot)
    mitres = points + abs(by) * (before + after) / np.maximum(1.0 + dot, LEAST_MITRE)[:, None]
    found: Line = []
    for at, mitre, first, angle in zip(points, mitres.tolist(), before, (angles * sign).tolist(), strict=True):
        if angle > ROUND_FROM:
            found += _arc(at, first, angle * sign, abs(by))
        else:
            found.append((mitre[0], mitre[1]))
    return _without_loops(found, points, abs(by)) if len(found) <= MOST_CLEANED else found


def _arc(at: Array, first: Array, angle: float, radius: float) -> Line:
    """Return the points of an arc about a point, from a direction on."""
    shares = np.linspace(0.0, angle, math.ceil(abs(angle) / ROUND_FROM) + 1)
    cos, sin = np.cos(shares), np.sin(shares)
    x = at[0] + radius * (first[0] * cos - first[1] * sin)
    y = at[1] + radius * (first[0] * sin + first[1] * cos)
    return list(zip(x.tolist(), y.tolist(), strict=True))


def _without_loops(line: Line, points: Array, least: float) -> Line:
    """Return a line without its points that are nearer than `least` to a closed polyline (n, 2)."""
    at = np.array(line)[:, None]
    starts, steps = points[None], (np.roll(points, -1, axis=0) - points)[None]
    share = np.clip(((at - starts) * steps).sum(-1) / (steps * steps).sum(-1), 0.0, 1.0)
    away = np.linalg.norm(at - starts - share[..., None] * steps, axis=-1).min(axis=1)
    return [place for place, distance in zip(line, away, strict=True) if distance >= least * 0.999]


def _area(line: Line) -> float:
    """Return the area of a closed polyline, positive if it runs clockwise on the screen (y points down)."""
    return 0.5 * sum(x0 * y1 - x1 * y0 for (x0, y0), (x1, y1) in zip(line, line[1:] + line[:1], strict=True))
