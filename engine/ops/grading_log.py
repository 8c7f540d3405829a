"""The logarithm in which OpenColorIO's grading controls work on scene-linear pictures."""

from __future__ import annotations

from engine.pixel import Value, exp2, log2, select

BREAK, ENCODED_BREAK = 0.0041318374739483946, -5.5
SHIFT = -0.000157849851665374
GREY = 0.18 + SHIFT
GAIN, OFFSET = 363.034608563, -7.0


def encoded(x: Value) -> Value:
    """Stops above or below mid grey; straight under BREAK. Source: OpenColorIO, GradingRGBCurve, style linear."""
    return select(x > BREAK, log2((x + SHIFT) * (1.0 / GREY)), x * GAIN + OFFSET)


def linear(y: Value) -> Value:
    """The reverse of `encoded`."""
    return select(y > ENCODED_BREAK, exp2(y) * GREY - SHIFT, (y - OFFSET) * (1.0 / GAIN))
