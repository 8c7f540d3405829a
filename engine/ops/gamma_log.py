"""GammaLog."""

from __future__ import annotations

from engine.errors import GradeError
from engine.kernel.op import ColorOp, choice, slider
from engine.kernel.pixel import Pixel, Scalar, Value, absolute, exp2_affine, log2, pow, select


class GammaLog(ColorOp):
    """A power near black and a logarithm above, as in HLG and Apple Log. RGB in and out.

    Below `lin_break`: gamma_slope * (x + gamma_offset) ** gamma. Above: log_slope * log(lin_slope * x +
    lin_offset) + log_offset. Odd about `mirror`. Forward goes from linear to encoded. Source: OpenColorIO's
    documentation of FIXED_FUNCTION_LIN_TO_GAMMA_LOG; with its constants, ITU-R BT.2100-2, table 5, OETF of HLG.
    """

    label = "Gamma and log"

    mirror: float = slider(0.0, -1.0, 1.0, help="Point of symmetry")
    lin_break: float = slider(0.25, 0.0, 1.0, help="Linear value where the logarithm begins")
    gamma: float = slider(0.5, 0.1, 3.0, minimum=1e-6)
    gamma_slope: float = slider(1.0, 0.1, 20.0, visible=(0.1, 5.0))
    gamma_offset: float = slider(0.0, -1.0, 1.0)
    base: float = slider(2.718281828459045, 2.0, 10.0, minimum=1.000001)
    log_slope: float = slider(0.17883277, 0.01, 2.0)
    log_offset: float = slider(0.807825590164, -1.0, 2.0)
    lin_slope: float = slider(1.0, 0.01, 10.0, visible=(0.01, 2.0))
    lin_offset: float = slider(-0.07116723, -1.0, 1.0)
    direction: str = choice("forward", "reverse", help="forward: linear to encoded")

    def check(self) -> None:
        if 0.0 in (self.gamma_slope, self.log_slope, self.lin_slope):
            raise GradeError("a slope of a gamma and log curve must not be 0")

    def pixel(self, px: Pixel) -> Value:
        if self.direction == "forward":
            return self._about(self.mirror, self._encoded, px.rgb)
        return self._about(self._gamma_part(self.mirror), self._linear, px.rgb)

    @staticmethod
    def _about(mirror: Scalar, curve: Value, x: Value) -> Value:
        """Apply the curve to the distance from `mirror`, and restore the sign of that distance."""
        y = curve(absolute(x - mirror) + mirror)
        return select(x - mirror < 0.0, -y, y)

    def _encoded(self, x: Value) -> Value:
        curved = log2(self.lin_slope * x + self.lin_offset) * (self.log_slope / log2(self.base)) + self.log_offset
        return select(x < self.lin_break, self._gamma_part(x), curved)

    def _linear(self, y: Value) -> Value:
        scale = log2(self.base) / self.log_slope
        curved = (exp2_affine(y, scale, -self.log_offset * scale) - self.lin_offset) / self.lin_slope
        dark = pow(y / self.gamma_slope, 1.0 / self.gamma) - self.gamma_offset
        return select(y < self._gamma_part(self.lin_break), dark, curved)

    def _gamma_part(self, x: Value) -> Value:
        return self.gamma_slope * pow(x + self.gamma_offset, self.gamma)

    def inverse(self) -> GammaLog:
        return self.turned()
