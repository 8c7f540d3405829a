"""Viewport requests: the region of the image that is computed for a view, and on how many pixels."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace

from engine.core.records import dataclass
from engine.kernel.op import ColorOp, Op

Region = tuple[float, float, float, float]
"""x, y, width, height in pixels of level 0; may reach a fraction of a pixel beyond the image."""
SQUARES = 2.0
"""From this many screen pixels per image pixel on, pixels are shown as squares."""


@dataclass(frozen=True)
class ViewportRequest:
    """A `region` of the image on `width` x `height` pixels, resampled by `filter`."""

    region: Region
    width: int
    height: int
    filter: str

    @property
    def shrink(self) -> float:
        """The number of level 0 pixels per pixel of the request, along the axis with fewer."""
        return min(self.region[2] / self.width, self.region[3] / self.height)

    def rows(self, top: int, bottom: int) -> ViewportRequest:
        """Return the request of rows top..bottom, which has the same pixels."""
        x, y, across, down = self.region
        part = (x, y + down * top / self.height, across, down * (bottom - top) / self.height)
        return replace(self, region=part, height=bottom - top)

    def grown(self, edge: int) -> ViewportRequest:
        """Return the request with `edge` more pixels on each side."""
        x, y, width, height = self.region
        across, down = edge * width / self.width, edge * height / self.height
        region = (x - across, y - down, width + 2 * across, height + 2 * down)
        return replace(self, region=region, width=self.width + 2 * edge, height=self.height + 2 * edge)

    def grown_within(self, edge: int, size: tuple[int, int]) -> tuple[ViewportRequest, int, int]:
        """Return the request with up to `edge` more pixels on each side, none of them outside of an image of `size`.

        Also returns how many more columns it has on the left, and how many more rows at the top.
        """
        x, y, width, height = self.region
        step_x, step_y = width / self.width, height / self.height
        left, top = _whole(x / step_x, edge), _whole(y / step_y, edge)
        right = _whole((size[0] - x - width) / step_x, edge)
        bottom = _whole((size[1] - y - height) / step_y, edge)
        columns, rows = left + self.width + right, top + self.height + bottom
        region = (x - left * step_x, y - top * step_y, columns * step_x, rows * step_y)
        return replace(self, region=region, width=columns, height=rows), left, top


def viewport_request(
    region: Region, width: int, height: int, size: tuple[int, int], coarse: float = 1.0
) -> ViewportRequest:
    """Return the request for a view of `width` x `height` screen pixels of an image of `size`.

    If pixels of the image are squares on the screen, the request has one pixel for each and covers whole pixels.
    `coarse` divides the number of pixels along each axis.
    """
    across, down = width / region[2], height / region[3]
    if min(across, down) >= SQUARES:
        region = _whole_pixels(region, size)
        across = down = 1.0
        width, height = int(region[2]), int(region[3])
    width, height = (max(1, round(length / coarse)) for length in (width, height))
    return ViewportRequest(region, width, height, _filter_for(min(across, down) / coarse))


def _filter_for(scale: float) -> str:
    if abs(scale - 1.0) < 1e-9:
        return "nearest"
    return "bilinear" if scale > 1.0 else "area"


def _whole_pixels(region: Region, size: tuple[int, int]) -> Region:
    x0, y0 = (max(0, math.floor(v + 1e-6)) for v in region[:2])
    x1 = min(size[0], math.ceil(region[0] + region[2] - 1e-6))
    y1 = min(size[1], math.ceil(region[1] + region[3] - 1e-6))
    return float(x0), float(y0), float(max(1, x1 - x0)), float(max(1, y1 - y0))


def _whole(pixels: float, most: int) -> int:
    """Return a number of whole pixels, at most `most`."""
    return min(max(0, math.floor(pixels + 1e-6)), most)


def colour_ops(grade: Iterable[Op]) -> tuple[ColorOp, ...]:
    """Return the colour ops of a grade, which give single pixels their values."""
    return tuple(op for op in grade if isinstance(op, ColorOp))


def shown_ops(grade: Iterable[Op], scale: float) -> tuple[Op, ...]:
    """Return the ops of a grade for a frame of `scale` pixels per image pixel.

    Lengths in pixels shrink with the image; ops that resize the image do not change the view.
    """
    return tuple(shown for op in grade if (shown := op.at_scale(scale)) is not None)
