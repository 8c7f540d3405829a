"""LogAffine."""

from __future__ import annotations

from engine.errors import GradeError
from engine.kernel.op import ColorOp, Numbers, choice, slider
from engine.kernel.pixel import FLOAT_MIN, Pixel, Value, Vec, absolute, exp2_affine, log2, maximum


class LogAffine(ColorOp):
    """log_slope * log(lin_slope * x + lin_offset) + log_offset, as in ACEScc and Cineon. RGB in and out.

    Reverse converts the logarithm back to linear. The argument of the logarithm is clamped to the smallest normal
    float32. Source: SMPTE ST 2136-1 (Common LUT Format), Log, styles linToLog and logToLin.
    """

    label = "Log (affine)"

    log_slope: Numbers = slider((1.0, 1.0, 1.0), 0.01, 2.0)
    log_offset: Numbers = slider((0.0, 0.0, 0.0), -1.0, 2.0)
    lin_slope: Numbers = slider((1.0, 1.0, 1.0), 0.01, 10.0, visible=(0.01, 2.0))
    lin_offset: Numbers = slider((0.0, 0.0, 0.0), -1.0, 1.0)
    base: float = slider(2.0, 2.0, 10.0, minimum=1.000001)
    direction: str = choice("forward", "reverse", help="forward: linear to logarithm")

    def check(self) -> None:
        if 0.0 in self.log_slope or 0.0 in self.lin_slope:
            raise GradeError("a slope of a logarithm must not be 0")

    def pixel(self, px: Pixel) -> Value:
        return self.from_log(px.rgb) if self.direction == "reverse" else self.to_log(px.rgb)

    def to_log(self, x: Vec) -> Value:
        argument = maximum(x * self.lin_slope + self.lin_offset, FLOAT_MIN)
        return log2(argument) * (self.log_slope / log2(self.base)) + self.log_offset

    def from_log(self, y: Vec) -> Value:
        scale = log2(self.base) / self.log_slope
        size = absolute(self.lin_slope)  # divided by in the exponent, to avoid overflow
        argument = exp2_affine(y, scale, -self.log_offset * scale - log2(size)) * (self.lin_slope / size)
        return argument - self.lin_offset / self.lin_slope

    def inverse(self) -> LogAffine:
        return self.replace(direction="reverse" if self.direction == "forward" else "forward")
