"""ExponentWithLinear."""

from __future__ import annotations

from engine.errors import GradeError
from engine.kernel.op import ColorOp, Numbers, choice, slider
from engine.kernel.pixel import Pixel, Value, Vec, mirrored, pow, select


class ExponentWithLinear(ColorOp):
    """A gamma with a straight piece near black, as in sRGB (2.4, 0.055), Rec.709 and L*. RGB in and out.

    Forward, encoded to linear: ((x + offset) / (1 + offset)) ** gamma above the break, and below it the tangent through
    0, which touches the curve there. `negative` linear continues the tangent below 0; mirror makes the curve odd.
    Source: SMPTE ST 2136-1 (Common LUT Format), Exponent, styles monCurve.
    """

    label = "Exponent with linear part"

    gamma: Numbers = slider(
        (2.4, 2.4, 2.4), 1.01, 10.0, minimum=1.000001, help="Exponent above the break", visible=(1.01, 4.0)
    )
    offset: Numbers = slider(
        (0.055, 0.055, 0.055), 0.001, 0.9, minimum=1e-9, help="Moves the break", visible=(0.001, 0.2)
    )
    negative: str = choice("linear", "mirror", help="What happens below 0")
    direction: str = choice("forward", "reverse", help="forward: encoded to linear")
    alpha: Numbers = slider((2.4, 0.055), 0.001, 10.0, minimum=1e-9, help="Gamma and offset of alpha, if it is raised")
    channels: str = choice("rgb", "rgba", help="rgba raises alpha as well")

    def check(self) -> None:
        if self.alpha[0] <= 1.0:
            raise GradeError(f"the gamma of alpha must be above 1, not {self.alpha[0]:g}")

    def pixel(self, px: Pixel) -> Value:
        curve = self._to_linear if self.direction == "forward" else self._to_encoded
        x = px.rgb if self.channels == "rgb" else px.rgba
        return mirrored(curve, x) if self.negative == "mirror" else curve(x)

    def _to_linear(self, x: Vec) -> Value:
        gamma, offset, near, _, slope = self._curve()
        curved = pow((x + offset) * (1.0 / (1.0 + offset)), gamma)
        return select(x > near, curved, x * slope)

    def _to_encoded(self, y: Vec) -> Value:
        gamma, offset, _, far, slope = self._curve()
        curved = pow(y, 1.0 / gamma) * (1.0 + offset) - offset
        return select(y > far, curved, y / slope)

    def _curve(self) -> tuple[Value, Value, Value, Value, Value]:
        """Gamma; offset; where the straight piece ends, encoded and linear; its slope."""
        gamma, offset = self.gamma, self.offset
        if self.channels == "rgba":
            gamma, offset = Vec((*gamma, self.alpha[0])), Vec((*offset, self.alpha[1]))
        near = offset / (gamma - 1.0)
        far = pow(near * gamma / (1.0 + offset), gamma)
        return gamma, offset, near, far, far / near

    def inverse(self) -> ExponentWithLinear:
        return self.replace(direction="reverse" if self.direction == "forward" else "forward")
