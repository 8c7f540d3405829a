"""The op that leaves the inside of a matte. Like the other ops for viewing it is in no registry and in no grade."""

from __future__ import annotations

from engine.core.records import dataclass
from engine.kernel.op import ColorOp
from engine.kernel.pixel import Pixel, Value, Vec, pow, select

INSIDE = 0.5
"""From this coverage on, a pixel is inside a matte."""


@dataclass(frozen=True)
class Inside(ColorOp, abstract=True):
    """RGB where the first plane, a coverage, is at least INSIDE; NaN elsewhere. Scopes and statistics leave NaN out."""

    def pixel(self, px: Pixel) -> Value:
        outside = px.planes[0] < INSIDE
        nothing = pow(px.planes[0] - 2.0, 0.5)  # the power of a negative number
        return Vec(tuple(select(outside, nothing, channel) for channel in px.rgb))
