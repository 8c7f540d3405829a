"""Aces2GamutCompress."""

from __future__ import annotations

from engine.kernel.pixel import Pixel, Value, Vec
from engine.ops import aces2_model as model
from engine.ops.aces2_rendering import Aces2Display


class Aces2GamutCompress(Aces2Display):
    """The gamut compression of ACES 2, on J, M and h in degrees of ACES2065-1, after the tone scale.

    Hue is wrapped to 0..360. Formulas and source: see `aces2_model`.
    """

    label = "ACES 2 gamut compress"

    def pixel(self, px: Pixel) -> Value:
        p = self.rendering()
        hue = model.wrapped(px.b)
        j, m = model.gamut_compressed(px.r, px.g, hue, model.reach_at(hue, p), p, expand=self.direction == "reverse")
        return Vec((j, m, hue))

    def inverse(self) -> Aces2GamutCompress:
        """Exact for colours within the limiting gamut."""
        return self.turned()
