"""CieCoordinates."""

from __future__ import annotations

from typing import ClassVar

from engine.kernel.op import ColorOp, choice
from engine.kernel.pixel import FLOAT_MIN, Pixel, Scalar, Value, Vec, absolute, pow, select

D65_U, D65_V = 0.19783001, 0.46831999
"""u' and v' of D65, the white of L*u*v*."""
KNEE = 0.008856451679
"""Y below which L* is linear: (6/29) ** 3."""


class CieCoordinates(ColorOp):
    """CIE XYZ to xyY, u'v'Y or L*u*v*; reverse goes back. L*, u* and v* are divided by 100: white is (1, 0, 0).

    XYZ of D65 white has Y = 1. Colours without a chromaticity (a sum of 0) get 0. Source: CIE 15:2018, 7.1, 7.3, 8.2.2.
    """

    label = "CIE coordinates"
    renamed: ClassVar = {"space": "coordinates"}

    coordinates: str = choice("xyY", "uvY", "Luv", help="Coordinates that XYZ is converted to")
    direction: str = choice("forward", "reverse", help="reverse: back to XYZ")

    def pixel(self, px: Pixel) -> Value:
        forward = {"xyY": self._to_xyy, "uvY": self._to_uvy, "Luv": self._to_luv}
        reverse = {"xyY": self._from_xyy, "uvY": self._from_uvy, "Luv": self._from_luv}
        return (forward if self.direction == "forward" else reverse)[self.coordinates](*px.rgb)

    def _to_xyy(self, x: Scalar, y: Scalar, z: Scalar) -> Vec:
        share = _reciprocal(x + y + z)
        return Vec((x * share, y * share, y))

    def _from_xyy(self, x: Scalar, y: Scalar, luminance: Scalar) -> Vec:
        share = _reciprocal(y)
        return Vec((luminance * x * share, luminance, luminance * (1.0 - x - y) * share))

    def _to_uvy(self, x: Scalar, y: Scalar, z: Scalar) -> Vec:
        share = _reciprocal(x + 15.0 * y + 3.0 * z)
        return Vec((4.0 * x * share, 9.0 * y * share, y))

    def _from_uvy(self, u: Scalar, v: Scalar, luminance: Scalar) -> Vec:
        share = _reciprocal(v)
        x = 2.25 * luminance * u * share
        return Vec((x, luminance, luminance * (3.0 - 0.75 * u - 5.0 * v) * share))

    def _to_luv(self, x: Scalar, y: Scalar, z: Scalar) -> Vec:
        u, v, _ = self._to_uvy(x, y, z)
        lightness = select(y <= KNEE, y * 9.0329629629629608, 1.16 * pow(y, 1.0 / 3.0) - 0.16)
        return Vec((lightness, 13.0 * lightness * (u - D65_U), 13.0 * lightness * (v - D65_V)))

    def _from_luv(self, lightness: Scalar, u_star: Scalar, v_star: Scalar) -> Vec:
        share = _reciprocal(lightness) * (1.0 / 13.0)
        root = (lightness + 0.16) * (1.0 / 1.16)
        luminance = select(lightness <= 0.08, lightness * 0.11070564598794539, root * root * root)
        return self._from_uvy(u_star * share + D65_U, v_star * share + D65_V, luminance)

    def inverse(self) -> CieCoordinates:
        return self.turned()


def _reciprocal(x: Scalar) -> Scalar:
    """Return 1 / x; 0 at 0 and so close to it that float32 has no reciprocal."""
    return select(absolute(x) < FLOAT_MIN, 0.0, 1.0 / x)
