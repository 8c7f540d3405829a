"""SplitTone."""

from __future__ import annotations

import math

from engine.core.colorimetry import LUMA
from engine.kernel.op import ColorOp, derived, slider
from engine.kernel.pixel import Pixel, Value, Vec, dot
from engine.ops.tone_ranges import crossed, finite, stops_of


def _hue(of: str) -> float:
    return slider(  # type: ignore[no-any-return]
        0.0, 0.0, 360.0, unit="°", help=f"Hue of {of}: red is 0, yellow 60, green 120, cyan 180, blue 240, magenta 300"
    )


def _saturation(of: str) -> float:
    return slider(  # type: ignore[no-any-return]
        0.0, 0.0, 1.0, minimum=0.0, help=f"Strength of the tint of {of}; 0 changes nothing", visible=(0.0, 0.5)
    )


class SplitTone(ColorOp):
    """Tint shadows and highlights, each in its own hue. Scene-linear RGB in and out, unbounded.

    A tint of luma 0 (BT.709 weights), in proportion to the luma of the colour, is added, so that luma stays. Its hue is
    the angle in the opponent plane of the six vectors. Shadows fade into highlights by a smooth step over `falloff`
    stops about `balance`. Greys stay above 0 up to a saturation of 1.
    """

    label = "Split tone"
    home = "scene_linear"

    shadow_hue: float = _hue("shadows")
    shadow_saturation: float = _saturation("shadows")
    highlight_hue: float = _hue("highlights")
    highlight_saturation: float = _saturation("highlights")
    balance: float = slider(
        0.0, -8.0, 8.0, unit="EV", help="Stops about mid grey where shadows become highlights", visible=(-4.0, 4.0)
    )
    falloff: float = slider(
        6.0, 0.5, 16.0, unit="EV", minimum=0.1, help="Stops over which shadows fade into highlights"
    )

    @derived(3)
    def shadow_tint(self) -> tuple[float, ...]:
        """What is added to shadows with a luma of 1."""
        return tint(self.shadow_hue, self.shadow_saturation)

    @derived(3)
    def highlight_tint(self) -> tuple[float, ...]:
        """What is added to highlights with a luma of 1."""
        return tint(self.highlight_hue, self.highlight_saturation)

    def pixel(self, px: Pixel) -> Value:
        luma = dot(LUMA, px.rgb)
        share = crossed(stops_of(luma), self.balance, self.falloff)
        shadow, highlight = Vec(tuple(self.shadow_tint)), Vec(tuple(self.highlight_tint))
        return px.rgb + (shadow + (highlight - shadow) * share) * finite(luma)

    def is_identity(self) -> bool:
        return self.shadow_saturation == 0.0 and self.highlight_saturation == 0.0


def tint(hue: float, saturation: float) -> tuple[float, ...]:
    """Return the RGB of a hue in degrees at a distance from grey, with the luma 0."""
    rgb = [2.0 / 3.0 * saturation * math.cos(math.radians(hue - 120.0 * channel)) for channel in range(3)]
    luma = sum(weight * x for weight, x in zip(LUMA, rgb, strict=True))
    return tuple(x - luma for x in rgb)
