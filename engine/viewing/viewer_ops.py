"""Ops for viewing only: false colour, marks of invalid values, and what shows data: ranges, and colours of IDs.

They are neither in the registry nor in a grade: a view adds them where it needs them, and exports never have them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise

from engine.core.colorimetry import LUMA, MID_GREY
from engine.core.records import dataclass
from engine.io.id_pixels import ID_SCALE
from engine.kernel.op import ColorOp, choice, slider
from engine.kernel.pixel import (
    Pixel,
    Scalar,
    Value,
    Vec,
    absolute,
    clamp,
    dot,
    floor,
    log2,
    maximum,
    select,
    where_equal,
)

LADDER: tuple[tuple[float, tuple[float, float, float], str], ...] = (
    (-8.0, (0.05, 0.03, 0.10), "black"),
    (-6.0, (0.24, 0.10, 0.45), ""),
    (-4.0, (0.12, 0.25, 0.70), ""),
    (-2.5, (0.10, 0.50, 0.75), ""),
    (-0.5, (0.28, 0.28, 0.28), ""),
    (0.5, (0.25, 0.65, 0.25), "mid grey"),
    (1.5, (0.55, 0.55, 0.55), ""),
    (2.0, (0.90, 0.60, 0.65), "light skin"),
    (3.0, (0.75, 0.75, 0.75), ""),
    (4.0, (0.95, 0.90, 0.35), ""),
    (5.5, (0.95, 0.55, 0.15), ""),
    (float("inf"), (0.90, 0.15, 0.12), ""),
)
"""The upper limit of each colour in stops from mid grey, the colour (sRGB display values, 0..1), and its meaning."""


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


DATA_COLOURS: tuple[tuple[float, float, float], ...] = (
    (0.19, 0.07, 0.23),
    (0.27, 0.42, 0.93),
    (0.16, 0.74, 0.92),
    (0.20, 0.95, 0.60),
    (0.64, 0.99, 0.23),
    (0.93, 0.81, 0.23),
    (0.98, 0.52, 0.14),
    (0.82, 0.23, 0.03),
    (0.48, 0.02, 0.01),
)
"""The false colours of data from the low to the high end of its range, at equal steps (sRGB display values, 0..1)."""


@dataclass(frozen=True)
class DataRange(ColorOp, abstract=True):
    """Map data from `low`..`high` to display values 0..1, clamped.

    With `zero` in the middle, for `low` < 0 < `high`, 0 becomes mid grey (0.5), and each side is scaled by itself. With
    `colours` false, R alone is mapped, to DATA_COLOURS. No view transform may follow. NaN is shown like the lowest
    value, or like 0 if that is in the middle.
    """

    low: float = slider(0.0, -1.0, 1.0, help="What is shown black")
    high: float = slider(1.0, 0.0, 10.0, help="What is shown white")
    zero: str = choice("low", "middle", help="Where 0 lies")
    colours: str = choice("grey", "false", help="Grey values, or false colours")

    def pixel(self, px: Pixel) -> Value:
        if self.colours == "false":
            return self._coloured(self._share(px.r))
        return Vec(tuple(self._share(x) for x in px.rgb))

    def _share(self, x: Scalar) -> Scalar:
        """Return the place of a value in the range, 0..1."""
        if self.zero == "middle":
            above, below = clamp(x * (1.0 / self.high), 0.0, 1.0), clamp(x * (1.0 / self.low), 0.0, 1.0)
            return 0.5 + 0.5 * (above - below)
        return clamp((x - self.low) * (1.0 / (self.high - self.low)), 0.0, 1.0)

    @staticmethod
    def _coloured(share: Scalar) -> Vec:
        steps = share * float(len(DATA_COLOURS) - 1)
        colour = Vec(DATA_COLOURS[0])
        for step, (before, after) in enumerate(pairwise(DATA_COLOURS)):
            passed = clamp(steps - float(step), 0.0, 1.0)
            rises = tuple(b - a for a, b in zip(before, after, strict=True))
            colour = Vec(tuple(c + rise * passed for c, rise in zip(colour, rises, strict=True)))
        return colour


@dataclass(frozen=True)
class IdColours(ColorOp, abstract=True):
    """Map each ID to a muted colour; 0 is black. IDs are in R: times ID_SCALE if `stored` scaled, else as they are.

    The output is display values, 0.2..0.85; no view transform may follow. Similar IDs get very different hues: the
    fractional parts of multiples of the golden ratio.
    """

    stored: str = choice("scaled", "plain", help="Whether R is the ID divided by ID_SCALE, or the ID itself")

    def pixel(self, px: Pixel) -> Value:
        number = floor((px.r * ID_SCALE if self.stored == "scaled" else px.r) + 0.5)
        return Vec(tuple(where_equal(number, 0.0, 0.0, value) for value in _hues(_turns(number))))


@dataclass(frozen=True)
class CryptomatteColours(ColorOp, abstract=True):
    """Map the two IDs of a pixel of Cryptomatte, in R and B, to colours, weighted by their coverages, in G and A.

    The output is display values, 0..1; no view transform may follow. An ID is a float whose bits are a hash: its colour
    follows from its significand and its exponent, which powers of two separate exactly.
    """

    def pixel(self, px: Pixel) -> Value:
        first, second = _hash_colour(px.r), _hash_colour(px.b)
        weights = clamp(px.g, 0.0, 1.0), clamp(px.a, 0.0, 1.0)
        return Vec(tuple(a * weights[0] + b * weights[1] for a, b in zip(first, second, strict=True)))


SHARES = (0.61803399, 0.75487767, 0.56984029)
"""Multiples of these have fractional parts that are spread evenly."""


def _turns(number: Scalar) -> Scalar:
    """Return a number 0..1 for an integer of up to 36 bits; of 12 bits at a time, no product loses its fraction."""
    turns: Scalar = 0.0
    rest = number
    for share in SHARES:
        above = floor(rest / 4096.0)
        turns = _fraction(turns + (rest - above * 4096.0) * share)
        rest = above
    return turns


def _hues(turns: Scalar) -> Vec:
    """Return a muted colour of the hue `turns`, and of a brightness that differs between near hues."""
    value = 0.45 + 0.25 * _fraction(turns * 7.0)
    hues = (_fraction(turns + n / 3.0) for n in range(3))
    return Vec(tuple(value + 0.3 * (absolute(2.0 * hue - 1.0) - 0.5) for hue in hues))


def _hash_colour(number: Scalar) -> Vec:
    """Return the colour of a float whose bits are a hash; black for 0."""
    size, exponent = absolute(number), number * 0.0
    for power in (64.0, 32.0, 16.0, 8.0, 4.0, 2.0, 1.0):
        large = size >= 2.0**power
        size, exponent = select(large, size * 2.0**-power, size), select(large, exponent + power, exponent)
    for power in (64.0, 32.0, 16.0, 8.0, 4.0, 2.0, 1.0):
        small = size < 2.0 ** (1.0 - power)
        size, exponent = select(small, size * 2.0**power, size), select(small, exponent - power, exponent)
    turns = _turns((size - 1.0) * 2.0**23) + exponent * SHARES[2] + select(number < 0.0, SHARES[1], 0.0)
    return Vec(tuple(where_equal(number, 0.0, 0.0, value) for value in _hues(_fraction(turns))))


def _fraction(x: Scalar) -> Scalar:
    return x - floor(x)


def _unless(fine: Scalar) -> Scalar:
    return select(fine, 0.0, 1.0)


def _any(parts: Vec, marked: Callable[[Scalar], Scalar]) -> Scalar:
    """Return 1 if one of three parts is marked."""
    first, second, third = (marked(part) for part in parts)
    return maximum(maximum(first, second), third)
