"""The logarithm in which OpenColorIO's grading controls work on scene-linear images."""

from __future__ import annotations

import numpy as np

from engine.core.colorimetry import MID_GREY
from engine.kernel.op import Table
from engine.kernel.pixel import Value, exp2, log2, select

BREAK, ENCODED_BREAK = 0.0041318374739483946, -5.5
SHIFT = -0.000157849851665374
GREY = MID_GREY + SHIFT
GAIN, OFFSET = 363.034608563, -7.0
ENDS = {"log": (0.0, 1.0), "linear": (-7.0, 7.0), "video": (0.0, 1.0)}
"""Where new curves begin and end: code values, or stops about mid grey. Source: OpenColorIO, GradingRGBCurve."""


def carried(points: Table, before: str, after: str, y: bool = True) -> Table:
    """Move the points (x, y, slope) of a curve to the scale of another style, with the same shape between its `ENDS`.

    `y` says whether the y values are on that scale too.
    """
    (low, high), (to_low, to_high) = ENDS[before], ENDS[after]
    factor = (to_high - to_low) / (high - low)
    shift = to_low - factor * low
    rows = points.array.astype(np.float64)
    if not y:
        return Table(rows * (factor, 1.0, 1.0 / factor) + (shift, 0.0, 0.0))
    return Table(rows * (factor, factor, 1.0) + (shift, shift, 0.0))


def encoded(x: Value) -> Value:
    """Convert to stops above or below mid grey, linear below BREAK: OpenColorIO, GradingRGBCurve, style linear."""
    return select(x > BREAK, log2((x + SHIFT) * (1.0 / GREY)), x * GAIN + OFFSET)


def linear(y: Value) -> Value:
    """Invert `encoded`."""
    return select(y > ENCODED_BREAK, exp2(y) * GREY - SHIFT, (y - OFFSET) * (1.0 / GAIN))
