"""Exponent."""

from __future__ import annotations

from engine.kernel.op import ColorOp, Numbers, choice, slider
from engine.kernel.pixel import Pixel, Value, Vec, maximum, mirrored, pow, select


class Exponent(ColorOp):
    """Raise each channel to a power: a plain gamma. RGB in and out.

    `negative` selects what happens below 0: clamp to 0, mirror the curve, or pass the value through.
    """

    exponent: Numbers = slider((1.0, 1.0, 1.0), 0.1, 4.0, minimum=1e-6, help="Above 1 darkens mid tones")
    negative: str = choice("clamp", "mirror", "pass", help="What happens below 0")
    alpha: float = slider(1.0, 0.1, 4.0, minimum=1e-6, help="Exponent of alpha, if it is raised too")
    channels: str = choice("rgb", "rgba", help="rgba raises alpha as well")

    def pixel(self, px: Pixel) -> Value:
        x, exponent = px.rgb, self.exponent
        if self.channels == "rgba":
            x, exponent = px.rgba, Vec((*self.exponent, self.alpha))
        if self.negative == "mirror":
            return mirrored(lambda y: pow(y, exponent), x)
        if self.negative == "pass":
            return select(x > 0.0, pow(x, exponent), x)
        return pow(maximum(x, 0.0), exponent)

    def is_identity(self) -> bool:
        return self.negative != "clamp" and self.exponent == (1.0, 1.0, 1.0) and self.channels == "rgb"

    def inverse(self) -> Exponent:
        """Exact for values that were not clamped."""
        return self.replace(exponent=tuple(1.0 / e for e in self.exponent), alpha=1.0 / self.alpha)
