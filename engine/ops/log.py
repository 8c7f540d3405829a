"""Log."""

from __future__ import annotations

from engine.kernel.op import ColorOp, choice, slider
from engine.kernel.pixel import FLOAT_MIN, Pixel, Value, exp2_affine, log2, maximum


class Log(ColorOp):
    """Logarithm of scene-linear values to a base; reverse raises the base to a power. RGB in and out.

    Forward clamps the input to the smallest normal float32, so that 0 and below give a finite number.
    """

    base: float = slider(2.0, 2.0, 10.0, minimum=1.000001, help="2: stops; 10: density")
    direction: str = choice("forward", "reverse", help="forward: linear to logarithm")

    def pixel(self, px: Pixel) -> Value:
        if self.direction == "reverse":
            return exp2_affine(px.rgb, log2(self.base), 0.0)
        return log2(maximum(px.rgb, FLOAT_MIN)) * (1.0 / log2(self.base))

    def inverse(self) -> Log:
        return self.replace(direction="reverse" if self.direction == "forward" else "forward")
