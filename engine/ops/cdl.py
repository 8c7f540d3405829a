"""Cdl."""

from __future__ import annotations

from engine.core.colorimetry import LUMA
from engine.errors import GradeError
from engine.kernel.op import ColorOp, Numbers, choice, slider
from engine.kernel.pixel import Pixel, Value, Vec, clamp, dot, maximum, pow, select

REC709_LUMA = Vec(LUMA)
"""Weights of R, G and B in luma: ITU-R BT.709-6, item 3.2. The ASC CDL specifies them for saturation."""


class Cdl(ColorOp):
    """ASC colour decision list: (slope * x + offset) ** power per channel, then saturation about Rec.709 luma.

    RGB in and out. Style `noclamp` keeps values outside 0..1; a negative base skips the power. Style `asc` clamps to
    0..1 before the power and after saturation. In both styles, the power turns NaN into 0. Source: ASC Color Decision
    List, transfer functions and interchange syntax, v1.2 (2009).
    """

    label = "CDL"

    slope: Numbers = slider(
        (1.0, 1.0, 1.0), 0.0, 4.0, minimum=0.0, help="Gain; 1 leaves the image as it is", visible=(0.0, 2.0)
    )
    offset: Numbers = slider((0.0, 0.0, 0.0), -1.0, 1.0, help="Added after the slope", visible=(-0.25, 0.25))
    power: Numbers = slider(
        (1.0, 1.0, 1.0), 0.1, 4.0, minimum=1e-6, help="Exponent; above 1 darkens mid tones", visible=(0.1, 1.9)
    )
    saturation: float = slider(
        1.0, 0.0, 4.0, minimum=0.0, help="0 is grey, 1 leaves the image as it is", visible=(0.0, 2.0)
    )
    style: str = choice("noclamp", "asc", help="asc clamps to 0..1 as ASC CDL v1.2 does; noclamp keeps highlights")
    direction: str = choice("forward", "reverse", help="reverse undoes the same CDL applied forward")

    def check(self) -> None:
        if self.direction == "reverse" and min(*self.slope, self.saturation) == 0.0:
            raise GradeError("a CDL with a slope or saturation of 0 can't be reversed")

    def pixel(self, px: Pixel) -> Value:
        if self.direction == "forward":
            shaped = self._power(self._clamped(px.rgb * self.slope + self.offset), self.power)
            return self._clamped(self._saturate(shaped, self.saturation))
        grey = self._clamped(self._saturate(self._clamped(px.rgb), 1.0 / self.saturation))
        return self._clamped((self._power(grey, 1.0 / self.power) - self.offset) / self.slope)

    def _clamped(self, rgb: Vec) -> Value:
        return clamp(rgb, 0.0, 1.0) if self.style == "asc" else rgb

    def _power(self, rgb: Vec, power: Vec) -> Value:
        return pow(rgb, power) if self.style == "asc" else select(rgb < 0.0, rgb, pow(maximum(rgb, 0.0), power))

    @staticmethod
    def _saturate(rgb: Vec, saturation: float) -> Value:
        luma = dot(REC709_LUMA, rgb)
        return (rgb - luma) * saturation + luma

    def is_identity(self) -> bool:
        return self.style == "noclamp" and self.at_default("direction")

    def inverse(self) -> Cdl:
        """Exact where nothing was clamped; in style `noclamp`, only where the power kept the sign."""
        return self.replace(direction="reverse" if self.direction == "forward" else "forward")
