"""Positions as pairs of float32, so that edges one pixel wide are exact in images of any size.

Far from the origin a single float32 is too coarse for a position: at 16384 its step is 1/512 pixel. A Pair has a
`high` number that is a multiple of a power of two, the grain, with so few digits that products and sums of such
numbers are exact in float32, and a `low` number for the rest. The functions below are exact in float64 as well, up to
its rounding, so that the reference has the same maths. No step depends on how a compiler fuses products and sums, nor,
where results are `rounded`, on how it reorders sums.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TypeAlias

import numpy as np

from engine.kernel.pixel import Scalar, Vec, floor, low_order, maximum, rounded, sqrt

Pair: TypeAlias = tuple[Scalar, Scalar]
"""The high and the low part of a number."""

DIGITS = 12
"""Binary digits of a high part: the product of two has 24, as many as a float32."""
UNIT_GRAIN = 2.0**-11
"""The grain of numbers near 1."""
LEAST = 1e-30
"""What a divisor is at least."""


def split(value: float) -> tuple[float, float]:
    """Return the float32 nearest to a number, and what it leaves."""
    with np.errstate(over="ignore"):
        high = float(np.float32(value))
    return high, value - high


def grain_for(reach: float) -> float:
    """Return the grain of numbers up to `reach`: a power of two."""
    return 2.0 ** (math.ceil(math.log2(reach * 1.001)) - DIGITS)


def axes(center: Sequence[float], rows: Sequence[Sequence[float]], reach: float) -> tuple[float, ...]:
    """Return the numbers that `along` needs to measure positions around `center` along `rows`.

    `along` is accurate up to a distance of `reach` from the center. There are `axes_size` numbers.
    """
    grain = grain_for(reach)
    numbers = [grain, 1.0 / grain]
    for value in center:
        numbers += split(value)
    for row in rows:
        step = 2.0 ** (math.ceil(math.log2(math.hypot(*row))) - DIGITS)
        for value in row:
            high = round(value / step) * step
            numbers += high, value - high
    return tuple(numbers)


def axes_size(dimensions: int, rows: int) -> int:
    """Return how many numbers `axes` returns."""
    return 2 + 2 * dimensions + 2 * dimensions * rows


def along(numbers: Vec, position: Sequence[Scalar]) -> Iterator[Pair]:
    """Yield the products of each row of `axes` with position - center, in the pixel language."""
    dimensions = len(position)
    rows, away = tuple(numbers)[axes_size(dimensions, 0) :], offsets(numbers, position)
    for first in range(0, len(rows), 2 * dimensions):
        row = rows[first : first + 2 * dimensions]
        high = low = 0.0
        for (whole, part), coarse, fine in zip(away, row[::2], row[1::2], strict=True):
            high = rounded(whole * coarse + high)
            low = part * (coarse + fine) + (whole * fine + low)
        yield high, low


def offsets(numbers: Vec, position: Sequence[Scalar]) -> list[Pair]:
    """Return position - center; the high parts are multiples of the grain of `axes`."""
    grain, per_grain, *rest = numbers
    return [_offset(value, (rest[2 * n], rest[2 * n + 1]), grain, per_grain) for n, value in enumerate(position)]


def _offset(value: Scalar, center: Pair, grain: Scalar, per_grain: Scalar) -> Pair:
    whole = rounded(value)  # of a place: its float32 alone, as the two-sum needs it
    near = rounded(whole - center[0])
    taken = rounded(near - whole)  # two-sum: what the subtraction loses (Knuth, TAOCP 2, 4.2.2)
    lost = rounded(rounded(whole - rounded(near - taken)) - rounded(center[0] + taken))
    high = floor(near * per_grain + 0.5) * grain
    return high, rounded(near - high) + (lost - (center[1] - low_order(value)))


def less(pair: Pair, other: Pair) -> Pair:
    """Return the difference of two pairs whose high parts are near each other."""
    return rounded(pair[0] - other[0]), pair[1] - other[1]


def total(pair: Pair) -> Scalar:
    """Return the number that a pair stands for."""
    return pair[0] + pair[1]


def beyond(parts: Sequence[Pair], radius: Pair, square: Pair, grain: Scalar, per_grain: Scalar) -> Scalar:
    """Return how far the point with these coordinates is outside a circle or sphere around the origin.

    That is the length of `parts` minus the radius, without the cancellation that makes large radii inaccurate: the sum
    of squares minus `square`, over the length plus the radius. `square` is from `square_of`.
    """
    coarse, fine = -square[0], -square[1]
    length = 0.0
    for part in parts:
        value = total(part)
        high = floor(value * per_grain + 0.5) * grain
        low = rounded(part[0] - high) + part[1]
        coarse = rounded(high * high + coarse)
        fine = low * (2.0 * high + low) + fine
        length = value * value + length
    return (coarse + fine) / maximum(sqrt(length) + (radius[0] + radius[1]), LEAST)


def square_of(radius: float, grain: float) -> tuple[float, float]:
    """Return the square of a radius as a pair, its high part a multiple of the square of the grain."""
    high = round(radius * radius / (grain * grain)) * grain * grain
    return high, radius * radius - high
