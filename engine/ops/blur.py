"""Blur."""

from __future__ import annotations

import math

from engine.errors import GradeError
from engine.kernel.op import ImageOp, slider
from engine.kernel.taps import Size, Taps, blur_taps

MOST_PIXELS = 1 << 15
MOST_SHOWN = 512.0
"""The largest radius in a view, in pixels of the view; larger ones are clamped to it."""


class Blur(ImageOp):
    """Gaussian blur: the kernel reaches `radius` pixels and has a standard deviation of a third of that.

    RGBA in and out; beyond the edge, the last pixel is repeated.
    """

    home = "linear"

    radius: float = slider(
        0.0, 0.0, 200.0, unit="px", minimum=0.0, help="How far the blur reaches; 0 is none", visible=(0.0, 50.0)
    )

    def check(self) -> None:
        if self.radius > MOST_PIXELS:
            raise GradeError(f"a blur can't reach {self.radius:g} pixels; {MOST_PIXELS} is the most")

    def halo(self) -> int:
        return math.ceil(self.radius)

    def taps(self, source: Size) -> tuple[Taps, Taps]:
        return blur_taps(self.radius, source[0]), blur_taps(self.radius, source[1])

    def at_scale(self, scale: float) -> Blur:
        return self.replace(radius=min(self.radius * scale, MOST_SHOWN))

    def is_identity(self) -> bool:
        return self.radius == 0.0
