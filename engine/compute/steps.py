"""Steps of plans: what a device runs in one go, and which regions and sizes it reads and gives."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from engine.core.geometry import Place, Rect
from engine.core.records import dataclass
from engine.kernel.op import ColorOp, ImageOp
from engine.kernel.soft_taps import soft_reach, soft_taps
from engine.kernel.taps import Size, Taps
from engine.mattes.planes import Plane


class PixelFormat(NamedTuple):
    """The storage of an image: float16 or float32 (uint8 for display), with 3 or 4 channels."""

    dtype: np.dtype[Any]
    channels: int


RGBA = PixelFormat(np.dtype(np.float32), 4)
DISPLAY = PixelFormat(np.dtype(np.uint8), 4)
"""8-bit RGBA for screens: clamped, rounded, with opaque alpha. Only for targets."""


class PixelStep:
    """A step that reads only the pixel that it writes."""

    @property
    def halo(self) -> int:
        return 0

    def result_size(self, source: Size) -> Size:
        return source

    def needs(self, result: Rect, source: Size) -> Rect:
        return result


@dataclass(frozen=True)
class PointStep(PixelStep):
    """Colour ops that run as one fused kernel."""

    ops: tuple[ColorOp, ...]


@dataclass(frozen=True)
class FilterStep:
    """An image op."""

    op: ImageOp

    @property
    def halo(self) -> int:
        return self.op.halo()

    def result_size(self, source: Size) -> Size:
        return self.op.result_size(source)

    def taps(self, source: Size, place: Place) -> tuple[Taps, Taps]:
        """Return the taps of all columns and of all rows of the result, for a source at a place."""
        return self.op.placed_taps(source, place)

    def needs(self, result: Rect, source: Size) -> Rect:
        """Return the region of the source that `result` depends on; at most that, if it depends on the place, too."""
        if self.op.placed:
            halo = self.op.halo()
            x, y, width, height = result.x - halo, result.y - halo, result.width + 2 * halo, result.height + 2 * halo
            return Rect(x, y, width, height).clipped(*source)
        return spanned(self.op.taps(source), result)


@dataclass(frozen=True)
class CropStep:
    """A crop to a part of the image; it costs nothing, since only the needed regions are read."""

    part: Rect

    @property
    def halo(self) -> int:
        return 0

    def result_size(self, source: Size) -> Size:
        return self.part.width, self.part.height

    def needs(self, result: Rect, source: Size) -> Rect:
        return Rect(result.x + self.part.x, result.y + self.part.y, result.width, result.height)


@dataclass(frozen=True)
class SoftStep:
    """A Gaussian that reaches a radius along each axis, in pixels, for mattes: see `engine.kernel.soft_taps`."""

    radius_x: float
    radius_y: float

    @property
    def halo(self) -> int:
        return max(soft_reach(self.radius_x), soft_reach(self.radius_y))

    def result_size(self, source: Size) -> Size:
        return source

    def passes(self, source: Size) -> list[tuple[Taps, Taps]]:
        """Return the taps of all columns and all rows of the result of each pass, in order."""
        columns, rows = soft_taps(self.radius_x, source[0]), soft_taps(self.radius_y, source[1])
        count = max(len(columns), len(rows))
        return list(zip(_filled(columns, count), _filled(rows, count), strict=True))

    def needs(self, result: Rect, source: Size) -> Rect:
        for taps in reversed(self.passes(source)):
            result = spanned(taps, result)
        return result


@dataclass(frozen=True)
class ExtremeStep:
    """The largest (or smallest) value of each channel in a window of `radius` pixels around each pixel."""

    radius_x: int
    radius_y: int
    largest: bool

    @property
    def halo(self) -> int:
        return max(self.radius_x, self.radius_y)

    def result_size(self, source: Size) -> Size:
        return source

    def needs(self, result: Rect, source: Size) -> Rect:
        x, y = self.radius_x, self.radius_y
        return Rect(result.x - x, result.y - y, result.width + 2 * x, result.height + 2 * y).clipped(*source)


@dataclass(frozen=True)
class PlaneStep(PixelStep):
    """Up to four planes of the file, as the channels of an image of the size of the source."""

    planes: tuple[Plane, ...]


Step = PointStep | FilterStep | CropStep | SoftStep | ExtremeStep | PlaneStep


class Stage(NamedTuple):
    """A step with the pixel formats of its source and target."""

    step: PointStep | FilterStep | SoftStep | ExtremeStep
    source: PixelFormat
    target: PixelFormat


def spanned(taps: tuple[Taps, Taps], result: Rect) -> Rect:
    """Return the region of the source that `result` depends on, for the taps of columns and rows."""
    columns, rows = taps
    left, right = columns.span(result.x, result.right)
    top, bottom = rows.span(result.y, result.bottom)
    return Rect(left, top, right - left, bottom - top)


def kept_taps(size: int) -> Taps:
    """Return taps that leave `size` pixels along an axis as they are."""
    ones = np.ones(size, np.int32)
    return Taps(np.arange(size, dtype=np.int32), ones, np.ones((size, 1), np.float32))


def _filled(taps: list[Taps], count: int) -> list[Taps]:
    return [*taps, *[kept_taps(len(taps[-1].first))] * (count - len(taps))]
