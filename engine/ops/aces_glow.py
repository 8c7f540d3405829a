"""AcesGlow."""

from __future__ import annotations

from engine.kernel.op import ColorOp, choice
from engine.kernel.pixel import Pixel, Scalar, Value, absolute, maximum, minimum, select, sqrt


def saturation_weight(px: Pixel) -> Scalar:
    """Return the saturation, 0 (grey) to 1, with dark noise treated as grey. Source: ACES CTL, `rgb_2_saturation`."""
    least, most = minimum(minimum(px.r, px.g), px.b), maximum(maximum(px.r, px.g), px.b)
    return (maximum(most, 1e-10) - maximum(least, 1e-10)) / maximum(most, 1e-2)


class AcesGlow(ColorOp):
    """Lift dark saturated colours, as the ACES reference rendering does. ACES2065-1 RGB in and out.

    The gain depends on saturation and on a luminance that includes chroma. Source: Academy ACES CTL, RRT of releases
    0.3 and 1.0 (`glow_fwd`, `glow_inv`, `sigmoid_shaper`, `rgb_2_yc`).
    """

    label = "ACES glow"

    version: str = choice("1.0", "0.3", help="Release of ACES whose constants are used")
    direction: str = choice("forward", "reverse", help="reverse undoes it")

    def pixel(self, px: Pixel) -> Value:
        gain, middle = (0.05, 0.08) if self.version == "1.0" else (0.075, 0.1)
        gain = gain * self._sigmoid(saturation_weight(px))
        luminance = self._luminance(px)
        between = gain * (middle / luminance - 0.5)
        dark, start = gain, middle * 2.0 / 3.0
        if self.direction == "reverse":
            between = between / (gain * 0.5 - 1.0)
            dark, start = -gain / (1.0 + gain), (1.0 + gain) * start
        glow = select(luminance >= middle * 2.0, 0.0, select(luminance <= start, dark, between))
        return px.rgb * (1.0 + glow)

    @staticmethod
    def _luminance(px: Pixel) -> Scalar:
        """Return the mean of the channels and of 1.75 times the chroma."""
        rg, gb, br = px.r - px.g, px.g - px.b, px.b - px.r
        chroma = sqrt(0.5 * (rg * rg + gb * gb + br * br))
        return (px.b + px.g + px.r + 1.75 * chroma) * (1.0 / 3.0)

    @staticmethod
    def _sigmoid(saturation: Scalar) -> Scalar:
        """Return 0 below a saturation of 0, 1 above 0.8, and a smooth transition between."""
        x = (saturation - 0.4) * 5.0
        rest = maximum(1.0 - 0.5 * absolute(x), 0.0)
        bend = 1.0 - rest * rest
        return 0.5 + 0.5 * select(x < 0.0, -bend, bend)

    def inverse(self) -> AcesGlow:
        return self.turned()
