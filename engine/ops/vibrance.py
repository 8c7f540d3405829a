"""Vibrance."""

from __future__ import annotations

import math

from engine.core.colorimetry import LUMA
from engine.kernel.op import ColorOp, Numbers, derived, slider
from engine.kernel.pixel import Pixel, Scalar, Value, Vec, dot, maximum, sqrt
from engine.ops.opponent import Plane, plane_of, unless_huge
from engine.ops.tone_ranges import smooth

SKIN_HUE = 14.0
"""Hue of the light skin patch of the ColorChecker in the opponent plane, in degrees (sRGB values of X-Rite, 2005)."""


class Vibrance(ColorOp):
    """Saturation that works on weak colours most and spares skin. Scene-linear RGB in and out, unbounded.

    Colours move away from the grey of their luma Y (BT.709 weights), or towards it, by the factor 1 + amount * w. w is
    1 near grey and falls with saturation: (sqrt(3) - 1) * (1 - s)^2 * q / (Y^2 - q) with
    q = (R^-4 + G^-4 + B^-4)^(-1/2), a smooth lower bound of the square of the smallest channel, and s the share of
    chroma in the sum of squares. So an amount of up to 1 makes no channel negative, and colours with negative channels
    stay. Skin is spared by how near the hue is to `skin_hue`, in the opponent plane of the six vectors; not at all from
    a distance of `skin_width` on.
    """

    home = "scene_linear"

    amount: float = slider(0.0, -1.0, 1.0, help="Above 0 raises, below 0 lowers weak saturations")
    skin: float = slider(0.5, 0.0, 1.0, help="0 treats skin like all other colours, 1 protects it")
    skin_hue: float = slider(
        SKIN_HUE, -180.0, 180.0, unit="°", help="Hue of skin: red is 0, yellow 60", visible=(-30.0, 60.0)
    )
    skin_width: float = slider(
        35.0,
        5.0,
        180.0,
        unit="°",
        minimum=5.0,
        help="Distance in hue at which the protection ends",
        visible=(5.0, 90.0),
    )

    @derived(3)
    def skin_place(self) -> tuple[float, ...]:
        """The direction of the hue of skin, and the reciprocal of the squared length of the chord of its width."""
        angle, chord = math.radians(self.skin_hue), 2.0 * math.sin(math.radians(min(self.skin_width, 180.0)) / 2.0)
        return math.cos(angle), math.sin(angle), 1.0 / (chord * chord)

    def pixel(self, px: Pixel) -> Value:
        plane = plane_of(px.rgb)
        luma = dot(LUMA, plane.rgb)
        added = self._weight(plane, luma) * (1.0 - self._near_skin(plane, self.skin_place)) * self.amount
        return unless_huge(px.rgb, px.rgb + (plane.rgb - luma) * (added * plane.size))

    @staticmethod
    def _weight(plane: Plane, luma: Scalar) -> Scalar:
        """Return how far the amount counts."""
        squares = maximum(plane.rgb, 0.0) * maximum(plane.rgb, 0.0)
        r, g, b = 1.0 / maximum(squares * squares, 1e-36)
        least = 1.0 / sqrt(r + g + b)
        rest = 1.0 - plane.share
        return rest * rest * least * (math.sqrt(3.0) - 1.0) / maximum(luma * luma - least, 1e-3)

    def _near_skin(self, plane: Plane, place: Numbers) -> Scalar:
        """Return how far a colour is spared."""
        away = Vec((plane.x - place[0], plane.y - place[1]))
        return smooth(1.0 - dot(away, away) * place[2]) * plane.sure * self.skin

    def is_identity(self) -> bool:
        return self.amount == 0.0
