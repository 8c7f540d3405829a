"""Contrast."""

from __future__ import annotations

from engine.core.colorimetry import MID_GREY
from engine.kernel.op import ColorOp, slider
from engine.kernel.pixel import Pixel, Value, mirrored, pow


class Contrast(ColorOp):
    """Contrast about a fixed pivot: pivot * (x / pivot) ** contrast, odd about 0.

    Scene-linear RGB in and out. The same curve as the contrast of OpenColorIO's GradingPrimary, style linear.
    """

    home = "scene_linear"

    contrast: float = slider(
        1.0, 0.2, 4.0, minimum=1e-6, help="Above 1 spreads the tones away from the pivot", visible=(0.5, 1.5)
    )
    pivot: float = slider(
        MID_GREY,
        0.01,
        1.0,
        minimum=1e-6,
        help="Scene-linear value that is unchanged; 0.18 is mid grey",
        visible=(0.01, 0.35),
    )

    def pixel(self, px: Pixel) -> Value:
        return mirrored(lambda x: pow(x * (1.0 / self.pivot), self.contrast) * self.pivot, px.rgb)

    def is_identity(self) -> bool:
        return self.contrast == 1.0

    def inverse(self) -> Contrast:
        return self.replace(contrast=1.0 / self.contrast)
