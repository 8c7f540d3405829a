"""Halation."""

from __future__ import annotations

from engine.kernel.filter_op import Computed, FilterOp, Gaussian, SideImage
from engine.kernel.op import Numbers, slider
from engine.kernel.pixel import Pixel, Value, Vec
from engine.ops.highlights import highlights


class Halation(FilterOp):
    """The red glow around highlights on film, whose base reflects them. Scene-linear RGB in and out, unbounded.

    What is above `threshold` is taken away, to a share of `amount` times `tint`, and added again as Gaussians. That of
    the deepest layer, red, reaches `radius` pixels, those of green and blue half as far. The sum of each channel over
    the image stays the same, except for what leaves its edges.
    """

    amount: float = slider(0.0, 0.0, 1.0, minimum=0.0, help="The share of the highlights that is reflected; 0 is none")
    threshold: float = slider(
        2.0, -10.0, 10.0, unit="EV", help="Where highlights begin, in stops above mid grey", visible=(-2.0, 6.0)
    )
    softness: float = slider(
        0.5, 0.0, 1.0, minimum=0.0, help="How softly highlights begin, as a share of the threshold"
    )
    radius: float = slider(
        30.0, 2.0, 1000.0, unit="px", minimum=0.0, help="How far the glow of red reaches", visible=(2.0, 150.0)
    )
    tint: Numbers = slider(
        (1.0, 0.25, 0.05), 0.0, 1.0, minimum=0.0, help="The share of red, green and blue that is reflected"
    )

    def side_images(self) -> tuple[SideImage, ...]:
        bright = Computed("bright")
        return Gaussian(bright, self.radius), Gaussian(bright, self.radius / 2.0)

    def bright(self, px: Pixel) -> Value:
        """Return what is reflected before the tint."""
        return highlights(px.rgb, self.threshold, self.softness)

    def pixel(self, px: Pixel) -> Value:
        glow = Vec((px.planes[0], px.planes[5], px.planes[6]))
        return px.rgb + (glow - self.bright(px)) * (self.tint * self.amount)

    def is_identity(self) -> bool:
        return self.amount == 0.0 or not any(self.tint)
