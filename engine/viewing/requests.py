"""What is computed for a view: which region of the image, on how many pixels. Numbers only."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace

from engine import ops
from engine.kernel.op import ColorOp, Op

Region = tuple[float, float, float, float]
"""x, y, width, height in pixels of level 0; may reach a fraction of a pixel beyond the image."""
MAX_RADIUS = 512.0
"""Pixels of a frame; a wider blur is shown as wide as this."""
SQUARES = 2.0
"""From this many screen pixels for one of the image on, a pixel is shown as a square."""


@dataclass(frozen=True)
class ViewportRequest:
    """`region` on `width` x `height` pixels, resampled by `filter`."""

    region: Region
    width: int
    height: int
    filter: str

    @property
    def shrink(self) -> float:
        """Pixels of level 0 on one of the shot, along the axis that has fewer."""
        return min(self.region[2] / self.width, self.region[3] / self.height)

    def rows(self, top: int, bottom: int) -> ViewportRequest:
        """Rows top..bottom of it, which have the same pixels."""
        x, y, across, down = self.region
        part = (x, y + down * top / self.height, across, down * (bottom - top) / self.height)
        return replace(self, region=part, height=bottom - top)

    def grown(self, edge: int) -> ViewportRequest:
        """With `edge` more pixels on each side."""
        x, y, width, height = self.region
        across, down = edge * width / self.width, edge * height / self.height
        region = (x - across, y - down, width + 2 * across, height + 2 * down)
        return replace(self, region=region, width=self.width + 2 * edge, height=self.height + 2 * edge)


def viewport_request(
    region: Region, width: int, height: int, size: tuple[int, int], coarse: float = 1.0
) -> ViewportRequest:
    """The shot for a view of `width` x `height` screen pixels of an image of `size`.

    Where a pixel of the image is a square on the screen, the shot has one pixel for it, and covers whole pixels.
    `coarse` above 1 asks for so many times fewer pixels along each axis, where the screen then still shows no squares.
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


def shown_ops(grade: Iterable[Op], scale: float) -> tuple[Op, ...]:
    """The ops of a grade as a frame of `scale` pixels per image pixel shows them; at 0 its colour ops alone.

    A radius in pixels shrinks with the image; what changes the image's size changes nothing of the view.
    """
    shown: list[Op] = []
    for op in grade:
        if isinstance(op, ColorOp):
            shown.append(op)
        elif isinstance(op, ops.Blur) and scale > 0.0:
            shown.append(op.replace(radius=min(op.radius * scale, MAX_RADIUS)))
    return tuple(shown)
