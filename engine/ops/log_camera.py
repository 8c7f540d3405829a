"""LogCamera."""

from __future__ import annotations

from engine.errors import GradeError
from engine.kernel.op import ColorOp, Numbers, choice, slider
from engine.kernel.pixel import FLOAT_MIN, Pixel, Value, Vec, absolute, exp2_affine, log2, maximum, select


class LogCamera(ColorOp):
    """A camera's log curve: LogAffine with a straight piece below `lin_break`, as in ACEScct, LogC and S-Log3.

    RGB in and out. With `slope` given, the slope of the straight piece is `linear_slope`; with `slope` matched, that of
    the curve at the break. In both cases the pieces meet. Source: SMPTE ST 2136-1 (Common LUT Format), Log, styles
    cameraLinToLog and cameraLogToLin.
    """

    label = "Log (camera)"

    log_slope: Numbers = slider((1.0, 1.0, 1.0), 0.01, 2.0)
    log_offset: Numbers = slider((0.0, 0.0, 0.0), -1.0, 2.0)
    lin_slope: Numbers = slider((1.0, 1.0, 1.0), 0.01, 10.0, visible=(0.01, 2.0))
    lin_offset: Numbers = slider((0.0, 0.0, 0.0), -1.0, 1.0)
    lin_break: Numbers = slider((0.01, 0.01, 0.01), 0.0, 0.1, help="Linear value where the straight piece ends")
    linear_slope: Numbers = slider((1.0, 1.0, 1.0), 0.1, 20.0, help="Slope of the straight piece, if it is given")
    base: float = slider(2.0, 2.0, 10.0, minimum=1.000001)
    slope: str = choice("matched", "given", help="Where the slope of the straight piece comes from")
    direction: str = choice("forward", "reverse", help="forward: linear to logarithm")

    def check(self) -> None:
        if 0.0 in self.log_slope or 0.0 in self.lin_slope or (self.slope == "given" and 0.0 in self.linear_slope):
            raise GradeError("a slope of a logarithm must not be 0")
        curve = zip(self.lin_slope, self.lin_break, self.lin_offset, strict=True)
        if any(slope * x + offset <= 0.0 for slope, x, offset in curve):
            raise GradeError("the break of a camera log must lie where the logarithm is defined")

    def pixel(self, px: Pixel) -> Value:
        return self._from_log(px.rgb) if self.direction == "reverse" else self._to_log(px.rgb)

    def _to_log(self, x: Vec) -> Value:
        scale, at_break, straight = self._pieces()
        argument = maximum(x * self.lin_slope + self.lin_offset, FLOAT_MIN)
        return select(
            x < self.lin_break,
            x * straight + (at_break - self.lin_break * straight),
            log2(argument) * scale + self.log_offset,
        )

    def _from_log(self, y: Vec) -> Value:
        scale, at_break, straight = self._pieces()
        size = absolute(self.lin_slope)  # divided by in the exponent, to avoid overflow
        argument = exp2_affine(y, 1.0 / scale, -self.log_offset / scale - log2(size)) * (self.lin_slope / size)
        return select(
            y > at_break, argument - self.lin_offset / self.lin_slope, (y - at_break) / straight + self.lin_break
        )

    def _pieces(self) -> tuple[Value, Value, Value]:
        """Return the scale from log2 to encoded values, the encoded value at the break, and the slope below it."""
        scale = self.log_slope / log2(self.base)
        argument = self.lin_slope * self.lin_break + self.lin_offset
        at_break = log2(argument) * scale + self.log_offset
        if self.slope == "given":
            return scale, at_break, self.linear_slope
        return scale, at_break, scale * self.lin_slope * LOG2_E / argument

    def inverse(self) -> LogCamera:
        return self.replace(direction="reverse" if self.direction == "forward" else "forward")


LOG2_E = 1.4426950408889634
