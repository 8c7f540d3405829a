"""Exposure."""

from __future__ import annotations

import math

from engine.kernel.op import ColorOp, slider
from engine.kernel.pixel import Pixel, Value, exp2


def gain_of(stops: float) -> float:
    """Return 2 to the power of `stops`; infinity beyond the range of a float."""
    return 2.0**stops if stops < 1024.0 else math.inf


class Exposure(ColorOp):
    """Scale scene-linear values: one stop doubles. Scene-linear RGB in and out, unbounded."""

    home = "linear"

    stops: float = slider(0.0, -10.0, 10.0, unit="EV", help="One stop doubles the values", visible=(-4.0, 4.0))

    def pixel(self, px: Pixel) -> Value:
        return px.rgb * exp2(self.stops)

    def is_identity(self) -> bool:
        return self.at_default()

    def inverse(self) -> Exposure:
        return Exposure(-self.stops)
