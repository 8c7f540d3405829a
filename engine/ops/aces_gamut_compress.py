"""AcesGamutCompress."""

from __future__ import annotations

from engine.errors import GradeError
from engine.kernel.op import ColorOp, Numbers, choice, slider
from engine.kernel.pixel import FLOAT_MIN, Pixel, Value, Vec, absolute, maximum, pow, select


class AcesGamutCompress(ColorOp):
    """Bring colours outside the gamut back in: the ACES 1.3 reference gamut compression. ACEScg RGB in and out.

    The distance of a channel from the largest one, relative to it, is unchanged up to the threshold; beyond, it is
    compressed so that the limit falls on the gamut boundary. Limits and thresholds are for cyan, magenta and yellow.
    Source: Academy ACES CTL 1.3, `LMT.Academy.ReferenceGamutCompress.ctl`.
    """

    label = "ACES gamut compress"

    limit: Numbers = slider((1.147, 1.264, 1.312), 1.001, 2.0, minimum=1.000001, help="Distance mapped to the boundary")
    threshold: Numbers = slider(
        (0.815, 0.803, 0.880), 0.0, 0.9999, minimum=0.0, help="Distance left unchanged up to here"
    )
    power: float = slider(1.2, 1.0, 5.0, minimum=1.0, help="How sharp the curve bends", visible=(1.0, 3.0))
    direction: str = choice("forward", "reverse", help="reverse expands again")

    def check(self) -> None:
        if max(self.threshold) >= 1.0:
            raise GradeError("a threshold of the gamut compression must be below 1")

    def pixel(self, px: Pixel) -> Value:
        most = maximum(maximum(px.r, px.g), px.b)
        size = absolute(most)
        distance = (most - px.rgb) / size
        room = self.limit - self.threshold
        scale = room / pow(1.0 / pow((1.0 - self.threshold) / room, self.power) - 1.0, 1.0 / self.power)
        bend = self._compressed if self.direction == "forward" else self._expanded
        bent = most - bend(distance, scale) * size
        black = size < FLOAT_MIN  # too close to 0 for float32 to divide by
        return select(black, Vec((0.0, 0.0, 0.0)), select(distance < self.threshold, px.rgb, bent))

    def _compressed(self, distance: Vec, scale: Vec) -> Value:
        below = scale / (distance - self.threshold)  # the reciprocal, whose power does not overflow
        return self.threshold + scale / pow(1.0 + pow(below, self.power), 1.0 / self.power)

    def _expanded(self, distance: Vec, scale: Vec) -> Value:
        power = pow((distance - self.threshold) / scale, self.power)
        grown = self.threshold + scale * pow(power / (1.0 - power), 1.0 / self.power)
        return select(distance >= self.threshold + scale, distance, grown)

    def inverse(self) -> AcesGamutCompress:
        return self.turned()
