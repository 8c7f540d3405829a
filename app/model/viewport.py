"""The position of an image on the screen: zoom, pan and the region to render, in device pixels."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import NamedTuple

from engine.core.records import dataclass

MIN_SCALE, MAX_SCALE = 1.0 / 256.0, 256.0
Box = tuple[float, float, float, float]
"""x, y, width and height."""


VALUES_SCALE = 64.0
"""The width in device-independent pixels from which an image pixel is large enough to show its values."""


class Placement(NamedTuple):
    """A rectangle in device pixels and the region of the image that it shows, in source pixels."""

    left: int
    top: int
    width: int
    height: int
    region: Box


@dataclass(frozen=True)
class Viewport:
    """An image of `image_width` x `image_height` in a window of `width` x `height` device pixels.

    `scale` is device pixels per source pixel vertically; horizontally it is multiplied by `aspect`. The image's first
    pixel starts at (`left`, `top`). `fitted` viewports follow the window's size. `display_window` is in source pixels,
    relative to the first one; None if it equals the data window.
    """

    width: int
    height: int
    image_width: int
    image_height: int
    aspect: float = 1.0
    scale: float = 1.0
    left: float = 0.0
    top: float = 0.0
    fitted: bool = True
    display_window: Box | None = None

    @property
    def data(self) -> Box:
        """The data window, in source pixels."""
        return 0.0, 0.0, float(self.image_width), float(self.image_height)

    @property
    def display(self) -> Box:
        """The display window, in source pixels."""
        return self.display_window or self.data

    @property
    def fits(self) -> Box:
        """The box to fit, in source pixels: the bounding box of data and display window."""
        data, display = self.data, self.display
        left, top = min(data[0], display[0]), min(data[1], display[1])
        right, bottom = (max(data[n] + data[n + 2], display[n] + display[n + 2]) for n in (0, 1))
        return left, top, right - left, bottom - top

    @property
    def across(self) -> float:
        """Device pixels per source pixel, horizontally."""
        return self.scale * self.aspect

    def fit(self, margin: int = 0) -> Viewport:
        """Return a viewport that shows all of `fits`, centred, `margin` device pixels from the nearer edges."""
        width, height = max(1, self.width - 2 * margin), max(1, self.height - 2 * margin)
        scale = min(width / (self.fits[2] * self.aspect), height / self.fits[3])
        return replace(self, scale=scale, fitted=True)._centred()

    def resized(self, width: int, height: int, margin: int = 0) -> Viewport:
        """Return the viewport for a window of another size: fitted again, or with the same centre."""
        other = replace(self, width=width, height=height)
        if self.fitted:
            return other.fit(margin)
        return other.panned((width - self.width) / 2, (height - self.height) / 2)

    def on_image(self, width: int, height: int, aspect: float, display_window: Box | None, margin: int = 0) -> Viewport:
        """Return the viewport for another image: with the same zoom and pan if `shares_display`, else fitted.

        The display window stays in place, wherever the data window lies in it.
        """
        other = replace(self, image_width=width, image_height=height, aspect=aspect, display_window=display_window)
        if self.fitted or not self.shares_display(other):
            return other.fit(margin)
        x, y = (self.display[n] - other.display[n] for n in (0, 1))
        return other.panned(x * self.across, y * self.scale)

    def shares_display(self, other: Viewport) -> bool:
        """Return whether both images have display windows of the same size and the same pixel aspect ratio."""
        return (self.aspect, self.display[2:]) == (other.aspect, other.display[2:])

    def zoomed(self, scale: float, x: float, y: float) -> Viewport:
        """Return the viewport at another scale, with the same source position under (`x`, `y`)."""
        scale = min(max(scale, MIN_SCALE), MAX_SCALE)
        ratio = scale / self.scale
        left, top = x - (x - self.left) * ratio, y - (y - self.top) * ratio
        return replace(self, scale=scale, left=left, top=top, fitted=False)._clamped()

    def panned(self, dx: float, dy: float) -> Viewport:
        return replace(self, left=self.left + dx, top=self.top + dy, fitted=False)._clamped()

    def source_at(self, x: float, y: float) -> tuple[float, float]:
        """Return the source position under a device pixel."""
        return (x - self.left) / self.across, (y - self.top) / self.scale

    def pixel_at(self, x: float, y: float) -> tuple[int, int] | None:
        """Return the column and row of the source pixel under a device pixel; None outside the image."""
        column, row = (math.floor(v) for v in self.source_at(x, y))
        inside = 0 <= column < self.image_width and 0 <= row < self.image_height
        return (column, row) if inside else None

    def placement(self) -> Placement | None:
        """Return the device pixels that the image touches; None if it lies outside the window."""
        x0, x1 = self._touched(self.left, self.image_width * self.across, self.width)
        y0, y1 = self._touched(self.top, self.image_height * self.scale, self.height)
        if x1 <= x0 or y1 <= y0:
            return None
        x, y = self.source_at(x0, y0)
        return Placement(x0, y0, x1 - x0, y1 - y0, (x, y, (x1 - x0) / self.across, (y1 - y0) / self.scale))

    def on_screen(self, region: Box) -> Box:
        """Return the left, top, width and height in device pixels of a region of the image."""
        x, y, width, height = region
        return self.left + x * self.across, self.top + y * self.scale, width * self.across, height * self.scale

    @staticmethod
    def _touched(start: float, length: float, limit: int) -> tuple[int, int]:
        return max(0, math.floor(start + 1e-6)), min(limit, math.ceil(start + length - 1e-6))

    def _centred(self) -> Viewport:
        x, y, width, height = self.fits
        left = (self.width - width * self.across) / 2 - x * self.across
        top = (self.height - height * self.scale) / 2 - y * self.scale
        return replace(self, left=float(round(left)), top=float(round(top)))

    def _clamped(self) -> Viewport:
        """Return the viewport at whole device pixels, with part of the image always inside the window."""
        keep = 48
        left = min(max(self.left, keep - self.image_width * self.across), self.width - keep)
        top = min(max(self.top, keep - self.image_height * self.scale), self.height - keep)
        return replace(self, left=float(round(left)), top=float(round(top)))
