"""Chromatic aberration."""

from __future__ import annotations

import math

from engine.kernel.filter_op import Computed, FilterOp, Magnified, SideImage
from engine.kernel.op import Numbers, slider
from engine.kernel.pixel import Pixel, Value, Vec, finite
from engine.ops.vignette import UNKNOWN

MARGIN = 1.25
"""Pixels beyond the display window are displaced further than its corners, by up to this factor."""


class ChromaticAberration(FilterOp):
    """Add the fringes of a lens, its lateral chromatic aberration, or take them away: red and blue are magnified.

    Green stays as it is. Scene-linear RGB in and out. Pixels are interpolated by the cubic of Catmull and Rom; beyond
    the edge, the last pixel is repeated. 1 % moves the corners of an image in the middle by 1/100 of half its diagonal.
    """

    label = "Lens fringes"
    placed = True

    red: float = slider(
        0.0, -5.0, 5.0, unit="%", minimum=-5.0, help="Enlargement of red relative to green", visible=(-0.5, 0.5)
    )
    blue: float = slider(
        0.0, -5.0, 5.0, unit="%", minimum=-5.0, help="Enlargement of blue relative to green", visible=(-0.5, 0.5)
    )
    center: Numbers = slider(
        (0.5, 0.5), -0.5, 1.5, help="Centre: x as a share of the width, y as a share of the height", visible=(0.0, 1.0)
    )
    window: tuple[int, int] = UNKNOWN
    scale: float = 1.0

    def side_images(self) -> tuple[SideImage, ...]:
        return self._magnified(self.red), self._magnified(self.blue)

    def _magnified(self, percent: float) -> Magnified:
        center = self.center[0] * self.window[0], self.center[1] * self.window[1]
        factor = 1.0 + min(percent, 5.0) / 100.0
        farthest = max(max(abs(at), abs(side - at)) for at, side in zip(center, self.window, strict=True))
        displacement = abs(1.0 - 1.0 / factor) * farthest * self.scale
        return Magnified(Computed("bounded"), factor, center, math.ceil(MARGIN * displacement) + 2)

    def bounded(self, px: Pixel) -> Value:
        """Return RGB without NaN and Inf."""
        return finite(px.rgb)

    def pixel(self, px: Pixel) -> Vec:
        red, blue = px.planes[0] - finite(px.r), px.planes[6] - finite(px.b)
        return Vec((px.r + red, px.g, px.b + blue))

    def fitted(self, width: int, height: int) -> ChromaticAberration:
        return self.replace(window=(width, height)) if (width, height) != (0, 0) else self

    def at_scale(self, scale: float) -> ChromaticAberration:
        return self.replace(scale=scale)

    def is_identity(self) -> bool:
        return self.red == 0.0 and self.blue == 0.0
