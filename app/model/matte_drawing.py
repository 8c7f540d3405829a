"""New windows of mattes, from what is drawn on the canvas."""

from __future__ import annotations

import math
from functools import lru_cache

from app.model.matte_geometry import Held, Shape, constrained_direction
from app.model.matte_gradients import LinearShape, RadialShape
from app.model.matte_path_shape import PathShape
from app.model.matte_paths import Point, Vertices, corner
from app.model.matte_shapes import BoxShape
from app.model.viewport import Box
from engine.mattes.source import SOURCES, MatteSource
from engine.mattes.window_fields import LEAST_RADIUS
from engine.mattes.windows import Ellipse, LinearGradient, Path, RadialGradient, Rectangle

WINDOWS = (Ellipse, Rectangle, Path, LinearGradient, RadialGradient)
"""The sources that can be drawn on the canvas."""
SHARE = 0.25
"""The half height of a window made without a drag, as a share of the height that is visible."""


@lru_cache(maxsize=16)
def shape_of(source: MatteSource | None, chosen: int = -1) -> Shape | None:
    """Return a window as it can be edited on the canvas; None for other sources. `chosen` is the vertex of a path."""
    if isinstance(source, Path):
        return PathShape(source, chosen) if source.points else None
    if isinstance(source, LinearGradient):
        return LinearShape(source)
    if isinstance(source, RadialGradient):
        return RadialShape(source)
    return BoxShape(source) if isinstance(source, Ellipse | Rectangle) else None


def drawn(name: str, start: Point, now: Point, held: Held, metric: Point) -> MatteSource:
    """Return a window, but no path, drawn by a drag: a box from corner to corner, or a gradient from start to end.

    Shift makes a box as wide as high on the screen, and constrains the direction of a gradient; Alt draws a box from
    its centre. `metric` is that of a `Mapping`.
    """
    cls = SOURCES[name]
    if cls is LinearGradient:
        return cls(start=start, end=constrained_direction(start, now, metric) if held.shift else now)
    across, down = abs(now[0] - start[0]), abs(now[1] - start[1])
    if cls is RadialGradient:
        outer = max(math.hypot(across, down * metric[1] / metric[0]), LEAST_RADIUS)
        return cls(center=start, outer=outer, aspect=metric[0] / metric[1])
    if held.shift:
        side = max(across * metric[0], down * metric[1])
        across, down = side / metric[0], side / metric[1]
    size = max(across, LEAST_RADIUS), max(down, LEAST_RADIUS)
    if held.alt:
        return cls(center=start, size=size)
    signs = math.copysign(1.0, now[0] - start[0]), math.copysign(1.0, now[1] - start[1])
    center = start[0] + signs[0] * across / 2.0, start[1] + signs[1] * down / 2.0
    return cls(center=center, size=(max(across / 2.0, LEAST_RADIUS), max(down / 2.0, LEAST_RADIUS)))


def in_middle(name: str, visible: Box, metric: Point) -> MatteSource:
    """Return a window in the middle of the visible part of the image (x, y, width and height)."""
    middle = visible[0] + visible[2] / 2.0, visible[1] + visible[3] / 2.0
    return around(name, middle, visible[3] * SHARE, metric)


def around(name: str, middle: Point, half: float, metric: Point) -> MatteSource:
    """Return a window of a usual size around a point: as wide as high on the screen, `half` pixels to each side."""
    x, y = middle
    wide = half * metric[1] / metric[0]
    if SOURCES[name] is Path:
        corners = ((x - wide, y - half), (x + wide, y - half), (x + wide, y + half), (x - wide, y + half))
        return closed(tuple(corner(*each) for each in corners))
    if SOURCES[name] is LinearGradient:
        return LinearGradient(start=(x, y - half), end=(x, y + half))
    if SOURCES[name] is RadialGradient:
        return drawn(name, middle, (x + wide, y), Held(), metric)
    return drawn(name, middle, (x + wide, y + half), Held(alt=True), metric)


def closed(points: Vertices) -> MatteSource:
    """Return the path with these vertices."""
    return Path(points=points)
