"""What windows share: their sliders, their axes, and how they change with the size of the display window."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from engine.kernel.op import ColorOp, Numbers, slider
from engine.mattes import checks

Point: TypeAlias = tuple[float, float]

LEAST_RADIUS = 0.5
"""The least half width of a window: a pixel wide."""
CENTER = (960.0, 540.0)
"""The default position: the middle of a frame of 1920 x 1080."""


def position(default: Point, text: str) -> Numbers:
    """Define a slider of x and y."""
    return slider(default, -32768.0, 65536.0, "px", None, text, (0.0, 4096.0))


def length(default: Any, text: str, least: float = 0.0, shown: float = 2048.0) -> Any:
    """Define a slider of a length, or of several."""
    return slider(default, least, 32768.0, "px", least, text, (least, shown))


def softness(side: str) -> Any:
    """Define a slider of the softness on one side of the outline."""
    return length(0.0, f"Width of the soft edge {side} the outline; 0 is antialiased only", shown=200.0)


def angle() -> Any:
    """Define a slider of the rotation."""
    return slider(0.0, -180.0, 180.0, "°", None, "Turns the shape clockwise")


def turned(rotation: float, across: float = 1.0, down: float = 1.0) -> tuple[Point, Point]:
    """Return the axes of a shape turned by `rotation` degrees, divided by its radii."""
    cos, sin = _cos_sin(rotation)
    return (cos / across, sin / across), (-sin / down, cos / down)


def quarter(width: float, height: float) -> dict[str, Point]:
    """Return the fields of a window in the middle that covers a quarter of a frame."""
    size = max(width / 4.0, LEAST_RADIUS), max(height / 4.0, LEAST_RADIUS)
    return {"center": (width / 2.0, height / 2.0), "size": size}


def scaled_point(point: Sequence[float], x: float, y: float) -> Point:
    """Return a position in a display window that is `x` times as wide and `y` times as high."""
    return bounded(point[0] * x), bounded(point[1] * y)


def scaled_lengths(source: ColorOp, x: float, y: float, *names: str) -> dict[str, float]:
    """Return the lengths in fields of a source, scaled by the mean of both factors."""
    return {name: bounded(getattr(source, name) * math.sqrt(x * y), 0.0) for name in names}


def scaled_ellipse(rotation: float, size: Sequence[float], x: float, y: float) -> tuple[float, Point]:
    """Return the rotation and the radii of the ellipse that a scaled ellipse is."""
    if math.isclose(x, y):
        return rotation, (bounded(size[0] * x, LEAST_RADIUS), bounded(size[1] * y, LEAST_RADIUS))
    cos, sin = _cos_sin(rotation)
    semi_axes = np.array([[cos * size[0] * x, -sin * size[1] * x], [sin * size[0] * y, cos * size[1] * y]])
    directions, radii, _ = np.linalg.svd(semi_axes)
    first = int(abs(directions[:, 1] @ semi_axes[:, 0]) > abs(directions[:, 0] @ semi_axes[:, 0]))
    along = directions[:, first] * (1.0 if directions[:, first] @ semi_axes[:, 0] >= 0.0 else -1.0)
    across, down = float(radii[first]), float(radii[1 - first])
    return math.degrees(math.atan2(along[1], along[0])), (bounded(across, LEAST_RADIUS), bounded(down, LEAST_RADIUS))


def scaled_rectangle(rotation: float, size: Sequence[float], x: float, y: float) -> tuple[float, Point]:
    """Return the rotation and the half sides of a scaled rectangle that keeps the direction of its width."""
    if math.isclose(x, y):
        return rotation, (bounded(size[0] * x, LEAST_RADIUS), bounded(size[1] * y, LEAST_RADIUS))
    (ux, uy), (vx, vy) = turned(rotation)
    across, down = size[0] * math.hypot(ux * x, uy * y), size[1] * math.hypot(vx * x, vy * y)
    return math.degrees(math.atan2(uy * y, ux * x)), (bounded(across, LEAST_RADIUS), bounded(down, LEAST_RADIUS))


def bounded(value: float, least: float = -checks.FARTHEST) -> float:
    """Return a number that a position or a length can have."""
    return float(min(max(value, least), checks.FARTHEST))


def _cos_sin(degrees: float) -> Point:
    """Return the cosine and the sine, exact for right angles."""
    quarters, rest = divmod(degrees, 90.0)
    cos, sin = math.cos(math.radians(rest)), math.sin(math.radians(rest))
    return ((cos, sin), (-sin, cos), (-cos, -sin), (sin, -cos))[int(quarters % 4.0)]
