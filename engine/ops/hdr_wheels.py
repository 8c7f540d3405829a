"""HdrWheels."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.core.colorimetry import LUMA
from engine.errors import GradeError
from engine.kernel.op import ColorOp, Numbers, slider
from engine.kernel.pixel import Pixel, Value, Vec, dot, exp2
from engine.ops.tone_ranges import LEAST_FALLOFF, crossed, finite, luma_stops

ZONES = ("black", "dark", "shadow", "light", "highlight", "specular")
"""The zones from the darkest to the brightest."""
BORDERS = {"black": -4.0, "dark": -2.0, "shadow": 0.0, "highlight": 2.0, "specular": 4.0}
"""Default borders in stops about mid grey: where black, dark and shadow end, and highlight and specular begin."""
FALLOFF = 2.0
NEUTRAL = (0.0, 0.0, 0.0, 0.0, 1.0)
"""Balance of red, green and blue and exposure, in stops, and saturation."""


def _zone(name: str, border: str) -> Numbers:
    return slider(
        (*NEUTRAL, BORDERS[name], FALLOFF),
        -4.0,
        4.0,
        unit="EV",
        help=f"Red, green, blue, exposure, saturation, {border}, falloff",
    )


def _without_border() -> Numbers:
    return slider(NEUTRAL, -4.0, 4.0, unit="EV", help="Red, green, blue, exposure, saturation")


class HdrWheels(ColorOp):
    """Exposure, colour balance and saturation of six zones of luma, and of all. Scene-linear RGB in and out, unbounded.

    Each control has red, green, blue and exposure in stops, which add up, and saturation. A zone fades into the next
    over `falloff` stops about its border, in stops of luma (BT.709 weights) from mid grey. Of what zones add at a
    border, the share of the brighter one is a smooth step: all shares are at least 0 and add up to 1. Channels are
    scaled, so that hue and ratio stay where only exposure changes. Tones keep their order while a zone is brighter than
    the next by at most two thirds of the falloff between them; beyond, they cross.
    """

    label = "HDR wheels"
    home = "scene_linear"

    overall: Numbers = _without_border()
    black: Numbers = _zone("black", "end")
    dark: Numbers = _zone("dark", "end")
    shadow: Numbers = _zone("shadow", "end")
    light: Numbers = _without_border()
    highlight: Numbers = _zone("highlight", "start")
    specular: Numbers = _zone("specular", "start")

    def check(self) -> None:
        if min(getattr(self, name)[4] for name in ("overall", *ZONES)) < 0.0:
            raise GradeError("the saturation of a zone must be at least 0")
        if min(getattr(self, name)[6] for name in BORDERS) < LEAST_FALLOFF:
            raise GradeError(f"the falloff of a zone must be at least {LEAST_FALLOFF:g} stops")

    def pixel(self, px: Pixel) -> Value:
        first, *rest = (_amounts(getattr(self, zone)) for zone in ZONES)
        total = first
        for upper, step in zip(rest, self._steps(luma_stops(px)), strict=True):
            total = total + (upper - total) * step
        overall = _amounts(self.overall)
        gained = px.rgb * exp2(Vec(total.items[:3]) + Vec(overall.items[:3]))
        saturation = total.a * overall.a
        return gained * saturation + finite(dot(LUMA, gained)) * (1.0 - saturation)

    def _steps(self, stops: Value) -> list[Value]:
        """Return how far tones have crossed each border."""
        return [crossed(stops, getattr(self, zone)[5], getattr(self, zone)[6]) for zone in BORDERS]

    def shares(self, stops: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return how much each zone counts, (number of stops, 6), at some stops about mid grey."""
        found = [np.ones_like(stops)]
        for step in self._steps(stops):
            found = [*(share * (1.0 - step) for share in found), step]
        return np.stack(found, axis=-1)

    def is_identity(self) -> bool:
        return all(getattr(self, name)[:5] == NEUTRAL for name in ("overall", *ZONES))


def _amounts(zone: Numbers) -> Vec:
    """Return the stops of red, green and blue, and the saturation of a zone."""
    return Vec((zone[0] + zone[3], zone[1] + zone[3], zone[2] + zone[3], zone[4]))
