"""Grades with mattes in float64 by plain NumPy, without plans, tiles and kernels: what every backend must give.

Colour ops, sources and filters have references of their own; this module is the reference of how they are put together:
trees, growth, feather, shape, blending, groups, resizing, mip levels.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.compute.backends.base import GpuPrimitives, ImageHandle
from engine.compute.plan import CropStep
from engine.core.geometry import Place, Rect
from engine.grade.blending import Mix
from engine.grade.masking import Blend, Masked, fitted
from engine.kernel.op import ColorOp, ImageOp, Op
from engine.kernel.soft_taps import soft_taps
from engine.kernel.taps import Taps
from engine.mattes.coverage import Cover
from engine.mattes.planes import Plane
from engine.mattes.tree import MOST_PIXELS, Branch, Matte, Node

Array = NDArray[np.float64]
Planes = Mapping[Plane, NDArray[Any]]


@dataclass(frozen=True)
class _Scene:
    """What mattes see at a point of a grade: the image before the first op, the planes, where their pixels are, and the
    pixels along x and y for each pixel before the first op."""

    source: Array
    planes: dict[Plane, Array]
    place: Place
    ratio: tuple[float, float] = (1.0, 1.0)


class ArrayPlanes:
    """A source of planes for the executor: arrays (height, width) by plane. `reads` counts what was asked for."""

    def __init__(self, planes: Planes, fixed_bytes: int = 0) -> None:
        self.planes = {plane: np.asarray(values, np.float32) for plane, values in planes.items()}
        self.fixed_bytes = fixed_bytes
        self.reads: list[Rect] = []

    def handles(self, primitives: GpuPrimitives, planes: tuple[Plane, ...], rect: Rect) -> list[ImageHandle]:
        self.reads.append(rect)
        rows, columns = rect.within(Rect(0, 0, 1 << 30, 1 << 30))
        found = []
        for start in range(0, len(planes), 4):
            image = np.full((rect.height, rect.width, 4), np.nan, np.float32)
            for channel, plane in enumerate(planes[start : start + 4]):
                image[..., channel] = self.planes[plane][rows, columns]
            found.append(primitives.upload(image))
        return found


def graded(
    rgba: Array,
    ops: Iterable[Op | CropStep],
    place: Place | None = None,
    planes: Planes | None = None,
    frame: tuple[int, int] = (0, 0),
) -> Array:
    """Return an image (height, width, 4) after the ops of a grade, in float64."""
    image = np.asarray(rgba, np.float64)
    exact = {plane: np.asarray(values, np.float32).astype(np.float64) for plane, values in (planes or {}).items()}
    with np.errstate(all="ignore"):
        return _after(image, fitted(ops, frame), _Scene(image, exact, place or Place()))[0]


def matte_coverage(
    matte: Matte, rgba: Array, place: Place | None = None, planes: Planes | None = None, scale: float = 1.0
) -> Array:
    """Return the coverage of a matte (height, width), as the matte of the first entry of a grade has it."""
    image = np.asarray(rgba, np.float64)
    exact = {plane: np.asarray(values, np.float64) for plane, values in (planes or {}).items()}
    with np.errstate(all="ignore"):
        return _shaped(Cover(matte), image, _Scene(image, exact, place or Place()), scale)


def _after(image: Array, ops: Iterable[Any], scene: _Scene) -> tuple[Array, _Scene]:
    for op in ops:
        if isinstance(op, Mix | Masked | Blend):
            result, _ = _after(image, op.ops, scene)
            weight = np.full(image.shape[:2], op.amount)
            cover = getattr(op, "cover", None)
            if cover is not None:
                weight = op.amount * _shaped(cover, image, scene, op.scale)
            image = _blend(image, result, weight[..., None], isinstance(op, Mix))
        elif isinstance(op, ColorOp):
            image = op.reference(image)
        else:
            image, scene = _moved(image, op, scene)
    return image, scene


def _blend(before: Array, after: Array, weight: Array, mixed: bool) -> Array:
    mean = before * (1.0 - weight) + after * weight
    same = (before == after).all(axis=(0, 1)) if mixed else np.zeros(4, bool)
    mean[..., same] = before[..., same]
    return mean if mixed else np.where(weight <= 0.0, before, np.where(weight >= 1.0, after, mean))


def _moved(image: Array, op: Any, scene: _Scene) -> tuple[Array, _Scene]:
    """Return the image after a filter or a crop, and what mattes see after it."""
    height, width = image.shape[:2]
    if isinstance(op, CropStep):
        part = op.part.within(Rect(0, 0, width, height))
        planes = {plane: values[part] for plane, values in scene.planes.items()}
        place = scene.place.part(op.part.x, op.part.y)
        return image[part], _Scene(scene.source[part], planes, place, scene.ratio)
    assert isinstance(op, ImageOp)
    taps = op.taps((width, height))
    result = _filtered(image, *taps)
    if result.shape == image.shape:
        return result, scene
    x, y = width / result.shape[1], height / result.shape[0]
    planes = {plane: _filtered(values[..., None], *taps)[..., 0] for plane, values in scene.planes.items()}
    place = scene.place
    left, top = place.x + place.column * place.step_x, place.y + place.row * place.step_y
    moved = Place(left, top, place.step_x * x, place.step_y * y)
    return result, _Scene(_filtered(scene.source, *taps), planes, moved, (scene.ratio[0] / x, scene.ratio[1] / y))


def _shaped(cover: Cover, entry: Array, scene: _Scene, scale: float) -> Array:
    """Return the coverage of a matte after growth, feather, gain, gamma and inversion."""
    matte, scales = cover.matte, [scale * ratio for ratio in scene.ratio]
    keyed = replace(scene, source=_converted(scene.source, cover.source))
    covered = _tree(matte.root, _converted(entry, cover.entry), keyed, scales)
    if matte.grow:
        covered = _grown(covered, [min(abs(matte.grow) * each, MOST_PIXELS) for each in scales], matte.grow > 0.0)
    if matte.feather:
        covered = _softened(covered, [min(matte.feather * each, MOST_PIXELS) for each in scales])
    shaped = np.clip(matte.gain * covered, 0.0, 1.0) ** (1.0 / matte.gamma)
    return 1.0 - shaped if matte.inverted else shaped


def _converted(image: Array, ops: Sequence[ColorOp]) -> Array:
    for op in ops:
        image = op.reference(image)
    return image


def _tree(node: Node, entry: Array, scene: _Scene, scales: list[float]) -> Array:
    covered = np.zeros(entry.shape[:2])
    if not node.enabled:
        return covered
    if isinstance(node, Branch):
        parts = [_tree(each, entry, scene, scales) for each in node.nodes if each.enabled]
        if parts and node.mode == "union":
            covered = np.max(parts, axis=0)
        elif parts and node.mode == "intersection":
            covered = np.min(parts, axis=0)
        elif parts:
            covered = np.min([parts[0], *(1.0 - part for part in parts[1:])], axis=0)
    else:
        source = node.source
        pixels = scene.source if source.reads == "source" else entry
        planes = np.stack([scene.planes[plane] for plane in source.planes], axis=-1) if source.planes else None
        covered = np.broadcast_to(source.reference(pixels, scene.place, planes)[..., 0], covered.shape)
        if source.denoise:
            covered = _softened(covered, [min(source.denoise * each, MOST_PIXELS) for each in scales])
    covered = 1.0 - covered if node.inverted else covered
    return np.asarray(covered * node.opacity)


def _grown(covered: Array, radii: list[float], largest: bool) -> Array:
    """Return the extremes of a window; a fraction of a pixel is the mean of the extremes of two windows."""
    whole = [math.floor(radius) for radius in radii]
    share = sum(radius - below for radius, below in zip(radii, whole, strict=True)) / 2.0
    one, other = (_extreme(covered, [each + more for each in whole], largest) for more in (0, 1))
    return one * (1.0 - share) + other * share


def _extreme(covered: Array, radii: Sequence[int], largest: bool) -> Array:
    for axis, radius in zip((1, 0), radii, strict=True):
        edge = [(radius, radius) if each == axis else (0, 0) for each in (0, 1)]
        windows = np.lib.stride_tricks.sliding_window_view(np.pad(covered, edge, "edge"), 2 * radius + 1, axis=axis)
        covered = windows.max(axis=-1) if largest else windows.min(axis=-1)
    return covered


def _softened(covered: Array, radii: Sequence[float]) -> Array:
    height, width = covered.shape
    for taps in soft_taps(radii[0], width):
        covered = _along(covered, taps)
    for taps in soft_taps(radii[1], height):
        covered = _along(covered.T, taps).T
    return covered


def _filtered(image: Array, columns: Taps, rows: Taps) -> Array:
    return np.stack([_along(_along(image[..., c].T, rows).T, columns) for c in range(image.shape[2])], axis=-1)


def _along(lines: Array, taps: Taps) -> Array:
    """Return weighted sums along each line of (lines, pixels)."""
    counted = np.arange(taps.weights.shape[1]) < taps.count[:, None]
    at = np.minimum(taps.first[:, None] + np.arange(taps.weights.shape[1]), lines.shape[1] - 1)
    weights = np.where(counted, taps.weights.astype(np.float64), 0.0)
    return np.asarray((np.where(counted, lines[:, at], 0.0) * weights).sum(axis=-1))
