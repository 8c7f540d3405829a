"""ExponentWithLinear."""

from __future__ import annotations

from engine.op import ColorOp, Numbers, choice, slider
from engine.pixel import Pixel, Value, Vec, mirrored, pow, select


class ExponentWithLinear(ColorOp):
    """A gamma with a straight piece near black, as in sRGB (2.4, 0.055), Rec.709 and L*. RGB in and out.

    Forward, encoded to linear: ((x + offset) / (1 + offset)) ** gamma above the break, which lies where the tangent
    through 0 touches, and that tangent below. `negative` linear goes on below 0; mirror makes the curve odd.
    Source: SMPTE ST 2136-1 (Common LUT Format), Exponent, styles monCurve.
    """

    label = "Exponent with linear part"

    gamma: Numbers = slider((2.4, 2.4, 2.4), 1.01, 10.0, minimum=1.000001, help="Exponent above the break")
    offset: Numbers = slider((0.055, 0.055, 0.055), 0.001, 0.9, minimum=1e-9, help="Moves the break")
    negative: str = choice("linear", "mirror", help="What happens below 0")
    direction: str = choice("forward", "reverse", help="forward: encoded to linear")

    def pixel(self, px: Pixel) -> Value:
        curve = self._to_linear if self.direction == "forward" else self._to_encoded
        return mirrored(curve, px.rgb) if self.negative == "mirror" else curve(px.rgb)

    def _to_linear(self, x: Vec) -> Value:
        near, _, slope = self._break()
        curved = pow((x + self.offset) * (1.0 / (1.0 + self.offset)), self.gamma)
        return select(x > near, curved, x * slope)

    def _to_encoded(self, y: Vec) -> Value:
        _, far, slope = self._break()
        curved = pow(y, 1.0 / self.gamma) * (1.0 + self.offset) - self.offset
        return select(y > far, curved, y / slope)

    def _break(self) -> tuple[Value, Value, Value]:
        """Where the straight piece ends, encoded and linear, and its slope."""
        near = self.offset / (self.gamma - 1.0)
        far = pow(near * self.gamma / (1.0 + self.offset), self.gamma)
        return near, far, far / near

    def inverse(self) -> ExponentWithLinear:
        return self.replace(direction="reverse" if self.direction == "forward" else "forward")
