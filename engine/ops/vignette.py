"""Vignette."""

from __future__ import annotations

import math

from engine.kernel import pairs
from engine.kernel.op import ColorOp, Numbers, choice, derived, slider
from engine.kernel.pixel import Pixel, Value, clamp, exp2, log2, maximum

SHARPEST = 0.01
"""The least width of the falloff, as a share of the half diagonal."""
DARKEST = 16.0
"""Stops by which the cosine law darkens or brightens at most, times the sign of the amount."""
UNKNOWN = (1920, 1080)
"""The size of a display window that is not known."""


class Vignette(ColorOp):
    """Darken or brighten the image towards its edges, or remove what a lens did. Scene-linear RGB in and out.

    RGB is scaled by 2 ** (-amount * f(d)). d is the distance from the centre in half diagonals of the display window,
    1 in the corners; with a roundness of 0 lines of the same d are ellipses with the shape of the window.
    Between the distances radius * (1 - softness) and radius, s grows from 0 to 1. `smooth` is f = s * s * (3 - 2 s),
    and 1 beyond; `cosine` is the law of lenses, cos(angle) ** 4 with tan(angle) in proportion to s:
    2 ** (-amount * f) = (1 + c * s**2) ** -2, which goes on beyond the radius; c gives it the amount there.
    """

    home = "linear"
    placed = True

    amount: float = slider(
        0.0,
        -8.0,
        8.0,
        unit="EV",
        help="Stops darker at the radius; below 0 brighter",
        visible=(-4.0, 4.0),
    )
    radius: float = slider(
        1.0, 0.05, 2.0, minimum=0.05, help="Distance from the centre at which the amount is reached; 1 is the corners"
    )
    softness: float = slider(
        1.0, 0.0, 1.0, minimum=0.0, help="How far inwards the falloff begins; 1 is at the centre, 0 is a hard edge"
    )
    roundness: float = slider(1.0, 0.0, 1.0, minimum=0.0, help="1 is a circle, 0 an ellipse as wide as the frame")
    center: Numbers = slider(
        (0.5, 0.5), -0.5, 1.5, help="Centre: x as a share of the width, y as a share of the height", visible=(0.0, 1.0)
    )
    falloff: str = choice("smooth", "cosine", help="smooth ends at the radius; cosine is the cos⁴ law of lenses")
    window: tuple[int, int] = UNKNOWN

    @derived(pairs.axes_size(2, 2))
    def axes(self) -> tuple[float, ...]:
        """The axes of the ellipse d = 1."""
        width, height = self.window
        half = math.hypot(width, height) / 2.0
        share = min(self.roundness, 1.0)
        across, down = (half**share * (side / math.sqrt(2.0)) ** (1.0 - share) for side in (width, height))
        corner = math.hypot(width / 2.0 / across, height / 2.0 / down)
        rows = (1.0 / (across * corner), 0.0), (0.0, 1.0 / (down * corner))
        center = self.center[0] * width, self.center[1] * height
        return pairs.axes(center, rows, 2.0 * max(width, height))

    @derived(7)
    def inner(self) -> tuple[float, ...]:
        """Where the falloff begins, its square, the grain of distances there, and 1 / its width."""
        width = max(self.radius * min(self.softness, 1.0), SHARPEST)
        radius = max(self.radius - width, 0.0)
        grain = pairs.grain_for(4.0)
        return (*pairs.split(radius), *pairs.square_of(radius, grain), grain, 1.0 / grain, 1.0 / width)

    @derived(2)
    def law(self) -> tuple[float, float]:
        """The factor of s**2 in the law of lenses, and its exponent."""
        return 2.0 ** (abs(self.amount) / 2.0) - 1.0, -math.copysign(2.0, self.amount)

    def pixel(self, px: Pixel) -> Value:
        inner = self.inner
        parts = list(pairs.along(self.axes, (px.x, px.y)))
        share = pairs.beyond(parts, inner[:2], inner[2:4], inner[4], inner[5]) * inner[6]
        if self.falloff == "cosine":
            s = maximum(share, 0.0)
            stops = clamp(log2(s * s * self.law[0] + 1.0) * self.law[1], -DARKEST, DARKEST)
        else:
            s = clamp(share, 0.0, 1.0)
            stops = s * s * (3.0 - 2.0 * s) * -self.amount
        return px.rgb * exp2(stops)

    def fitted(self, width: int, height: int) -> Vignette:
        return self.replace(window=(width, height)) if (width, height) != (0, 0) else self

    def is_identity(self) -> bool:
        return self.amount == 0.0

    def inverse(self) -> Vignette:
        return self.replace(amount=-self.amount)
