"""Resize."""

from __future__ import annotations

from engine.errors import GradeError
from engine.kernel.op import ImageOp, choice, slider

MOST_PIXELS = 1 << 20
"""Along a side."""


class Resize(ImageOp):
    """Another width and height in pixels. RGBA in and out; beyond the edge the image is held at its last pixel.

    `bilinear`, `catmull-rom` and `lanczos3` widen their kernels when they shrink; `area` is the mean of the source
    pixels that a result covers, by their share, and `nearest` when it enlarges.
    """

    home = "linear"

    width: float = slider(1.0, 1.0, 65536.0, unit="px", minimum=1.0)
    height: float = slider(1.0, 1.0, 65536.0, unit="px", minimum=1.0)
    filter: str = choice("area", "nearest", "bilinear", "catmull-rom", "lanczos3", help="How pixels are weighed")

    def check(self) -> None:
        sides = self.width, self.height
        if any(side != int(side) or side > MOST_PIXELS for side in sides):
            raise GradeError(f"an image can't be {self.width:g} x {self.height:g} pixels")
