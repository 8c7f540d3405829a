"""LogWheels."""

from __future__ import annotations

import math

from engine.kernel.op import ColorOp, Numbers, derived, slider
from engine.kernel.pixel import Pixel, Value, Vec
from engine.ops import grading_log
from engine.ops.tone_ranges import crossed

ZEROS = (0.0,) * 4
PRINTER_POINT = 0.025 * math.log2(10.0)
"""Stops of a printer point: a printer light changes the exposure of a print by 0.025 in log10, 12 make about a stop."""


def _wheel(help: str) -> Numbers:
    return slider(ZEROS, -4.0, 4.0, unit="EV", help=f"{help}: red, green, blue, master", visible=(-2.0, 2.0))


class LogWheels(ColorOp):
    """Offsets of shadows, mid tones and highlights in a logarithmic encoding, and of all. Scene-linear RGB in and out.

    Each channel is encoded in stops about mid grey, linear below -5.5 (the encoding of OpenColorIO's GradingRGBCurve,
    style linear), gets the offsets, and is decoded. Shadows end about `low`, highlights begin about `high`, mid tones
    lie between; they fade into each other by smooth steps of `falloff` stops, and their shares add up to 1. Tones keep
    their order while a range is raised above the next by at most two thirds of the falloff.
    """

    label = "Log wheels"
    home = "scene_linear"

    shadow: Numbers = _wheel("Offset of shadows")
    midtone: Numbers = _wheel("Offset of mid tones")
    highlight: Numbers = _wheel("Offset of highlights")
    offset: Numbers = slider(
        ZEROS,
        -50.0,
        50.0,
        unit="pt",
        help="Offset of all tones in printer points, about 12 to a stop: red, green, blue, master",
        visible=(-25.0, 25.0),
    )
    low: float = slider(-2.0, -8.0, 8.0, unit="EV", help="Stops about mid grey where shadows end", visible=(-6.0, 6.0))
    high: float = slider(
        2.0, -8.0, 8.0, unit="EV", help="Stops about mid grey where highlights begin", visible=(-6.0, 6.0)
    )
    falloff: float = slider(
        4.0, 0.1, 8.0, unit="EV", minimum=0.1, help="Stops over which one range fades into the next"
    )

    @derived(3)
    def printed(self) -> tuple[float, ...]:
        """The offset in stops."""
        return tuple((x + self.offset[3]) * PRINTER_POINT for x in self.offset[:3])

    def pixel(self, px: Pixel) -> Value:
        stops = grading_log.encoded(px.rgb)
        shadow, midtone, highlight = (_summed(wheel) for wheel in (self.shadow, self.midtone, self.highlight))
        added = shadow + (midtone - shadow) * crossed(stops, self.low, self.falloff)
        added = added + (highlight - added) * crossed(stops, self.high, self.falloff)
        return grading_log.linear(stops + added + self.printed)

    def is_identity(self) -> bool:
        return all(wheel == ZEROS for wheel in (self.shadow, self.midtone, self.highlight, self.offset))


def _summed(wheel: Numbers) -> Vec:
    return Vec(tuple(wheel[channel] + wheel[3] for channel in range(3)))
