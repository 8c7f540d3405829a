"""Exponent."""

from __future__ import annotations

from engine.op import ColorOp, Numbers, choice, slider
from engine.pixel import Pixel, Value, maximum, mirrored, pow, select


class Exponent(ColorOp):
    """Raise each channel to a power: a plain gamma. RGB in and out.

    `negative` says what happens below 0: clamp to 0, mirror the curve, or pass the value through.
    """

    exponent: Numbers = slider((1.0, 1.0, 1.0), 0.1, 4.0, minimum=1e-6, help="Above 1 darkens mid tones")
    negative: str = choice("clamp", "mirror", "pass", help="What happens below 0")

    def pixel(self, px: Pixel) -> Value:
        if self.negative == "mirror":
            return mirrored(lambda x: pow(x, self.exponent), px.rgb)
        if self.negative == "pass":
            return select(px.rgb > 0.0, pow(px.rgb, self.exponent), px.rgb)
        return pow(maximum(px.rgb, 0.0), self.exponent)

    def is_identity(self) -> bool:
        return self.negative != "clamp" and self.exponent == (1.0, 1.0, 1.0)

    def inverse(self) -> Exponent:
        """Exact for what was not clamped."""
        return self.replace(exponent=tuple(1.0 / e for e in self.exponent))
