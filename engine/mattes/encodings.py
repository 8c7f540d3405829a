"""The values that qualifiers measure: scene-linear RGB as it is, or in the logarithmic curve of ACEScct.

Source of the curve: Academy S-2016-001, "ACEScct - A Quasi-Logarithmic Encoding of ACES Data for use within Color
Grading Systems", 4.4. It is applied to the RGB that a qualifier is given, whatever its primaries are.
"""

from __future__ import annotations

import math
from typing import Any

from engine.kernel.pixel import HALF_MAX, Scalar, Value, Vec, log2, maximum, minimum, select

BREAK = 0.0078125
SLOPE, OFFSET = 10.5402377416545, 0.0729055341958355
STOPS, SHIFT = 17.52, 9.72


def bounded(rgb: Vec) -> Vec:
    """Return RGB with Inf, and what half floats do not hold, bounded; NaN stays NaN."""
    return Vec(tuple(minimum(HALF_MAX, maximum(-HALF_MAX, value)) for value in rgb))


def encoded(x: Value, encoding: str) -> Any:
    """Return scene-linear values in an encoding, `log` or `linear`. NaN stays NaN."""
    if encoding == "linear":
        return x
    return select(x <= BREAK, x * SLOPE + OFFSET, (log2(maximum(BREAK, x)) + SHIFT) / STOPS)


def encoded_number(x: float, encoding: str) -> float:
    """Return a number in an encoding."""
    if encoding == "linear":
        return x
    return x * SLOPE + OFFSET if x <= BREAK else (math.log2(x) + SHIFT) / STOPS


def largest(rgb: Vec) -> Scalar:
    """Return the largest channel."""
    return maximum(maximum(rgb.r, rgb.g), rgb.b)


def smallest(rgb: Vec) -> Scalar:
    """Return the smallest channel."""
    return minimum(minimum(rgb.r, rgb.g), rgb.b)
