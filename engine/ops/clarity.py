"""Clarity."""

from __future__ import annotations

from engine.kernel.filter_op import Computed, FilterOp, Gaussian, SideImage
from engine.kernel.op import slider
from engine.kernel.pixel import Pixel, Scalar, Value, Vec, dot, exp2, finite, log2, maximum
from engine.ops.cdl import REC709_LUMA

GREY = 0.18
DARK = GREY / 256.0
"""Added to luminance before its logarithm: 8 stops below mid grey, so that noise in the shadows stays noise."""


class Clarity(FilterOp):
    """Strengthen or soften local contrast and keep strong edges. Scene-linear RGB in and out, unbounded.

    Luminance (Rec.709 weights) is split, in stops, by a guided filter: He, Sun, Tang, "Guided image filtering", 2013,
    with the image as its own guide, Gaussian windows that reach `radius` pixels, and the square of `edge` as epsilon.
    `amount` of the detail is added; at -1 all of it is taken away. Channels keep their ratios.
    """

    amount: float = slider(
        0.0, -1.0, 1.0, help="Above 0 more local contrast, below 0 softer, as for skin; 0 changes nothing"
    )
    radius: float = slider(
        40.0, 2.0, 500.0, unit="px", minimum=0.0, help="The size of what counts as detail", visible=(2.0, 200.0)
    )
    edge: float = slider(
        1.0, 0.05, 4.0, unit="EV", minimum=0.01, help="Edges with more contrast than this are preserved"
    )

    def side_images(self) -> tuple[SideImage, ...]:
        means = Gaussian(Computed("moments"), self.radius)
        return (Gaussian(Computed("line", means), self.radius),)

    def moments(self, px: Pixel) -> Value:
        """Return the stops of a pixel and their square."""
        stops = _stops(px)
        return Vec((stops, stops * stops, 0.0, 0.0))

    def line(self, px: Pixel) -> Value:
        """Return the slope and offset that fit the stops around a pixel, from their means and those of squares."""
        variance = maximum(px.g - px.r * px.r, 0.0)
        slope = variance / (variance + self.edge * self.edge)
        return Vec((slope, px.r - slope * px.r, 0.0, 0.0))

    def pixel(self, px: Pixel) -> Value:
        stops = _stops(px)
        detail = stops - (px.planes[0] * stops + px.planes[1])
        return px.rgb * exp2(detail * self.amount)

    def is_identity(self) -> bool:
        return self.amount == 0.0


def _stops(px: Pixel) -> Scalar:
    """Return luminance in stops above mid grey; hardly less than -8."""
    luminance: Scalar = maximum(dot(REC709_LUMA, finite(px.rgb)), 0.0)
    return log2((luminance + DARK) * (1.0 / (GREY + DARK)))
