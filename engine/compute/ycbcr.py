"""The conversion of planes to R'G'B' and back, as ops that run before or after those of a grade, in the same kernel."""

from __future__ import annotations

from typing import Any, Self

from engine.compute.planar import WEIGHTS, PlanarFormat
from engine.core.records import dataclass
from engine.kernel.op import ColorOp, choice, slider
from engine.kernel.pixel import HALF_MAX, Pixel, Vec, clamp


@dataclass(frozen=True)
class PlanarOp(ColorOp, abstract=True):
    """The numbers of a format; like all ops here it is never an entry of a grade, and not in the registry.

    `weights` are K_R and K_B; `luma` and `chroma` the code of 0 and the codes from there to 1; `opaque` is the code of
    an alpha of 1. The kind `identity` is for planes of G', B', R' on the scale of luma.
    """

    kind: str = choice("ycbcr", "identity")
    weights: Any = slider((0.2126, 0.0722), 0.0, 1.0)
    luma: Any = slider((16.0, 219.0), 0.0, 65535.0)
    chroma: Any = slider((128.0, 224.0), 0.0, 65535.0)
    opaque: float = slider(1.0, 1.0, 65535.0)

    @classmethod
    def of(cls, format: PlanarFormat) -> Self:
        """Return the op for a format. Without a plane of alpha, alpha is not converted."""
        is_rgb, opaque = format.matrix == "identity", float(format.largest) if format.alpha else 1.0
        weights = WEIGHTS["bt709" if is_rgb else format.matrix]
        return cls("identity" if is_rgb else "ycbcr", weights, format.luma_codes, format.chroma_codes, opaque)


@dataclass(frozen=True)
class YcbcrToRgb(PlanarOp, abstract=True):
    """Codes of Y', Cb, Cr (R, G, B of the pixel) to R'G'B': ITU-T H.273, equations 20 to 31 and 38 to 40, inverted.

    E'Y = (Y' - black) / luma, E'PB = (Cb - zero) / chroma, E'PR = (Cr - zero) / chroma, and then
    R' = E'Y + 2 (1 - K_R) E'PR, B' = E'Y + 2 (1 - K_B) E'PB, G' = (E'Y - K_R R' - K_B B') / (1 - K_R - K_B).
    Nothing is clamped: codes beyond black and white become numbers beyond 0 and 1.
    """

    def pixel(self, px: Pixel) -> Vec:
        black, luma = self.luma
        alpha = px.a * (1.0 / self.opaque)
        if self.kind == "identity":
            green, blue, red = (px.rgb - black) * (1.0 / luma)
            return Vec((red, green, blue, alpha))
        zero, chroma = self.chroma
        k_red, k_blue = self.weights
        k_green = 1.0 - k_red - k_blue
        y, cb, cr = (px.r - black) * (1.0 / luma), px.g - zero, px.b - zero
        of_cb, of_cr = 2.0 * (1.0 - k_blue) / chroma, 2.0 * (1.0 - k_red) / chroma
        green = y + cr * -(of_cr * k_red / k_green) + cb * -(of_cb * k_blue / k_green)
        return Vec((y + cr * of_cr, green, y + cb * of_cb, alpha))


@dataclass(frozen=True)
class RgbToYcbcr(PlanarOp, abstract=True):
    """R'G'B' to codes of Y', Cb, Cr, neither rounded nor clamped: the inverse of YcbcrToRgb.

    Numbers beyond those of half floats are clamped to them first, and NaN to the lowest, so that Inf gives white.
    E'Y = K_R R' + (1 - K_R - K_B) G' + K_B B', E'PB = (B' - E'Y) / (2 (1 - K_B)), E'PR = (R' - E'Y) / (2 (1 - K_R)).
    """

    def pixel(self, px: Pixel) -> Vec:
        black, luma = self.luma
        red, green, blue, alpha = clamp(px.rgba, -HALF_MAX, HALF_MAX)
        alpha = alpha * self.opaque
        if self.kind == "identity":
            return Vec((green * luma + black, blue * luma + black, red * luma + black, alpha))
        zero, chroma = self.chroma
        k_red, k_blue = self.weights
        y = green + (red - green) * k_red + (blue - green) * k_blue
        cb = (blue - y) * (chroma / (2.0 * (1.0 - k_blue))) + zero
        cr = (red - y) * (chroma / (2.0 * (1.0 - k_red))) + zero
        return Vec((y * luma + black, cb, cr, alpha))
