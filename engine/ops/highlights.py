"""Highlights that bloom and halation scatter."""

from __future__ import annotations

from engine.kernel.pixel import Scalar, Value, Vec, clamp, exp2, finite, maximum

GREY = 0.18


def highlights(rgb: Vec, threshold: Scalar, softness: Scalar) -> Value:
    """Return the part of a colour above a threshold, in stops above mid grey, by its largest channel.

    The knee is a parabola that reaches `softness` times the threshold to each side of it, at most 1. NaN counts as 0.
    """
    rgb = finite(rgb)
    largest = maximum(maximum(rgb[0], rgb[1]), rgb[2])
    start = exp2(threshold) * GREY
    knee = start * softness + start * 1e-4
    above = largest - start
    bent = clamp(above + knee, 0.0, knee * 2.0)
    kept = maximum(bent * bent * (0.25 / knee), above)
    return rgb * (kept / maximum(largest, start * 1e-3))
