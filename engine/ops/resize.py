"""Resize."""

from __future__ import annotations

from engine.errors import GradeError
from engine.kernel.op import ImageOp, choice, slider
from engine.kernel.taps import Size, Taps, resize_taps

MOST_PIXELS = 1 << 20
"""Largest width and height, in pixels."""


class Resize(ImageOp):
    """Resize to another width and height in pixels. RGBA in and out; beyond the edge, the last pixel is repeated.

    `bilinear`, `catmull-rom` and `lanczos3` widen their kernels when they shrink; `area` averages the source pixels
    that a result covers, weighted by coverage, and is the same as `nearest` when it enlarges.
    """

    home = "linear"

    width: float = slider(1.0, 1.0, 65536.0, unit="px", minimum=1.0, visible=(1.0, 8192.0))
    height: float = slider(1.0, 1.0, 65536.0, unit="px", minimum=1.0, visible=(1.0, 8192.0))
    filter: str = choice("area", "nearest", "bilinear", "catmull-rom", "lanczos3", help="How pixels are weighted")

    def check(self) -> None:
        sides = self.width, self.height
        if any(side != int(side) or side > MOST_PIXELS for side in sides):
            raise GradeError(f"an image can't be {self.width:g} x {self.height:g} pixels")

    def result_size(self, source: Size) -> Size:
        return int(self.width), int(self.height)

    def taps(self, source: Size) -> tuple[Taps, Taps]:
        width, height = self.result_size(source)
        return resize_taps(self.filter, source[0], width), resize_taps(self.filter, source[1], height)

    def at_scale(self, scale: float) -> None:
        """Return None: a view has the size of its window."""
