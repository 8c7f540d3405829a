"""GradingPrimary."""

from __future__ import annotations

import math

from engine.core.colorimetry import MID_GREY
from engine.errors import GradeError
from engine.kernel.op import ColorOp, Numbers, choice, derived, slider
from engine.kernel.pixel import Pixel, Scalar, Value, Vec, dot, maximum, minimum, mirrored, pow
from engine.ops.cdl import REC709_LUMA
from engine.ops.exposure import gain_of

BRIGHTNESS_STEP = 6.25 / 1023.0
"""Offset of one unit of brightness: a printer point of a 10-bit log scan."""
ONES, ZEROS = (1.0,) * 4, (0.0,) * 4
LOWEST, HIGHEST = -3.4028234663852886e38, 3.4028234663852886e38
PIVOTS = {"log": -0.2, "linear": 0.18, "video": 0.18}
"""Default pivots of contrast. Source: OpenColorIO, GradingPrimary."""


class GradingPrimary(ColorOp):
    """The primary controls of a grading desk, for logarithmic, scene-linear or video images. RGB in and out.

    Each control has red, green, blue and a master value. Log: brightness, contrast about `pivot` (-1..1 for 0..1),
    gamma. Linear: offset, exposure in stops, contrast about 0.18 * 2 ** pivot, odd about 0. Video: lift and offset,
    gain, gamma. Gamma works between `black` and `white`. Saturation about Rec.709 luma and the clamps come last; the
    clamps are off at the ends of float32. Source: OpenColorIO, GradingPrimaryTransform.
    """

    label = "Primary grading"

    brightness: Numbers = slider(ZEROS, -100.0, 100.0, help="Log: red, green, blue, master", visible=(-50.0, 50.0))
    contrast: Numbers = slider(ONES, 0.1, 4.0, help="Log and linear: red, green, blue, master", visible=(0.5, 1.5))
    gamma: Numbers = slider(
        ONES, 0.1, 4.0, minimum=0.009, help="Log and video: red, green, blue, master", visible=(0.1, 1.9)
    )
    offset: Numbers = slider(ZEROS, -1.0, 1.0, help="Linear and video: red, green, blue, master", visible=(-0.25, 0.25))
    exposure: Numbers = slider(
        ZEROS, -10.0, 10.0, unit="EV", help="Linear: red, green, blue, master", visible=(-4.0, 4.0)
    )
    lift: Numbers = slider(ZEROS, -1.0, 1.0, help="Video: red, green, blue, master", visible=(-0.25, 0.25))
    gain: Numbers = slider(ONES, 0.1, 4.0, help="Video: red, green, blue, master", visible=(0.1, 1.9))
    saturation: float = slider(
        1.0, 0.0, 4.0, minimum=0.0, help="0 is grey, 1 leaves the image as it is", visible=(0.0, 2.0)
    )
    pivot: float = slider(PIVOTS["log"], -5.0, 5.0, help="Value that contrast leaves unchanged", visible=(-1.0, 1.0))
    black: float = slider(0.0, -1.0, 1.0, help="Value that gain and gamma leave unchanged")
    white: float = slider(1.0, 0.0, 2.0, help="Value that lift and gamma leave unchanged")
    low: float = slider(LOWEST, -1.0, 1.0, help="Clamp of black")
    high: float = slider(HIGHEST, 0.0, 2.0, help="Clamp of white")
    style: str = choice("log", "linear", "video", help="Encoding of the image's values")
    direction: str = choice("forward", "reverse", help="reverse undoes it")

    def in_style(self, style: str) -> GradingPrimary:
        """Return a copy in another style; a pivot at its default moves to the default of that style."""
        at_first = self.pivot == PIVOTS[self.style]
        return self.replace(style=style, pivot=PIVOTS[style] if at_first else self.pivot)

    def check(self) -> None:
        if self.white - self.black < 0.009:
            raise GradeError("the black pivot of a primary grade must be below the white pivot")
        if self.low > self.high:
            raise GradeError("the black clamp of a primary grade must be below the white clamp")
        if self.style == "linear" and min(self.contrast) < 0.009:
            raise GradeError("the contrast of a linear primary grade must be at least 0.01")

    @derived(3)
    def shift(self) -> tuple[float, ...]:
        """The offset, which is added first."""
        if self.style == "log":
            return tuple(x * BRIGHTNESS_STEP for x in _summed(self.brightness))
        lifted = self.lift if self.style == "video" else ZEROS
        return tuple(a + b for a, b in zip(_summed(self.offset), _summed(lifted), strict=True))

    @derived(3)
    def slope(self) -> tuple[float, ...]:
        """The gain about `centre`, which comes second."""
        if self.style == "linear":
            return tuple(gain_of(stops) for stops in _summed(self.exposure))
        if self.style == "log":
            products = _multiplied(self.contrast)
            return products if self.direction == "forward" else tuple(x or 1.0 for x in products)
        gains = zip(_multiplied(self.gain), _summed(self.lift), strict=True)
        return tuple((self.white - self.black) / (self._video_range(g, lift) or 1.0) for g, lift in gains)

    def _video_range(self, gain: float, lift: float) -> float:
        return float(self.white / (gain or 1.0) + lift - self.black)

    @derived()
    def centre(self) -> float:
        return {"log": 0.5 + 0.5 * self.pivot, "linear": 0.0, "video": self.black}[self.style]

    @derived(3)
    def power(self) -> tuple[float, ...]:
        """The exponent between `bottom` and `bottom + span`, which comes third."""
        if self.style == "linear":
            return _multiplied(self.contrast)
        return tuple(1.0 / x for x in _multiplied(self.gamma))

    @derived()
    def bottom(self) -> float:
        return 0.0 if self.style == "linear" else self.black

    @derived()
    def span(self) -> float:
        return MID_GREY * gain_of(self.pivot) if self.style == "linear" else self.white - self.black

    @derived()
    def reverse_saturation(self) -> float:
        return 1.0 / (self.saturation or 1.0)

    def pixel(self, px: Pixel) -> Value:
        if self.direction == "forward":
            rgb = (px.rgb + self.shift - self.centre) * self.slope + self.centre
            return self._clamped(_saturated(self._curved(rgb, self.power), self.saturation))
        rgb = self._curved(_saturated(self._clamped(px.rgb), self.reverse_saturation), 1.0 / self.power)
        return (rgb - self.centre) / self.slope + self.centre - self.shift

    def _clamped(self, rgb: Vec) -> Value:
        return minimum(maximum(rgb, self.low), self.high)

    def _curved(self, rgb: Vec, power: Vec) -> Value:
        def curve(x: Scalar) -> Value:
            return pow(x * (1.0 / self.span), power) * self.span

        return mirrored(curve, rgb - self.bottom) + self.bottom

    def is_identity(self) -> bool:
        return self.at_default("style", "direction", "pivot")

    def inverse(self) -> GradingPrimary:
        """Exact for values that were not clamped."""
        if self.saturation == 0.0 or not all(math.isfinite(1.0 / s) if s else False for s in self.slope):
            raise GradeError("a primary grade that removes all colour or contrast can't be reversed")
        return self.turned()


def _saturated(rgb: Vec, saturation: Scalar) -> Value:
    luma = dot(REC709_LUMA, rgb)
    return (rgb - luma) * saturation + luma


def _summed(control: tuple[float, ...]) -> tuple[float, ...]:
    return tuple(x + control[3] for x in control[:3])


def _multiplied(control: tuple[float, ...]) -> tuple[float, ...]:
    return tuple(x * control[3] for x in control[:3])
