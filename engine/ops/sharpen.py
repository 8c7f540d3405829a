"""Sharpen."""

from __future__ import annotations

from engine.kernel.filter_op import Computed, FilterOp, Gaussian, Largest, SideImage
from engine.kernel.op import choice, slider
from engine.kernel.pixel import Pixel, Value, Vec, absolute, dot, exp2, finite, maximum, minimum, select
from engine.ops.cdl import REC709_LUMA

DARK = 1e-3
"""Added to the values around a pixel, which a threshold in stops is relative to; about 7.5 stops below mid grey."""


class Sharpen(FilterOp):
    """Sharpen by an unsharp mask: add what a Gaussian blur takes away. Scene-linear RGB in and out, unbounded.

    The Gaussian reaches `radius` pixels and has a standard deviation of a third of that. Detail d is weighted by
    d^2 / (d^2 + t^2), with t the `threshold` relative to the blurred value. A limited `overshoot` keeps luma between
    the smallest and the largest one within a third of the radius.
    """

    amount: float = slider(
        0.0, 0.0, 4.0, minimum=0.0, help="How much of the detail is added; 0 is none", visible=(0.0, 2.0)
    )
    radius: float = slider(
        3.0, 1.0, 100.0, unit="px", minimum=0.0, help="Radius of the blur that separates detail", visible=(1.0, 20.0)
    )
    threshold: float = slider(
        0.0,
        0.0,
        2.0,
        unit="EV",
        minimum=0.0,
        help="Detail weaker than this, such as noise, is not sharpened",
        visible=(0.0, 0.5),
    )
    channels: str = choice("luma", "rgb", help="Sharpen luma only, or each channel")
    overshoot: str = choice(
        "free", "limited", help="Whether edges may exceed the values on either side, which causes halos"
    )

    def side_images(self) -> tuple[SideImage, ...]:
        soft = Gaussian(Computed("bounded"), self.radius)
        if self.overshoot == "free":
            return (soft,)
        return soft, Largest(Computed("extremes"), max(1, round(self.radius / 3.0)))

    def bounded(self, px: Pixel) -> Value:
        """Return RGB without NaN and Inf."""
        return finite(px.rgb)

    def extremes(self, px: Pixel) -> Value:
        """Return luma and negative luma, the largest of which are the extremes of luma."""
        luma = dot(REC709_LUMA, finite(px.rgb))
        return Vec((luma, -luma, 0.0, 0.0))

    def pixel(self, px: Pixel) -> Value:
        rgb, soft = self.bounded(px), Vec(px.planes[:3])
        if self.channels == "luma":
            detail = self._detail(dot(REC709_LUMA, rgb), dot(REC709_LUMA, soft))
        else:
            detail = self._detail(rgb, soft)
        sharp = px.rgb + detail * self.amount
        if self.overshoot == "free":
            return sharp
        luma = dot(REC709_LUMA, rgb + detail * self.amount)
        return sharp - maximum(luma - px.planes[4], 0.0) - minimum(luma + px.planes[5], 0.0)

    def _detail(self, value: Value, soft: Value) -> Value:
        detail = value - soft
        weakest = (absolute(soft) + DARK) * (exp2(self.threshold) - 1.0)
        square = detail * detail
        return select(self.threshold > 0.0, detail * (square / (square + weakest * weakest)), detail)

    def is_identity(self) -> bool:
        return self.amount == 0.0
