"""Premultiply."""

from __future__ import annotations

from engine.kernel.op import ColorOp, choice
from engine.kernel.pixel import Pixel, Value, absolute, select

LEAST_ALPHA = 2.0**-60
"""A smaller alpha counts as 0: a division by it would soon reach the limits of float32."""


class Premultiply(ColorOp):
    """Multiply RGB by alpha; reverse (unpremultiply) divides by it. RGB is kept where alpha is 0, as in a glow.

    Grading between the two, reverse first, changes the colours of a transparent pixel as those of an opaque one.
    """

    home = "linear"

    direction: str = choice("forward", "reverse", help="reverse: divide by alpha")

    def pixel(self, px: Pixel) -> Value:
        alpha = select(absolute(px.a) >= LEAST_ALPHA, px.a, 1.0)
        return px.rgb * alpha if self.direction == "forward" else px.rgb / alpha

    def inverse(self) -> Premultiply:
        return self.turned()
