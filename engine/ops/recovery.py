"""Recovery."""

from __future__ import annotations

from engine.kernel.op import ColorOp, derived, slider
from engine.kernel.pixel import Pixel, Value, exp2
from engine.ops.tone_ranges import luma_stops, smooth

LEAST_RANGE = 2.0
"""The range of the smallest change, in stops."""


class Recovery(ColorOp):
    """Lower or raise highlights and shadows, pixel by pixel. Scene-linear RGB in and out, unbounded.

    Highlights change from a tone on upwards, shadows downwards, in stops of luma (BT.709 weights) from mid grey: by a
    smooth step that reaches the full amount after 2 stops and 2 more for each stop of the amount. So the slope in
    stops stays above a quarter, and tones keep their order, unless the two ranges overlap. All channels get the same
    gain, which keeps hue and saturation.
    """

    home = "scene_linear"

    highlights: float = slider(
        0.0, -8.0, 8.0, unit="EV", help="Change of the brightest tones; below 0 recovers them", visible=(-4.0, 4.0)
    )
    shadows: float = slider(
        0.0, -8.0, 8.0, unit="EV", help="Change of the darkest tones; above 0 lifts them", visible=(-4.0, 4.0)
    )
    highlights_from: float = slider(0.0, -8.0, 8.0, unit="EV", help="Highlights are changed above this tone")
    shadows_from: float = slider(0.0, -8.0, 8.0, unit="EV", help="Shadows are changed below this tone")

    @derived()
    def highlights_rate(self) -> float:
        """The reciprocal of the range in which highlights change."""
        return 1.0 / (LEAST_RANGE + 2.0 * abs(self.highlights))

    @derived()
    def shadows_rate(self) -> float:
        """The reciprocal of the range in which shadows change."""
        return 1.0 / (LEAST_RANGE + 2.0 * abs(self.shadows))

    def pixel(self, px: Pixel) -> Value:
        stops = luma_stops(px)
        bright = smooth((stops - self.highlights_from) * self.highlights_rate)
        dark = smooth((self.shadows_from - stops) * self.shadows_rate)
        return px.rgb * exp2(bright * self.highlights + dark * self.shadows)

    def is_identity(self) -> bool:
        return self.highlights == 0.0 and self.shadows == 0.0
