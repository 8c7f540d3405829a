"""Ops for viewing only: false colour, marks of invalid values, and colours of IDs.

They are neither in the registry nor in a grade: a view adds them where it needs them, and exports never have them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

from engine.core.colorimetry import LUMA, MID_GREY
from engine.io.id_pixels import ID_SCALE
from engine.kernel.op import ColorOp, choice, slider
from engine.kernel.pixel import Pixel, Scalar, Value, Vec, absolute, dot, floor, log2, maximum, select, where_equal

LADDER: tuple[tuple[float, tuple[float, float, float], str], ...] = (
    (-8.0, (0.05, 0.03, 0.10), "below -8: black"),
    (-6.0, (0.24, 0.10, 0.45), "-8 to -6"),
    (-4.0, (0.12, 0.25, 0.70), "-6 to -4"),
    (-2.5, (0.10, 0.50, 0.75), "-4 to -2.5"),
    (-0.5, (0.28, 0.28, 0.28), "-2.5 to -0.5"),
    (0.5, (0.25, 0.65, 0.25), "mid grey, half a stop either way"),
    (1.5, (0.55, 0.55, 0.55), "0.5 to 1.5"),
    (2.0, (0.90, 0.60, 0.65), "1.5 to 2: light skin"),
    (3.0, (0.75, 0.75, 0.75), "2 to 3"),
    (4.0, (0.95, 0.90, 0.35), "3 to 4"),
    (5.5, (0.95, 0.55, 0.15), "4 to 5.5"),
    (float("inf"), (0.90, 0.15, 0.12), "above 5.5"),
)
"""The upper limit of each colour in stops from mid grey, the colour (sRGB display values, 0..1), and its label."""


@dataclass(frozen=True)
class FalseColour(ColorOp, abstract=True):
    """Map scene-linear RGB to a false colour by exposure: the distance of luma (BT.709 weights) from mid grey in stops.

    The output is display values, 0..1; no view transform may follow. NaN is black.
    """

    stops: float = slider(0.0, -10.0, 10.0, unit="EV", help="Stops that the image is brightened by before it is read")

    def pixel(self, px: Pixel) -> Value:
        reading = log2(maximum(dot(px.rgb, LUMA), 0.0)) - math.log2(MID_GREY) + self.stops
        colour = Vec(LADDER[0][1])
        for (above, _, _), (_, rgb, _) in pairwise(LADDER):
            step = zip(rgb, colour, strict=True)
            colour = Vec(tuple(select(reading >= above, new, old) for new, old in step))
        return colour


@dataclass(frozen=True)
class Marks(ColorOp, abstract=True):
    """Mark pixels with NaN, Inf or values outside of `low`..`high`; the output is 0 or 1, to be drawn over the image.

    R: a channel is NaN or infinite. G: a channel is below `low`. B: a channel is above `high`. With `of` luma, `low`
    and `high` apply to the luma (BT.709 weights) instead of the channels, as for a zebra.
    """

    low: float = slider(0.0, -1.0, 1.0, help="What is below is marked in G")
    high: float = slider(1.0, 0.0, 10.0, help="What is above is marked in B")
    of: str = choice("channels", "luma", help="What is held against the limits")

    def pixel(self, px: Pixel) -> Value:
        broken = _any(px.rgb, lambda x: _unless(absolute(x) <= 3.4028234e38))
        parts = px.rgb if self.of == "channels" else Vec((dot(px.rgb, LUMA),) * 3)
        under = _any(parts, lambda x: select(x < self.low, 1.0, 0.0))
        over = _any(parts, lambda x: select(x > self.high, 1.0, 0.0))
        return Vec((broken, under, over))


@dataclass(frozen=True)
class IdColours(ColorOp, abstract=True):
    """Map each ID, R times ID_SCALE, to a muted colour; 0 is black.

    The output is display values, 0.2..0.85; no view transform may follow. Similar IDs get very different hues: the
    fractional parts of multiples of the golden ratio.
    """

    def pixel(self, px: Pixel) -> Value:
        turns: Scalar = 0.0
        number = floor(px.r * ID_SCALE + 0.5)
        rest = number
        for share in (0.61803399, 0.75487767, 0.56984029):  # 12 bits each: no product loses its fraction
            above = floor(rest / 4096.0)
            turns = _fraction(turns + (rest - above * 4096.0) * share)
            rest = above
        value = 0.45 + 0.25 * _fraction(turns * 7.0)
        hues = (_fraction(turns + n / 3.0) for n in range(3))
        return Vec(tuple(where_equal(number, 0.0, 0.0, value + 0.3 * (absolute(2.0 * h - 1.0) - 0.5)) for h in hues))


def _fraction(x: Scalar) -> Scalar:
    return x - floor(x)


def _unless(fine: Scalar) -> Scalar:
    return select(fine, 0.0, 1.0)


def _any(parts: Vec, marked: Callable[[Scalar], Scalar]) -> Scalar:
    """Return 1 if one of three parts is marked."""
    first, second, third = (marked(part) for part in parts)
    return maximum(maximum(first, second), third)
