"""PqCurve."""

from __future__ import annotations

from engine.kernel.op import ColorOp, choice
from engine.kernel.pixel import Pixel, Scalar, Value, exp2, log2, maximum, mirrored, pow

M1, M2 = 2610.0 / 16384.0, 2523.0 / 32.0
C2, C3 = 2413.0 / 128.0, 2392.0 / 128.0
C1 = C3 - C2 + 1.0
"""Constants of SMPTE ST 2084, equations 4.1 and 5.2."""
LOG2_E, LN_2 = 1.4426950408889634, 0.6931471805599453
PEAK = 100.0
"""Linear value of 10000 nits."""
NO_LIGHT = -0.2
"""Natural logarithm, divided by M2, of a signal that is darker than black."""


class PqCurve(ColorOp):
    """Linear values, 1 for 100 nits, to the perceptual quantiser's signal, 1 for 10000 nits; reverse goes back.

    RGB in and out; odd about 0. The quotient of the formula is close to 1 and is raised to the power 78.8, so the code
    computes with its distance from 1. Source: SMPTE ST 2084:2014.
    """

    label = "PQ curve"

    direction: str = choice("forward", "reverse", help="forward: linear to signal")

    def pixel(self, px: Pixel) -> Value:
        curve = self._to_signal if self.direction == "forward" else self._to_light
        return mirrored(curve, px.rgb)

    @staticmethod
    def _to_signal(light: Scalar) -> Scalar:
        y = pow(light * (1.0 / PEAK), M1)
        below = (1.0 - C1) * (1.0 - y) / (1.0 + C3 * y)
        w = below / (2.0 - below)  # ln(1 - below) = -2 artanh(w), a fast-converging series
        square = w * w
        series = 1.0 + square * (1.0 / 3.0 + square * (1.0 / 5.0 + square * (1.0 / 7.0 + square * (1.0 / 9.0))))
        return exp2(w * series * (-2.0 * M2 * LOG2_E))

    @staticmethod
    def _to_light(signal: Scalar) -> Scalar:
        v = maximum(NO_LIGHT, log2(signal) * (LN_2 / M2))
        above = 0.0  # exp(v) - 1, as a series
        for n in range(9, 0, -1):
            above = v / n * (1.0 + above)
        light = maximum(0.0, (1.0 - C1) + above) / ((C2 - C3) - C3 * above)
        return PEAK * pow(light, 1.0 / M1)

    def inverse(self) -> PqCurve:
        return self.turned()
