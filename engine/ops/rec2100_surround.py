"""Rec2100Surround."""

from __future__ import annotations

from engine.kernel.op import ColorOp, choice, slider
from engine.kernel.pixel import Pixel, Value, Vec, absolute, dot, maximum, signed_pow

REC2100_LUMINANCE = Vec((0.2627, 0.6780, 0.0593))
"""Y of red, green and blue of Rec.2100. Source: ITU-R BT.2100-2, table 4."""
DARKEST = 1e-4
"""Luminance, in the forward direction, below which the gain is constant."""


class Rec2100Surround(ColorOp):
    """Raise luminance to the power `gamma` and keep the hue: the system gamma of HLG. Linear Rec.2100 RGB in and out.

    Odd about 0. Source: ITU-R BT.2100-2, table 5, OOTF of HLG.
    """

    label = "Rec.2100 surround"

    gamma: float = slider(1.2, 0.5, 2.0, minimum=0.01, help="1.2 for HLG at 1000 nits; at least 0.78 for its inverse")
    direction: str = choice("forward", "reverse", help="reverse undoes the gamma")

    def pixel(self, px: Pixel) -> Value:
        luminance = absolute(dot(REC2100_LUMINANCE, px.rgb))
        if self.direction == "forward":
            return px.rgb * signed_pow(maximum(luminance, DARKEST), self.gamma - 1.0)
        darkest = signed_pow(DARKEST, self.gamma)
        return px.rgb * signed_pow(maximum(luminance, darkest), 1.0 / self.gamma - 1.0)

    def inverse(self) -> Rec2100Surround:
        return self.turned()
