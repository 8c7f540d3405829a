"""AcesRedModifier."""

from __future__ import annotations

from engine.kernel.op import ColorOp, choice
from engine.kernel.pixel import Pixel, Scalar, Value, Vec, absolute, atan2, maximum, minimum, select, sqrt
from engine.ops.aces_glow import saturation_weight

PIVOT = 0.03
"""Scene-linear value at which red is unchanged."""
SQRT_3 = 1.7320508075688772
RADIAN = 57.29577951308232
LEAST_WEIGHT = 1e-22
"""Smaller weights count as 0: at the edge of the affected hues, rounding alone decides whether there is a weight."""


class AcesRedModifier(ColorOp):
    """Pull saturated reds towards `PIVOT`, as the ACES reference rendering does. ACES2065-1 RGB in and out.

    Version 0.3 keeps the hue by moving the middle channel too; 1.0 moves only red. Reverse assumes that red is the
    largest channel, so it is exact within the affected hues. Source: Academy ACES CTL, RRT of releases 0.3 and 1.0
    (`rrt.ctl`, `cubic_basis_shaper`).
    """

    label = "ACES red modifier"

    version: str = choice("1.0", "0.3", help="Release of ACES whose constants are used")
    direction: str = choice("forward", "reverse", help="reverse undoes it")

    def pixel(self, px: Pixel) -> Value:
        scale, width = (0.82, 135.0) if self.version == "1.0" else (0.85, 120.0)
        weight = self._hue_weight(px, width)
        strength = weight * (1.0 - scale)
        moved = self._pulled(px, strength) if self.direction == "forward" else self._released(px, strength)
        red = select(weight > LEAST_WEIGHT, moved, px.r)
        if self.version == "1.0":
            return Vec((red, px.g, px.b))
        green, blue = self._same_hue(px, red)
        return Vec((red, select(weight > LEAST_WEIGHT, green, px.g), select(weight > LEAST_WEIGHT, blue, px.b)))

    @staticmethod
    def _hue_weight(px: Pixel, width: float) -> Scalar:
        """Return a cubic B-spline over `width` degrees of hue, 1 at red."""
        hue = atan2(SQRT_3 * (px.g - px.b), 2.0 * px.r - (px.g + px.b))
        away = absolute(hue) * (4.0 * RADIAN / width)
        outer, inner = maximum(2.0 - away, 0.0), maximum(1.0 - away, 0.0)
        return 0.25 * (outer * outer * outer) - inner * inner * inner

    @staticmethod
    def _pulled(px: Pixel, strength: Scalar) -> Scalar:
        return px.r + strength * saturation_weight(px) * (PIVOT - px.r)

    @staticmethod
    def _released(px: Pixel, strength: Scalar) -> Scalar:
        """Invert `_pulled`: return the larger root of its quadratic, with red as the largest channel."""
        least = minimum(px.g, px.b)
        a = strength - 1.0
        b = px.r - strength * (PIVOT + least)
        c = strength * PIVOT * least
        return (-b - sqrt(b * b - 4.0 * a * c)) / (2.0 * a)

    @staticmethod
    def _same_hue(px: Pixel, red: Scalar) -> tuple[Scalar, Scalar]:
        """Return green and blue for the new `red`: the middle channel keeps its relative place between the others."""
        green = (px.g - px.b) / maximum(px.r - px.b, 1e-10) * (red - px.b) + px.b
        blue = (px.b - px.g) / maximum(px.r - px.g, 1e-10) * (red - px.g) + px.g
        green_is_middle = px.g >= px.b
        return select(green_is_middle, green, px.g), select(green_is_middle, px.b, blue)

    def inverse(self) -> AcesRedModifier:
        return self.turned()
