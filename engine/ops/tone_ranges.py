"""What ops that divide the tones have in common: stops about mid grey, and smooth steps between ranges."""

from __future__ import annotations

from engine.core.colorimetry import LUMA, MID_GREY
from engine.kernel.pixel import Pixel, Scalar, Value, absolute, clamp, dot, log2, select

DEEPEST, BRIGHTEST = 2.0**-24, 2.0**64
"""Luma below and above which all tones count alike, so that stops are finite for 0, negative and infinite values."""
LEAST_FALLOFF = 0.1
"""Stops of the sharpest transition."""
HUGE = 2.0**126
"""Luma above which is taken as infinite."""


def stops_of(value: Value) -> Value:
    """Return scene-linear values in stops about mid grey, of values clamped to DEEPEST..BRIGHTEST."""
    return log2(clamp(value, DEEPEST, BRIGHTEST) * (1.0 / MID_GREY))


def luma_stops(px: Pixel) -> Scalar:
    """Return the luma (BT.709 weights) of scene-linear RGB in stops about mid grey."""
    return stops_of(dot(LUMA, px.rgb))


def smooth(share: Value) -> Value:
    """Return a smooth step: 0 up to 0, 1 from 1 on, 3 t^2 - 2 t^3 between, with a continuous slope of at most 1.5."""
    t = clamp(share, 0.0, 1.0)
    return t * t * (3.0 - 2.0 * t)


def crossed(stops: Value, border: Scalar, falloff: Scalar) -> Value:
    """Return how far tones have crossed a border, 0..1, in a transition of `falloff` stops with the border in its
    middle."""
    return smooth((stops - border) * (1.0 / falloff) + 0.5)


def finite(luma: Scalar) -> Scalar:
    """Return a luma, or 0 where it is infinite or NaN, so that it leaves the channels that are finite alone."""
    return select(absolute(luma) <= HUGE, luma, 0.0)
