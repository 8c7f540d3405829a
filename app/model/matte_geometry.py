"""What windows of mattes share on the canvas: where pixels are on it, handles, hit tests, and snapping.

Positions of an image are in pixels of its display window at level 0, from its top left corner. Positions on the canvas
are in its logical pixels.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Protocol

from app.model.matte_paths import Point, distance_to_line
from app.model.viewport import Box, Viewport
from engine.core.records import dataclass
from engine.mattes.source import MatteSource

REACH = 8.0
"""The distance within which a press grabs a handle or a line, in logical pixels."""
SNAP_REACH = 7.0
"""The distance within which a dragged edge or point snaps, in logical pixels."""
HANDICAP = 3.0
"""How much farther the middle of a window counts than its other handles, in logical pixels."""
WHOLE = ("center", "whole")
"""The handles that move a window."""
ANGLE_STEP = 15.0
"""The angles, in degrees, that a rotation is constrained to multiples of."""
NUDGE, LARGE_NUDGE = 1.0, 10.0
"""What an arrow key moves by without and with Shift: in pixels, or in degrees."""
Line = list[Point]


@dataclass(frozen=True)
class Mapping:
    """Where the display window lies on the canvas: its top left corner, and logical pixels per pixel of the image."""

    left: float
    top: float
    across: float
    down: float

    @classmethod
    def of(cls, viewport: Viewport, ratio: float) -> Mapping:
        """Return the mapping of a viewport with `ratio` device pixels per logical pixel."""
        left, top = viewport.on_screen(viewport.display)[:2]
        return cls(left / ratio, top / ratio, viewport.across / ratio, viewport.scale / ratio)

    def in_half(self, frame: Box, right: bool) -> Mapping:
        """Return the mapping where both eyes are at half size, each in one half of a `frame` on the canvas."""
        x, y, width, height = frame
        left = x + (self.left - x) / 2.0 + (width / 2.0 if right else 0.0)
        return Mapping(left, y + height / 4.0 + (self.top - y) / 2.0, self.across / 2.0, self.down / 2.0)

    @property
    def metric(self) -> Point:
        """Logical pixels per pixel of the image, across and down."""
        return self.across, self.down

    def on_canvas(self, at: Point) -> Point:
        """Return the position on the canvas of a position of the image."""
        return self.left + at[0] * self.across, self.top + at[1] * self.down

    def on_image(self, at: Point) -> Point:
        """Return the position of the image at a position on the canvas."""
        return (at[0] - self.left) / self.across, (at[1] - self.top) / self.down


@dataclass(frozen=True)
class Handle:
    """Something that can be dragged: its name, where it is, and for paths the index of its vertex."""

    name: str
    at: Point
    index: int = 0

    @property
    def key(self) -> tuple[str, int]:
        """What stays the same while the handle moves."""
        return self.name, self.index


@dataclass(frozen=True)
class Held:
    """The keys held during a drag: Shift constrains it; Alt moves one side, or one Bezier handle, alone."""

    shift: bool = False
    alt: bool = False


@dataclass(frozen=True)
class Outlines:
    """The lines that show a window. `core` is the shape, `soft` the ends of its softness; each closed or not."""

    core: tuple[Line, ...]
    soft: tuple[Line, ...] = ()
    closed: bool = True


class Shape(Protocol):
    """A window of a matte that can be edited on the canvas. Every edit returns another source."""

    @property
    def whole(self) -> Handle:
        """The handle that moves the window."""

    @property
    def source(self) -> MatteSource:
        """The window."""

    def handles(self, metric: Point) -> tuple[Handle, ...]:
        """Return the handles, in the order of the keyboard; `metric` is that of a `Mapping`."""

    def outlines(self) -> Outlines:
        """Return the lines to draw."""

    def contains(self, at: Point) -> bool:
        """Return whether a press at a point moves the window."""

    def bounds(self) -> tuple[float, float, float, float]:
        """Return the left, top, right and bottom."""

    def moving(self, handle: Handle) -> tuple[Sequence[float], Sequence[float]]:
        """Return the x and the y coordinates that move with a handle and can snap."""

    def dragged(self, handle: Handle, start: Point, now: Point, held: Held, metric: Point) -> MatteSource:
        """Return the window after a drag of a handle from a point to another."""

    def nudged(self, handle: Handle, dx: float, dy: float) -> MatteSource:
        """Return the window after arrow keys have moved a handle."""

    def readout(self, handle: Handle, began: MatteSource) -> str:
        """Return the numbers that a drag of a handle changes, with their units; `began` is the window before it."""


def hit(handles: Iterable[Handle], at: Point, mapping: Mapping, reach: float = REACH) -> Handle | None:
    """Return the handle that is nearest to a position on the canvas, within `reach`; the later of two equal ones.

    The handles of WHOLE count as HANDICAP farther, so that they hide no others of a window that is small on the screen.
    """
    best, found = reach, None
    for handle in handles:
        away = math.dist(mapping.on_canvas(handle.at), at) + (HANDICAP if handle.name in WHOLE else 0.0)
        if away <= best:
            best, found = away, handle
    return found


def distance_to(lines: Iterable[Line], closed: bool, at: Point, mapping: Mapping) -> float:
    """Return the distance, in logical pixels, from a position on the canvas to the nearest of some lines."""
    best = math.inf
    for line in lines:
        on_canvas = [mapping.on_canvas(point) for point in line]
        ends = on_canvas[1:] + (on_canvas[:1] if closed else [])
        away = (distance_to_line(at, start, end)[0] for start, end in zip(on_canvas, ends, strict=False))
        best = min(best, *away, math.inf)
    return best


def constrained_move(dx: float, dy: float, metric: Point) -> Point:
    """Return a movement along one axis: the one on which it is longer on the screen."""
    return (dx, 0.0) if abs(dx) * metric[0] >= abs(dy) * metric[1] else (0.0, dy)


def constrained_direction(start: Point, now: Point, metric: Point) -> Point:
    """Return the point nearest to `now` whose direction from `start` is a multiple of ANGLE_STEP on the screen."""
    x, y = (now[0] - start[0]) * metric[0], (now[1] - start[1]) * metric[1]
    angle = math.radians(ANGLE_STEP * round(math.degrees(math.atan2(y, x)) / ANGLE_STEP))
    length = x * math.cos(angle) + y * math.sin(angle)
    return start[0] + length * math.cos(angle) / metric[0], start[1] + length * math.sin(angle) / metric[1]


def between_180(degrees: float) -> float:
    """Return the same direction as an angle from -180 (excluded) to 180 degrees."""
    return 180.0 - (180.0 - degrees) % 360.0


@dataclass(frozen=True)
class SnapLines:
    """The x and y coordinates that dragged windows snap to."""

    xs: tuple[float, ...] = ()
    ys: tuple[float, ...] = ()

    @classmethod
    def of(cls, width: float, height: float, others: Iterable[Shape]) -> SnapLines:
        """Return the edges, thirds and centre of a display window, and the edges and centres of other windows."""
        xs = [width * share for share in (0.0, 1.0 / 3.0, 0.5, 2.0 / 3.0, 1.0)]
        ys = [height * share for share in (0.0, 1.0 / 3.0, 0.5, 2.0 / 3.0, 1.0)]
        for shape in others:
            left, top, right, bottom = shape.bounds()
            xs += [left, (left + right) / 2.0, right]
            ys += [top, (top + bottom) / 2.0, bottom]
        return cls(tuple(xs), tuple(ys))


@dataclass(frozen=True)
class Snapped:
    """A movement after snapping, and the lines that it snapped to; None where it did not."""

    dx: float
    dy: float
    x: float | None = None
    y: float | None = None


def snapped(moving: tuple[Sequence[float], Sequence[float]], moved: Point, lines: SnapLines, metric: Point) -> Snapped:
    """Return a movement by which one of the `moving` coordinates lies on a line, if that is near enough."""
    dx, x = _snapped(moving[0], moved[0], lines.xs, SNAP_REACH / metric[0])
    dy, y = _snapped(moving[1], moved[1], lines.ys, SNAP_REACH / metric[1])
    return Snapped(dx, dy, x, y)


def _snapped(moving: Sequence[float], by: float, lines: Sequence[float], reach: float) -> tuple[float, float | None]:
    pairs = [(abs(line - place - by), line - place, line) for line in lines for place in moving]
    away, to, line = min(pairs, default=(math.inf, by, 0.0))
    return (to, line) if away <= reach else (by, None)
