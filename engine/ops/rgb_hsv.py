"""RgbHsv."""

from __future__ import annotations

from engine.kernel.op import ColorOp, choice
from engine.kernel.pixel import Pixel, Scalar, Value, Vec, absolute, clamp, floor, maximum, minimum, select, where_equal

MOST_SATURATION = 1.9989999532699585
"""At a saturation of 2, colours would be infinite. The float32 nearest to 1.999, since the distance from 2 matters."""


class RgbHsv(ColorOp):
    """RGB to hue, saturation and value; reverse goes back. Hue is 0..1 for a whole turn, from red over green to blue.

    For RGB within 0..1 this is the classic hexcone: saturation 0..1, value the largest channel. With negative channels,
    value is the sum of the largest and the smallest, and saturation is within 1..2. Source: A. R. Smith, "Color
    gamut transform pairs", SIGGRAPH 1978; the extended range: OpenColorIO, FIXED_FUNCTION_RGB_TO_HSV.
    """

    label = "RGB to HSV"

    direction: str = choice("forward", "reverse", help="reverse: HSV to RGB")

    def pixel(self, px: Pixel) -> Value:
        return self._to_hsv(px) if self.direction == "forward" else self._to_rgb(*px.rgb)

    @staticmethod
    def _to_hsv(px: Pixel) -> Vec:
        least, most = minimum(minimum(px.r, px.g), px.b), maximum(maximum(px.r, px.g), px.b)
        chroma = most - least
        sector = where_equal(
            px.r,
            most,
            (px.g - px.b) / chroma,
            where_equal(px.g, most, 2.0 + (px.b - px.r) / chroma, 4.0 + (px.r - px.g) / chroma),
        )
        hue = where_equal(least, most, 0.0, select(sector < 0.0, sector + 6.0, sector) * (1.0 / 6.0))
        saturation = where_equal(most, 0.0, 0.0, where_equal(least, most, 0.0, chroma / most))
        saturation = select(-least > most, chroma / -least, saturation)
        return Vec((hue, saturation, select(least < 0.0, most + least, most)))

    @staticmethod
    def _to_rgb(hue: Scalar, saturation: Scalar, value: Scalar) -> Value:
        turn = (hue - floor(hue)) * 6.0
        s = clamp(saturation, 0.0, MOST_SATURATION)
        red = clamp(absolute(turn - 3.0) - 1.0, 0.0, 1.0)
        green = clamp(2.0 - absolute(turn - 2.0), 0.0, 1.0)
        blue = clamp(2.0 - absolute(turn - 4.0), 0.0, 1.0)
        plain = value * (1.0 - s)
        least = select(value < 0.0, value / (2.0 - s), select(s > 1.0, plain / (2.0 - s), plain))
        most = select(value < 0.0, value - least, select(s > 1.0, value - least, value))
        return Vec((red, green, blue)) * (most - least) + least

    def inverse(self) -> RgbHsv:
        return self.turned()
