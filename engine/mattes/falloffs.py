"""Soft edges of sources: from a distance, or from a value and a range, to a coverage.

All of them give exactly 0 and 1 outside of their ramps, 0 for NaN, and their limit for Inf.
"""

from __future__ import annotations

import numpy as np

from engine.kernel.pixel import Scalar, Vec, clamp, minimum

LEAST_EDGE = 1.0
"""The least width of the edge of a window, in pixels of the display window at level 0: it is antialiased."""
SHARPEST = 2.0**-22
"""The least width of a ramp, as a share of its ends: a few steps of float32, so that a hard end stays hard."""
LEAST_END = 1e-6
"""The smallest end whose size determines how sharp a hard end is."""


def smooth(share: Scalar) -> Scalar:
    """Return the cubic s * s * (3 - 2 s) of a number clamped to 0..1 (smoothstep)."""
    s = clamp(share, 0.0, 1.0)
    return minimum(s * s * (3.0 - 2.0 * s), 1.0)


def eased(share: Scalar, falloff: str) -> Scalar:
    """Return a number clamped to 0..1, `linear` or `smooth`."""
    return smooth(share) if falloff == "smooth" else clamp(share, 0.0, 1.0)


def edge(softness_in: float, softness_out: float) -> tuple[float, float]:
    """Return the numbers of a window's edge for `within`: its outer end, and 1 / width.

    An edge narrower than a pixel becomes a pixel wide, about its middle.
    """
    spare = max(LEAST_EDGE - softness_in - softness_out, 0.0) / 2.0
    return softness_out + spare, 1.0 / (softness_in + softness_out + 2.0 * spare)


def within(distance: Scalar, ends: Vec) -> Scalar:
    """Return the coverage at a distance from the outline of a window, above 0 outside it; `ends` is from `edge`."""
    return smooth((ends[0] - distance) * ends[1])


def span(low: float, high: float, soft_low: float, soft_high: float) -> tuple[float, ...]:
    """Return the four numbers of a range for `in_span`: 1 from `low` to `high`, with soft ends outside of these.

    The ends are rounded to float32, as the values of planes are. A softness of 0, or below, is a hard end, which counts
    as inside.
    """
    return (*_ramp(low, soft_low, 1.0), *_ramp(high, soft_high, -1.0))


def _ramp(end: float, soft: float, direction: float) -> tuple[float, float]:
    """Return the value from which on the coverage is 1, in a direction, and the slope of the ramp before it."""
    end = float(np.float32(end))
    return end, direction / max(soft, SHARPEST * max(abs(end), LEAST_END))


def in_span(value: Scalar, numbers: Vec, side: str, falloff: str) -> Scalar:
    """Return the coverage of a value by a range: `above` its low end, `below` its high end, or `between` the two."""
    low, per_soft_low, high, per_soft_high = numbers
    rising, falling = (value - low) * per_soft_low + 1.0, (value - high) * per_soft_high + 1.0
    if side == "between":
        return eased(minimum(rising, falling), falloff)
    return eased(rising if side == "above" else falling, falloff)
