"""AcesDarkToDim."""

from __future__ import annotations

from engine.core.colorimetry import PRIMARIES, to_xyz
from engine.kernel.op import ColorOp, choice
from engine.kernel.pixel import Pixel, Value, Vec, dot, maximum, pow

AP1_LUMINANCE = Vec(tuple(to_xyz(PRIMARIES["ap1"])[1].tolist()))
"""Y of red, green and blue of ACEScg."""
GAMMA = 0.9811
"""Exponent of luminance from a dark to a dim surround."""


class AcesDarkToDim(ColorOp):
    """Compensate for a dim instead of a dark surround: luminance to the power 0.9811. Linear ACEScg RGB in and out.

    Luminance is clamped to at least 1e-10. Source: Academy ACES CTL, `ACESlib.ODT_Common.ctl`,
    `darkSurround_to_dimSurround`.
    """

    label = "ACES dark to dim"

    direction: str = choice("forward", "reverse", help="reverse goes from dim to dark")

    def pixel(self, px: Pixel) -> Value:
        luminance = maximum(dot(AP1_LUMINANCE, px.rgb), 1e-10)
        if self.direction == "forward":
            return px.rgb / pow(luminance, 1.0 - GAMMA)
        return px.rgb * pow(luminance, 1.0 / GAMMA - 1.0)

    def inverse(self) -> AcesDarkToDim:
        return self.turned()
