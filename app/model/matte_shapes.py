"""Ellipses and rectangles of mattes on the canvas, with their handles and outlines, and what other windows share.

Rotations are in degrees in pixels of the image; positive ones turn the x axis towards the y axis, which points down.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from app.model.matte_geometry import (
    ANGLE_STEP,
    Handle,
    Held,
    Line,
    Outlines,
    between_180,
    constrained_move,
)
from app.model.matte_paths import Point
from engine.core.records import dataclass
from engine.mattes.source import MatteSource
from engine.mattes.window_fields import LEAST_RADIUS
from engine.mattes.windows import Ellipse, RadialGradient, Rectangle

ROTATION_GAP, SOFTNESS_GAP = 26.0, 11.0
"""The distances of the handles of rotation and softness from the outline, in logical pixels."""
PIECES = 96
"""The number of straight pieces that an ellipse is drawn with."""
DIAGONAL = math.sqrt(0.5)
SIDES: dict[str, tuple[int, int]] = {
    "left": (-1, 0),
    "right": (1, 0),
    "top": (0, -1),
    "bottom": (0, 1),
    "top left": (-1, -1),
    "top right": (1, -1),
    "bottom left": (-1, 1),
    "bottom right": (1, 1),
}
"""Handles of the size, and the directions in which they lie from the centre."""


@dataclass(frozen=True)
class Frame:
    """The axes of a rotated window."""

    center: Point
    rotation: float

    def local(self, at: Point) -> Point:
        """Return a position relative to the centre, along the axes."""
        cos, sin = self._turn
        x, y = at[0] - self.center[0], at[1] - self.center[1]
        return x * cos + y * sin, y * cos - x * sin

    def placed(self, x: float, y: float) -> Point:
        """Return the position of a point given along the axes."""
        cos, sin = self._turn
        return self.center[0] + x * cos - y * sin, self.center[1] + x * sin + y * cos

    def angle(self, at: Point) -> float:
        """Return the direction, in degrees, from the centre to a point, without the rotation."""
        return math.degrees(math.atan2(at[1] - self.center[1], at[0] - self.center[0]))

    @property
    def is_upright(self) -> bool:
        """Whether the axes are those of the image."""
        return abs(between_180(self.rotation * 4.0)) < 1e-6

    @property
    def _turn(self) -> tuple[float, float]:
        return math.cos(math.radians(self.rotation)), math.sin(math.radians(self.rotation))


def ellipse_line(frame: Frame, across: float, down: float, away: float = 0.0) -> Line:
    """Return the polyline at a distance `away` from an ellipse with these radii along the axes, as `Ellipse` has it."""
    angles = (2.0 * math.pi * n / PIECES for n in range(PIECES))
    return [frame.placed(*ellipse_point(across, down, each, away)) for each in angles]


def ellipse_point(across: float, down: float, angle: float, away: float) -> Point:
    """Return a point along the axes at a distance from the outline of an ellipse; `angle` is that of its parameter."""
    cos, sin = math.cos(angle), math.sin(angle)
    grown = 1.0 + away * math.hypot(cos / across, sin / down)
    return across * grown * cos, down * grown * sin


def rectangle_line(frame: Frame, across: float, down: float, radius: float = 0.0) -> Line:
    """Return the polyline of a rectangle with these half sides and a radius of its corners."""
    if radius <= 0.0:
        return [frame.placed(x * across, y * down) for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    radius = min(radius, across, down)
    found: Line = []
    for x, y, first in ((1, 1, 0), (-1, 1, 90), (-1, -1, 180), (1, -1, 270)):
        for step in range(PIECES // 8 + 1):
            angle = math.radians(first + 90.0 * step / (PIECES // 8))
            corner = x * (across - radius), y * (down - radius)
            found.append(frame.placed(corner[0] + radius * math.cos(angle), corner[1] + radius * math.sin(angle)))
    return found


def turned_to(frame: Frame, start: Point, now: Point, held: Held) -> float:
    """Return the rotation after the point under the mouse went around the centre; Shift constrains it to steps."""
    angle = frame.rotation + between_180(frame.angle(now) - frame.angle(start))
    angle = ANGLE_STEP * round(angle / ANGLE_STEP) if held.shift else angle
    return between_180(angle)


def bounds_of(lines: Sequence[Line]) -> tuple[float, float, float, float]:
    """Return the left, top, right and bottom of lines."""
    xs = [x for line in lines for x, _ in line]
    ys = [y for line in lines for _, y in line]
    return min(xs), min(ys), max(xs), max(ys)


def moving_box(bounds: tuple[float, float, float, float]) -> tuple[Sequence[float], Sequence[float]]:
    """Return the coordinates of a box that snap while it is moved: edges and centre."""
    left, top, right, bottom = bounds
    return (left, (left + right) / 2.0, right), (top, (top + bottom) / 2.0, bottom)


def pixels(*values: float) -> str:
    """Return lengths with their unit."""
    return f"{' × '.join(f'{value:.1f}' for value in values)} px"


def place(at: Point) -> str:
    """Return a position with its unit."""
    return f"x {at[0]:.1f}  y {at[1]:.1f} px"


@dataclass(frozen=True)
class CenteredShape:
    """What windows with a centre and a rotation share."""

    source: Ellipse | Rectangle | RadialGradient

    @property
    def frame(self) -> Frame:
        """The axes of the window."""
        return Frame(self.source.center, self.source.rotation)

    @property
    def whole(self) -> Handle:
        """The handle that moves the window."""
        return Handle("center", self.source.center)

    def moved(self, start: Point, now: Point, held: Held, metric: Point) -> MatteSource:
        """Return the window after its centre was dragged; Shift constrains that to one direction."""
        dx, dy = now[0] - start[0], now[1] - start[1]
        dx, dy = constrained_move(dx, dy, metric) if held.shift else (dx, dy)
        return self.source.replace(center=(self.source.center[0] + dx, self.source.center[1] + dy))


@dataclass(frozen=True)
class BoxShape(CenteredShape):
    """An ellipse or a rectangle."""

    source: Ellipse | Rectangle

    def handles(self, metric: Point) -> tuple[Handle, ...]:
        frame, (across, down) = self.frame, self.source.size
        gap_x, gap_y = SOFTNESS_GAP / metric[0], SOFTNESS_GAP / metric[1]
        round_ = isinstance(self.source, Ellipse)
        sides = [(name, side) for name, side in SIDES.items() if not round_ or 0 in side]
        found = [self.whole]
        found += [Handle(name, frame.placed(x * across, y * down)) for name, (x, y) in sides]
        top = down + self.source.softness_out + ROTATION_GAP / metric[1]
        found.append(Handle("rotation", frame.placed(0.0, -top)))
        for name, by, sign in (("softness_out", self.source.softness_out, 1.0), ("softness_in", -self._inside, -1.0)):
            if round_:
                x, y = ellipse_point(across, down, math.pi / 4.0, by)
                x, y = x + sign * DIAGONAL * gap_x, y + sign * DIAGONAL * gap_y
            else:
                x, y = across + by + sign * gap_x, down / 2.0
            found.append(Handle(name, frame.placed(x, y)))
        return tuple(found)

    def outlines(self) -> Outlines:
        soft = tuple(self._line(by) for by in (-self._inside, self.source.softness_out) if by)
        return Outlines((self._line(0.0),), soft)

    def contains(self, at: Point) -> bool:
        x, y = self.frame.local(at)
        across, down = self.source.size
        if isinstance(self.source, Rectangle):
            return bool(abs(x) <= across and abs(y) <= down)
        return bool((x / across) ** 2 + (y / down) ** 2 <= 1.0)

    def bounds(self) -> tuple[float, float, float, float]:
        return bounds_of(self.outlines().core)

    def moving(self, handle: Handle) -> tuple[Sequence[float], Sequence[float]]:
        if handle.name == "center":
            return moving_box(self.bounds())
        if handle.name not in SIDES or not self.frame.is_upright:
            return (), ()
        side = SIDES[handle.name]
        lies = abs(between_180(self.frame.rotation * 2.0)) > 1e-6  # whether it is turned by 90 or -90 degrees
        across, down = (side[1], side[0]) if lies else side
        return ((handle.at[0],) if across else ()), ((handle.at[1],) if down else ())

    def dragged(self, handle: Handle, start: Point, now: Point, held: Held, metric: Point) -> MatteSource:
        source, frame = self.source, self.frame
        if handle.name == "center":
            return self.moved(start, now, held, metric)
        if handle.name == "rotation":
            return source.replace(rotation=turned_to(frame, start, now, held))
        (x0, y0), (x1, y1) = frame.local(start), frame.local(now)
        if handle.name in SIDES:
            return self._resized(SIDES[handle.name], x1 - x0, y1 - y0, held)
        by = x1 - x0
        if isinstance(source, Ellipse):  # along the line from the centre on which the handles are
            across, down = source.size
            (ax, ay), (bx, by_) = (ellipse_point(across, down, math.pi / 4.0, away) for away in (0.0, 1.0))
            step = bx - ax, by_ - ay
            by = ((x1 - x0) * step[0] + (y1 - y0) * step[1]) / (step[0] ** 2 + step[1] ** 2)
        return self._softened(handle.name, by if handle.name == "softness_out" else -by)

    def nudged(self, handle: Handle, dx: float, dy: float) -> MatteSource:
        if handle.name == "rotation":
            return self.source.replace(rotation=between_180(self.source.rotation + dx + dy))
        if handle.name.startswith("softness"):
            return self._softened(handle.name, dx - dy)
        start = handle.at
        if handle.name in SIDES:
            x, y = SIDES[handle.name]
            return self._resized((x, y), dx, dy, Held())
        return self.dragged(handle, start, (start[0] + dx, start[1] + dy), Held(), (1.0, 1.0))

    def readout(self, handle: Handle, began: MatteSource) -> str:
        source = self.source
        if handle.name == "center":
            return place(source.center)
        if handle.name == "rotation":
            return f"rotation {source.rotation:.1f}°"
        if handle.name in SIDES:
            return f"size {pixels(*source.size)}"
        side, value = (
            ("inside", source.softness_in) if handle.name == "softness_in" else ("outside", source.softness_out)
        )
        return f"softness {side} {pixels(value)}"

    @property
    def _inside(self) -> float:
        """How far the softness reaches inside."""
        return float(min(self.source.softness_in, *self.source.size))

    def _line(self, by: float) -> Line:
        across, down = self.source.size
        if isinstance(self.source, Ellipse):
            return ellipse_line(self.frame, across, down, by)
        radius = self.source.roundness * min(across, down)
        return rectangle_line(self.frame, across + by, down + by, max(radius + by, 0.0))

    def _softened(self, name: str, by: float) -> MatteSource:
        value = self._inside if name == "softness_in" else self.source.softness_out
        return self.source.replace(**{name: max(value + by, 0.0)})

    def _resized(self, side: tuple[int, int], dx: float, dy: float, held: Held) -> MatteSource:
        """Return the window with a side or corner moved along the axes; Shift keeps its proportions, Alt the other
        sides where they are."""
        source, share = self.source, 0.5 if held.alt else 1.0
        old = source.size
        new = [max(old[n] + side[n] * (dx, dy)[n] * share, LEAST_RADIUS) if side[n] else old[n] for n in (0, 1)]
        if held.shift and min(old) > 0.0:
            factor = max(new[n] / old[n] for n in (0, 1) if side[n])
            new = [max(each * factor, LEAST_RADIUS) for each in old]
        center = source.center
        if held.alt:
            center = self.frame.placed(*(side[n] * (new[n] - old[n]) for n in (0, 1)))
        return source.replace(center=center, size=(new[0], new[1]))
