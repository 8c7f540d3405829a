"""Saturation."""

from __future__ import annotations

from engine.errors import GradeError
from engine.kernel.op import ColorOp, slider
from engine.kernel.pixel import Pixel, Value, dot
from engine.ops.cdl import REC709_LUMA


class Saturation(ColorOp):
    """Move each colour away from or towards the grey with its Rec.709 luma. RGB in and out, unbounded."""

    saturation: float = slider(
        1.0, 0.0, 4.0, minimum=0.0, help="0 is grey, 1 leaves the image as it is", visible=(0.0, 2.0)
    )

    def pixel(self, px: Pixel) -> Value:
        luma = dot(REC709_LUMA, px.rgb)
        return (px.rgb - luma) * self.saturation + luma

    def is_identity(self) -> bool:
        return self.at_default()

    def inverse(self) -> Saturation:
        if self.saturation == 0.0:
            raise GradeError("a saturation of 0 has no inverse")
        return Saturation(1.0 / self.saturation)
