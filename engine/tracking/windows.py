"""Windows of mattes as what is tracked: the pixels inside, and the window carried along by a motion."""

from __future__ import annotations

import cmath
import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from engine.core.geometry import Rect
from engine.kernel.pixel import Pixel
from engine.mattes import Ellipse, LinearGradient, MatteSource, Path, RadialGradient, Rectangle
from engine.mattes import window_fields as fields
from engine.mattes.bezier import flattened
from engine.tracking.tracker import Motion, Region

INSIDE = 0.5
"""From this coverage on, a pixel is inside a window."""
MOST_SAMPLES = 1 << 14
"""How many pixels of a window are computed; those of a larger one stand for their neighbours."""
GRADIENT_SHARE = 0.25
"""The least radius of what is followed around a linear gradient, as a share of the shorter side of the frame."""
Point = tuple[float, float]


def can_track(source: MatteSource) -> bool:
    """Return whether a source is a window, which can be tracked."""
    return isinstance(source, Ellipse | Rectangle | Path | LinearGradient | RadialGradient)


def pivot_of(source: MatteSource) -> Point:
    """Return the point about which a window is scaled and turned: its centre."""
    if isinstance(source, Path):
        outline = flattened(source.points)[:, :2]
        return _middle(outline.min(axis=0), outline.max(axis=0))
    if isinstance(source, LinearGradient):
        return _middle(source.start, source.end)
    assert isinstance(source, Ellipse | Rectangle | RadialGradient)
    return float(source.center[0]), float(source.center[1])


def region_of(source: MatteSource, width: int, height: int) -> Region:
    """Return the pixels of a frame inside a window; for a linear gradient, those around it."""
    pivot = pivot_of(source)
    reach_x, reach_y = _reach(source, min(width, height))
    left, top = math.floor(pivot[0] - reach_x), math.floor(pivot[1] - reach_y)
    right, bottom = math.ceil(pivot[0] + reach_x), math.ceil(pivot[1] + reach_y)
    rect = Rect(left, top, right - left, bottom - top).clipped(width, height)
    step = max(math.ceil(math.sqrt(rect.pixels / MOST_SAMPLES)), 1)
    x, y = np.meshgrid(_samples(rect.x, rect.width, step), _samples(rect.y, rect.height, step))
    inside = _inside(source, x, y, reach_x)
    mask = inside.repeat(step, axis=0).repeat(step, axis=1)[: rect.height, : rect.width]
    return Region(rect, mask, pivot)


def carried(source: MatteSource, motion: Motion, position: bool, scale: bool, rotation: bool) -> MatteSource:
    """Return a window after a motion, or after those parts of it that are wanted."""
    shift = complex(motion.dx, motion.dy) if position else 0.0j
    size, angle = motion.scale if scale else 1.0, motion.rotation if rotation else 0.0
    factor, pivot = cmath.rect(size, math.radians(angle)), complex(*pivot_of(source))

    def moved(point: Sequence[float]) -> Point:
        at = pivot + shift + factor * (complex(point[0], point[1]) - pivot)
        return fields.bounded(at.real), fields.bounded(at.imag)

    def arm(x: float, y: float) -> Point:
        at = factor * complex(x, y)
        return fields.bounded(at.real), fields.bounded(at.imag)

    if isinstance(source, Path):
        points = tuple((*moved(point), *arm(*point[2:4]), *arm(*point[4:6])) for point in source.points)
        return source.replace(points=points)
    if isinstance(source, LinearGradient):
        return source.replace(start=moved(source.start), end=moved(source.end))
    if isinstance(source, RadialGradient):
        outer = fields.bounded(source.outer * size, fields.LEAST_RADIUS)
        inner = fields.bounded(source.inner * size, 0.0)
        return source.replace(
            center=moved(source.center), inner=inner, outer=outer, rotation=fields.bounded(source.rotation + angle)
        )
    assert isinstance(source, Ellipse | Rectangle)
    sides = tuple(fields.bounded(side * size, fields.LEAST_RADIUS) for side in source.size)
    return source.replace(center=moved(source.center), size=sides, rotation=fields.bounded(source.rotation + angle))


def _reach(source: MatteSource, shorter: int) -> Point:
    """Return how far a window may reach from its pivot, to each side and up and down."""
    if isinstance(source, Path):
        outline = flattened(source.points)[:, :2]
        across, down = (outline.max(axis=0) - outline.min(axis=0)) / 2.0
        return float(across) + 1.0, float(down) + 1.0
    if isinstance(source, LinearGradient):
        reach = max(math.dist(source.start, source.end) / 2.0, shorter * GRADIENT_SHARE)
    elif isinstance(source, RadialGradient):
        reach = source.outer * max(1.0, source.aspect)
    elif isinstance(source, Ellipse):
        reach = max(source.size)
    else:
        assert isinstance(source, Rectangle)
        reach = math.hypot(*source.size)
    return reach + 1.0, reach + 1.0


def _inside(source: MatteSource, x: NDArray[np.float64], y: NDArray[np.float64], reach: float) -> NDArray[np.bool_]:
    if isinstance(source, LinearGradient):
        middle = pivot_of(source)
        return np.asarray(np.hypot(x - middle[0], y - middle[1]) <= reach)
    with np.errstate(all="ignore"):
        coverage = source.exact().coverage(Pixel(x * 0.0, 0.0, 0.0, 0.0, x, y))
    least = 1e-3 if isinstance(source, RadialGradient) else INSIDE
    return np.broadcast_to(np.asarray(coverage >= least), x.shape)


def _samples(start: int, length: int, step: int) -> NDArray[np.float64]:
    return np.asarray(start + np.arange(0, length, step) + step / 2.0, np.float64)


def _middle(one: Sequence[float], other: Sequence[float]) -> Point:
    return float(one[0] + other[0]) / 2.0, float(one[1] + other[1]) / 2.0
