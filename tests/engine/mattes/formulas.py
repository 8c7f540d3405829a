"""The coverage of every source by formulas of its own, in float64: not in the pixel language, and not the same way.

A formula takes the source and a Scene. A source without one has no tests, and `test_sources` says so.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.mattes.source import MatteSource

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Scene:
    """Pixels: their positions, RGB (n, 3), and the planes (n, planes) of one source."""

    x: Array
    y: Array
    rgb: Array
    planes: Array


Formula = Callable[[Any, Scene], Array]
FORMULAS: dict[str, Formula] = {}


def formula(function: Formula) -> Formula:
    """Register the formula of the source that its name begins with."""
    FORMULAS[function.__name__.removeprefix("_")] = function
    return function


def expected(source: MatteSource, scene: Scene) -> Array:
    """The coverage of each pixel."""
    with np.errstate(all="ignore"):
        return np.broadcast_to(FORMULAS[type(source).__name__](source, scene), scene.x.shape).astype(np.float64)


def cubic(share: Any) -> Array:
    s = np.clip(np.nan_to_num(np.asarray(share, np.float64), nan=0.0), 0.0, 1.0)
    return 3.0 * s**2 - 2.0 * s**3


def line(share: Any) -> Array:
    return np.clip(np.nan_to_num(np.asarray(share, np.float64), nan=0.0), 0.0, 1.0)


def soft_edge(distance: Array, inside: float, outside: float) -> Array:
    """From 1 at `inside` before the outline to 0 at `outside` behind it; at least a pixel wide."""
    more = max(0.0, 1.0 - inside - outside)
    start, end = -inside - more / 2.0, outside + more / 2.0
    return 1.0 - cubic((distance - start) / (end - start))


def turned(scene: Scene, center: Any, degrees: float) -> tuple[Array, Array]:
    """Positions relative to a centre, along turned axes, as complex numbers."""
    z = ((scene.x - center[0]) + 1j * (scene.y - center[1])) * np.exp(-1j * np.radians(degrees))
    return z.real, z.imag


@formula
def Ellipse(source: Any, scene: Scene) -> Array:
    u, v = turned(scene, source.center, source.rotation)
    a, b = source.size
    level = np.sqrt((u / a) ** 2 + (v / b) ** 2)
    gradient = np.sqrt((u / a**2) ** 2 + (v / b**2) ** 2) / np.where(level > 0.0, level, 1.0)
    distance = np.where(level > 0.0, (level - 1.0) / gradient, -min(a, b))
    return soft_edge(distance, min(source.softness_in, a, b), source.softness_out)


@formula
def Rectangle(source: Any, scene: Scene) -> Array:
    u, v = (np.abs(each) for each in turned(scene, source.center, source.rotation))
    a, b = source.size
    radius = source.roundness * min(a, b)
    away = np.hypot(u - np.minimum(u, a - radius), v - np.minimum(v, b - radius)) - radius
    distance = np.where((u > a - radius) & (v > b - radius), away, np.maximum(u - a, v - b))
    return soft_edge(distance, min(source.softness_in, a, b), source.softness_out)


@formula
def Path(source: Any, scene: Scene) -> Array:
    """By the distance to many short lines, and the number of crossings of a ray to the right."""
    if not source.points:
        return np.zeros(scene.x.shape)
    corners = np.concatenate([curve_points(*each) for each in zip(source.points, rolled(source.points), strict=True)])
    nearest, crossings = np.full(scene.x.shape, np.inf), np.zeros(scene.x.shape, int)
    z = scene.x + 1j * scene.y
    for start, end in zip(corners, np.roll(corners, -1), strict=True):
        step = end - start
        share = np.clip(((z - start) * np.conj(step)).real / abs(step) ** 2, 0.0, 1.0) if step else 0.0
        nearest = np.minimum(nearest, np.abs(z - start - share * step))
        if min(start.imag, end.imag) < max(start.imag, end.imag):
            hit = start.real + (scene.y - start.imag) / (end.imag - start.imag) * (end.real - start.real)
            between = (scene.y >= min(start.imag, end.imag)) & (scene.y < max(start.imag, end.imag))
            crossings += between & (hit > scene.x)
    signed = np.where(crossings % 2, -nearest, nearest)
    return soft_edge(signed, source.softness_in, source.softness_out) * (len(set(corners.tolist())) > 2)


def rolled(points: Any) -> Any:
    return (*points[1:], points[0])


def curve_points(first: Any, second: Any, count: int = 150) -> Array:
    """Points of a cubic as complex numbers, by de Casteljau's construction; the start alone of a straight line."""
    p0, p3 = complex(*first[:2]), complex(*second[:2])
    p1, p2 = p0 + complex(*first[4:]), p3 + complex(*second[2:4])
    if p0 == p1 and p2 == p3:
        return np.array([p0])
    t = np.arange(count) / count
    row = [np.full(count, p) for p in (p0, p1, p2, p3)]
    while len(row) > 1:
        row = [a + (b - a) * t for a, b in pairwise(row)]
    return row[0]


@formula
def LinearGradient(source: Any, scene: Scene) -> Array:
    start, end = complex(*source.start), complex(*source.end)
    step = (end - start) if end != start else 1.0
    step *= max(1.0, 2.0 / abs(step))
    share = (((scene.x + 1j * scene.y) - start) / step).real
    return cubic(1.0 - share) if source.falloff == "smooth" else line(1.0 - share)


@formula
def RadialGradient(source: Any, scene: Scene) -> Array:
    u, v = turned(scene, source.center, source.rotation)
    share = (source.outer - np.hypot(u, v / source.aspect)) / max(source.outer - source.inner, 1.0)
    return cubic(share) if source.falloff == "smooth" else line(share)


def acescct(x: Array) -> Array:
    """S-2016-001, 4.4.1."""
    return np.where(x <= 0.0078125, 10.5402377416545 * x + 0.0729055341958355, (np.log2(x) + 9.72) / 17.52)


def luma(rgb: Array) -> Array:
    return rgb @ np.array([0.2126, 0.7152, 0.0722])


def coded(rgb: Array, encoding: str) -> Array:
    return acescct(rgb) if encoding == "log" else rgb


@formula
def HslQualifier(source: Any, scene: Scene) -> Array:
    rgb = np.clip(scene.rgb, -65504.0, 65504.0)
    known = ~np.isnan(rgb).any(axis=-1)
    values = coded(rgb, source.encoding)
    wheel = np.exp(2j * np.pi * np.arange(3) / 3.0)
    center, width, soft = source.hue
    away = np.degrees(np.abs(np.angle((values @ wheel) * np.exp(-1j * np.radians(center)))))
    soft = max(soft, 1.0)
    of_hue, least = cubic(1.0 - (away - width / 2.0) / soft), cubic(1.0 - (180.0 - width / 2.0) / soft)
    saturation = np.minimum(np.ptp(values, axis=-1) / np.maximum(values.max(axis=-1), 1e-4), 1.0)
    colourful = cubic(saturation / 0.02)
    brightness = luma(values) if source.encoding == "log" else acescct(luma(rgb))
    covered = (of_hue * colourful + least * (1.0 - colourful)) * known
    for value, (low, high, below, above), end in ((saturation, source.saturation, 1.0), (brightness, source.luma, 1.5)):
        rising = cubic(1.0 + (value - float(np.float32(low))) / max(below, 0.01)) if low > 0.0 else 1.0
        falling = cubic(1.0 + (float(np.float32(high)) - value) / max(above, 0.01)) if high < end else 1.0
        covered = covered * np.minimum(rising, falling)
    return np.nan_to_num(covered)


@formula
def Key3d(source: Any, scene: Scene) -> Array:
    rgb = coded(np.clip(scene.rgb, -65504.0, 65504.0), source.encoding)
    basis = np.linalg.qr(np.column_stack([np.ones(3), [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]))[0]
    basis = basis / np.array([source.reach, 1.0, 1.0])

    def near(samples: Any) -> Array:
        if not samples:
            return np.zeros(scene.x.shape)
        away = (rgb[..., None, :] - coded(np.array(samples), source.encoding)) @ basis
        distance = np.linalg.norm(away, axis=-1).min(axis=-1)
        return cubic(1.0 - (distance - source.tolerance) / max(source.softness, 0.01))

    return np.minimum(near(source.added), 1.0 - near(source.removed)) * ~np.isnan(rgb).any(axis=-1)


def in_range(values: Array, low: float, high: float, below: float, above: float, side: str, shape: Any) -> Array:
    """Ends are float32 numbers, and a hard end is inside."""
    low, high = float(np.float32(low)), float(np.float32(high))
    rising = shape(1.0 + (values - low) / below) if below > 0.0 else (values >= low).astype(float)
    falling = shape(1.0 + (high - values) / above) if above > 0.0 else (values <= high).astype(float)
    return {"above": rising, "below": falling, "between": np.minimum(rising, falling)}[side] * ~np.isnan(values)


@formula
def ChannelRange(source: Any, scene: Scene) -> Array:
    shape = cubic if source.falloff == "smooth" else line
    ends = source.low, source.high, source.soft_low, source.soft_high
    return in_range(scene.planes[:, 0], *ends, source.side, shape)


@formula
def LumaRange(source: Any, scene: Scene) -> Array:
    shape = cubic if source.falloff == "smooth" else line
    ends = source.low, source.high, source.soft_low, source.soft_high
    return in_range(luma(scene.planes), *ends, source.side, shape)


@formula
def DepthRange(source: Any, scene: Scene) -> Array:
    side = {"between": "between", "beyond": "above", "before": "below"}[source.side]
    ends = source.near, source.far, source.falloff_near, source.falloff_far
    return in_range(scene.planes[:, 0], *ends, side, cubic)


@formula
def PositionBox(source: Any, scene: Scene) -> Array:
    """Turned back around z, y, x by rotations of pairs of coordinates."""
    at = [scene.planes[:, n] - source.center[n] for n in range(3)]
    for axis in (2, 1, 0):
        first, second = (axis + 1) % 3, (axis + 2) % 3
        z = (at[first] + 1j * at[second]) * np.exp(-1j * np.radians(source.rotation[axis]))
        at[first], at[second] = z.real, z.imag
    outside = np.linalg.norm([np.maximum(np.abs(a) - h, 0.0) for a, h in zip(at, source.size, strict=True)], axis=0)
    reach = np.linalg.norm(source.size) + source.softness
    return cubic(1.0 - outside / max(source.softness, reach * 2.0**-14)) * np.isfinite(scene.planes).all(axis=-1)


@formula
def PositionSphere(source: Any, scene: Scene) -> Array:
    outside = np.linalg.norm(scene.planes - np.array(source.center), axis=-1) - source.radius
    soft = max(source.softness, (source.radius + source.softness) * 2.0**-14)
    return cubic(1.0 - outside / soft) * np.isfinite(scene.planes).all(axis=-1)


@formula
def NormalFacing(source: Any, scene: Scene) -> Array:
    normal = np.clip(scene.planes, -1e15, 1e15)
    length = np.linalg.norm(normal, axis=-1)
    wanted = np.array(source.direction) / np.linalg.norm(source.direction)
    angle = np.degrees(np.arccos(np.clip((normal @ wanted) / length, -1.0, 1.0)))
    return cubic(1.0 - (angle - source.angle) / max(source.softness, 2.0)) * (length > 1e-12)


def plane(source: Any, scene: Scene) -> Array:
    """The only plane, clamped."""
    return line(scene.planes[:, 0])


FORMULAS |= dict.fromkeys(("ObjectIds", "Cryptomatte", "ImageMatte"), plane)
