"""RgbHsy."""

from __future__ import annotations

from engine.kernel.op import ColorOp, choice
from engine.kernel.pixel import (
    Pixel,
    Scalar,
    Value,
    Vec,
    absolute,
    clamp,
    dot,
    floor,
    maximum,
    minimum,
    select,
    sqrt,
    where_equal,
)
from engine.ops.cdl import REC709_LUMA

SATURATION_GAIN = {"log": 4.0, "video": 1.25}
"""Scales the saturation of a strong colour to about 1."""
SCENE_GAIN, LOW_GAIN, NOISE = 1.4, 5.0, 0.15
DARK, LIGHT = 0.001, 0.01
"""Luma between which the linear style blends from one measure of saturation to the other."""
MOST_GAIN = 50.0


class RgbHsy(ColorOp):
    """RGB to hue, saturation and Rec.709 luma; reverse goes back. Hue is 0..1 for a whole turn, from magenta over red.

    Saturation is the sum of the channels' distances from luma; in style linear, for scene-linear RGB, as a fraction of
    their sum. Source: OpenColorIO, FIXED_FUNCTION_RGB_TO_HSY_LOG, _LIN and _VID, which its hue curves work in.
    """

    label = "RGB to HSY"

    style: str = choice("log", "linear", "video", help="Encoding of the RGB values")
    direction: str = choice("forward", "reverse", help="reverse: HSY to RGB")

    def pixel(self, px: Pixel) -> Value:
        return to_hsy(px.rgb, self.style) if self.direction == "forward" else to_rgb(px.rgb, self.style)

    def inverse(self) -> RgbHsy:
        return self.turned()


def to_hsy(rgb: Vec, style: str) -> Vec:
    """Convert RGB to hue, saturation and luma."""
    r, g, b = rgb
    luma, distance = _luma(rgb)
    least, most = minimum(minimum(r, g), b), maximum(maximum(r, g), b)
    chroma = most - least
    other = where_equal(g, most, 3.0 + (b - r) / chroma, 5.0 + (r - g) / chroma)
    sector = where_equal(r, most, 1.0 + (g - b) / chroma, other)
    hue = where_equal(least, most, 0.0, sector * (1.0 / 6.0))
    if style != "linear":
        return Vec((hue, distance * SATURATION_GAIN[style], luma))
    high = distance / maximum(NOISE + r + g + b, 0.07 * distance + 1e-6)
    low = distance * LOW_GAIN
    share = _lightness(luma)
    return Vec((hue, (high * share + low * (1.0 - share)) * SCENE_GAIN, luma))


def to_rgb(hsy: Vec, style: str) -> Value:
    """Convert hue, saturation and luma to RGB."""
    hue, saturation, luma = hsy
    turn = hue - 1.0 / 6.0
    turn = select(luma < 0.0, turn + 0.5, turn)
    turn = (turn - floor(turn)) * 6.0
    pure = Vec(
        (
            clamp(absolute(turn - 3.0) - 1.0, 0.0, 1.0),
            clamp(2.0 - absolute(turn - 2.0), 0.0, 1.0),
            clamp(2.0 - absolute(turn - 4.0), 0.0, 1.0),
        )
    )
    pure = pure * (luma / dot(REC709_LUMA, pure))
    away = pure - luma
    distance = absolute(away.r) + absolute(away.g) + absolute(away.b)
    if style == "linear":
        gain = _scene_gain(saturation * (1.0 / SCENE_GAIN), pure.r + pure.g + pure.b, luma, distance)
    else:
        gain = saturation / maximum(distance * SATURATION_GAIN[style], 1e-10)
    return away * gain + luma


def _luma(rgb: Vec) -> tuple[Scalar, Scalar]:
    """Return luma, and the sum of the channels' distances from it."""
    luma = dot(REC709_LUMA, rgb)
    away = rgb - luma
    return luma, absolute(away.r) + absolute(away.g) + absolute(away.b)


def _lightness(luma: Scalar) -> Scalar:
    return clamp((luma - DARK) * (1.0 / (LIGHT - DARK)), 0.0, 1.0)


def _scene_gain(saturation: Scalar, total: Scalar, luma: Scalar, distance: Scalar) -> Scalar:
    """Return the factor for the distances of a pure colour at a saturation: the inverse of the linear measure."""
    grey = 3.0 * luma
    rest = maximum(saturation * grey - saturation * total + distance, 1e-6)
    light = minimum(saturation * (NOISE + grey) / rest, MOST_GAIN)
    low = distance * LOW_GAIN
    dark = saturation / maximum(low, 1e-10)
    share = _lightness(luma)
    faded = low * (1.0 - share)
    a = faded * (total - grey)
    b = faded * (NOISE + grey) + share * distance - saturation * (total - grey)
    c = -saturation * (NOISE + grey)
    root = sqrt(b * b - 4.0 * a * c)
    first = 2.0 * c / (-root - b)
    between = select(first >= 0.0, first, 2.0 * c / (root - b))
    return select(share >= 1.0, light, select(share <= 0.0, dark, between))
