"""Bloom."""

from __future__ import annotations

from engine.kernel.filter_op import Computed, FilterOp, Gaussian, SideImage
from engine.kernel.op import slider
from engine.kernel.pixel import Pixel, Value, Vec
from engine.ops.highlights import highlights

WEIGHTS = (8.0 / 15.0, 4.0 / 15.0, 2.0 / 15.0, 1.0 / 15.0)
"""Weights of Gaussians that reach an eighth, a quarter, a half and all of the radius: each is twice as wide as the one
before and has half its energy, so that the glow falls off about with the third power of the distance."""


class Bloom(FilterOp):
    """Scatter highlights around them, as lenses do. Scene-linear RGB in and out, unbounded.

    What is above `threshold` is taken away, to a share of `amount`, and added again as a sum of four Gaussians with
    the weights 8, 4, 2 and 1, the widest of which reaches `radius` pixels. The sum of each channel over the image stays
    the same, except for what leaves its edges.
    """

    amount: float = slider(0.0, 0.0, 1.0, minimum=0.0, help="The share of the highlights that scatters; 0 is none")
    threshold: float = slider(
        2.0, -10.0, 10.0, unit="EV", help="Where highlights begin, in stops above mid grey", visible=(-2.0, 6.0)
    )
    softness: float = slider(
        0.5, 0.0, 1.0, minimum=0.0, help="How softly highlights begin, as a share of the threshold"
    )
    radius: float = slider(
        200.0, 4.0, 2000.0, unit="px", minimum=0.0, help="How far the glow reaches", visible=(4.0, 500.0)
    )

    def side_images(self) -> tuple[SideImage, ...]:
        bright = Computed("bright")
        narrow, *others, widest = (Gaussian(bright, self.radius / 2.0**halvings) for halvings in (3, 2, 1, 0))
        return Computed("narrower", narrow, tuple(others)), widest

    def bright(self, px: Pixel) -> Value:
        """Return what is scattered."""
        return highlights(px.rgb, self.threshold, self.softness)

    def narrower(self, px: Pixel) -> Value:
        """Return the weighted sum of the three narrower Gaussians."""
        second, third = Vec(px.planes[:3]), Vec(px.planes[4:7])
        return px.rgb * WEIGHTS[0] + second * WEIGHTS[1] + third * WEIGHTS[2]

    def pixel(self, px: Pixel) -> Value:
        glow = Vec(px.planes[:3]) + Vec(px.planes[4:7]) * WEIGHTS[3]
        return px.rgb + (glow - self.bright(px)) * self.amount

    def is_identity(self) -> bool:
        return self.amount == 0.0
