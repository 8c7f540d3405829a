"""FilmicContrast."""

from __future__ import annotations

from engine.core.colorimetry import MID_GREY
from engine.kernel.op import ColorOp, choice, derived, slider
from engine.kernel.pixel import FLOAT_MIN, Pixel, Scalar, Value, absolute, clamp, exp2, log2, maximum, sqrt

BEND = 2.0
"""Stops over which the slope changes from that of the middle to that of the toe or shoulder."""
LARGEST = 2.0**120
"""Beyond it the gain is constant, so that it is finite for Inf."""


class FilmicContrast(ColorOp):
    """Contrast about a pivot, with a toe and a shoulder that soften it. Scene-linear RGB in and out, odd about 0.

    In stops about the pivot the curve is a line of slope `contrast`. From `toe_start` stops below and `shoulder_start`
    stops above, the slope falls to contrast / (1 + toe) or contrast / (1 + shoulder) within 2 stops, evenly, and stays
    there. So it is smooth, rises everywhere, and has an exact inverse.
    """

    label = "Filmic contrast"
    home = "scene_linear"

    contrast: float = slider(1.0, 0.2, 4.0, minimum=0.01, help="Slope at the pivot, in stops", visible=(0.5, 2.0))
    pivot: float = slider(
        MID_GREY,
        0.01,
        1.0,
        minimum=1e-6,
        help="Scene-linear value that is unchanged; 0.18 is mid grey",
        visible=(0.01, 0.35),
    )
    toe: float = slider(0.0, 0.0, 4.0, minimum=0.0, help="1 halves the slope of the darkest tones", visible=(0.0, 2.0))
    toe_start: float = slider(
        2.0, 0.0, 8.0, unit="EV", minimum=0.0, help="Stops below the pivot at which the toe begins"
    )
    shoulder: float = slider(
        0.0, 0.0, 4.0, minimum=0.0, help="1 halves the slope of the brightest tones", visible=(0.0, 2.0)
    )
    shoulder_start: float = slider(
        1.0, 0.0, 8.0, unit="EV", minimum=0.0, help="Stops above the pivot at which the shoulder begins"
    )
    direction: str = choice("forward", "reverse", help="reverse undoes it")

    @derived()
    def toe_loss(self) -> float:
        """The share of the slope that the toe takes away."""
        return self.toe / (1.0 + self.toe)

    @derived()
    def shoulder_loss(self) -> float:
        """The share of the slope that the shoulder takes away."""
        return self.shoulder / (1.0 + self.shoulder)

    def pixel(self, px: Pixel) -> Value:
        size = clamp(absolute(px.rgb), FLOAT_MIN, LARGEST)
        stops = log2(size * (1.0 / self.pivot))
        return px.rgb * exp2(self._shift(stops) if self.direction == "forward" else self._shift_back(stops))

    def _shift(self, x: Value) -> Value:
        """Return what the curve adds to a number of stops."""
        lost = self._beyond(x - self.shoulder_start, self.shoulder_loss)
        lost = lost - self._beyond(-self.toe_start - x, self.toe_loss)
        return x * (self.contrast - 1.0) - lost * self.contrast

    @staticmethod
    def _beyond(over: Value, loss: Scalar) -> Value:
        """Return what the lower slope takes away, for a slope of 1, `over` stops after the bend begins."""
        bent = clamp(over, 0.0, BEND)
        return (bent * bent * (0.5 / BEND) + maximum(over - BEND, 0.0)) * loss

    def _shift_back(self, y: Value) -> Value:
        """Return what the inverse curve adds to a number of stops."""
        x = y * (1.0 / self.contrast)
        gained = self._regained(x - self.shoulder_start, self.shoulder_loss)
        gained = gained - self._regained(-self.toe_start - x, self.toe_loss)
        return x - y + gained

    @staticmethod
    def _regained(over: Value, loss: Scalar) -> Value:
        """Return what `_beyond` took away, from what it left of a number of stops."""
        most = BEND - 0.5 * BEND * loss
        bent = clamp(over, 0.0, most)
        whole = 2.0 * bent / (1.0 + sqrt(maximum(1.0 - bent * (loss * (2.0 / BEND)), 0.0)))
        return whole * whole * (loss * (0.5 / BEND)) + maximum(over - most, 0.0) * (loss / (1.0 - loss))

    def is_identity(self) -> bool:
        return (self.contrast, self.toe, self.shoulder) == (1.0, 0.0, 0.0)

    def inverse(self) -> FilmicContrast:
        return self.turned()
