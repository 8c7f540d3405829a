"""DoubleLog."""

from __future__ import annotations

from engine.errors import GradeError
from engine.kernel.op import ColorOp, Numbers, choice, slider
from engine.kernel.pixel import Pixel, Scalar, Value, exp2_affine, log2, select


class DoubleLog(ColorOp):
    """Two logarithms with a straight line between, as in Canon Log 2 and 3. RGB in and out.

    The first logarithm applies up to `breaks[0]`, the second from `breaks[1]` on: log_slope * log(lin_slope * x +
    lin_offset) + log_offset, where each field holds the values of the first and the second. Forward goes from linear to
    encoded. Source: OpenColorIO's documentation of FIXED_FUNCTION_LIN_TO_DOUBLE_LOG; Canon, "Canon Log gamma curves",
    2018, for the shape.
    """

    label = "Double log"

    base: float = slider(10.0, 2.0, 10.0, minimum=1.000001)
    breaks: Numbers = slider((0.0, 0.0), -1.0, 1.0, help="Linear values where the straight line begins and ends")
    log_slope: Numbers = slider((-0.45310179, 0.45310179), -2.0, 2.0)
    log_offset: Numbers = slider((0.12783901, 0.12783901), -1.0, 2.0)
    lin_slope: Numbers = slider((-10.1596, 10.1596), -20.0, 20.0)
    lin_offset: Numbers = slider((1.0, 1.0), -1.0, 2.0)
    slope: float = slider(1.0, 0.1, 10.0, help="Slope of the straight line", visible=(0.1, 2.0))
    offset: float = slider(0.0, -1.0, 1.0, help="Offset of the straight line")
    direction: str = choice("forward", "reverse", help="forward: linear to encoded")

    def check(self) -> None:
        if 0.0 in (*self.log_slope, *self.lin_slope, self.slope):
            raise GradeError("a slope of a double log curve must not be 0")

    def pixel(self, px: Pixel) -> Value:
        x, (first, second) = px.rgb, self.breaks
        if self.direction == "forward":
            straight = x * self.slope + self.offset
            return select(x <= first, self._log(0, x), select(x < second, straight, self._log(1, x)))
        straight = (x - self.offset) / self.slope
        far = select(x < self._log(1, second), straight, self._linear(1, x))
        return select(x <= self._log(0, first), self._linear(0, x), far)

    def _log(self, which: int, x: Value) -> Value:
        argument = self.lin_slope[which] * x + self.lin_offset[which]
        return log2(argument) * (self.log_slope[which] / log2(self.base)) + self.log_offset[which]

    def _linear(self, which: int, y: Value) -> Value:
        scale: Scalar = log2(self.base) / self.log_slope[which]
        argument = exp2_affine(y, scale, -self.log_offset[which] * scale)
        return (argument - self.lin_offset[which]) / self.lin_slope[which]

    def inverse(self) -> DoubleLog:
        return self.turned()
