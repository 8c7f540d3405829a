"""SixVector."""

from __future__ import annotations

import math

from engine.kernel.op import ColorOp, Numbers, slider
from engine.kernel.pixel import Pixel, Scalar, Value, Vec, cos, exp2, select, sin
from engine.ops.opponent import HUES, from_plane, plane_of, unless_huge

ONES, ZEROS = (1.0,) * 6, (0.0,) * 6
_LISTED = ", ".join(HUES)


class SixVector(ColorOp):
    """Density, saturation and hue of red, yellow, green, cyan, blue and magenta. Scene-linear RGB, unbounded.

    Hue is the angle in the linear opponent plane (R - (G + B) / 2, (G - B) * sqrt(3) / 2), where the six vectors lie 60
    degrees apart. A colour belongs to the nearest primary by (1 + cos 3 hue) / 2 and to the nearest secondary by the
    rest: a smooth, periodic partition. Saturation and hue keep luma (BT.709 weights); density scales the colour, in
    stops. All fades out towards greys, which stay as they are.
    """

    label = "Six vectors"
    home = "scene_linear"

    density: Numbers = slider(ZEROS, -4.0, 4.0, unit="EV", help=f"Above 0 darkens: {_LISTED}", visible=(-2.0, 2.0))
    saturation: Numbers = slider(
        ONES, 0.0, 4.0, minimum=0.0, help=f"0 is grey, 1 changes nothing: {_LISTED}", visible=(0.0, 2.0)
    )
    hue: Numbers = slider(
        ZEROS, -60.0, 60.0, unit="°", help=f"Above 0 turns towards the next: {_LISTED}", visible=(-15.0, 15.0)
    )

    def pixel(self, px: Pixel) -> Value:
        plane = plane_of(px.rgb)
        primary = 0.5 + 0.5 * plane.x * (plane.x * plane.x - 3.0 * plane.y * plane.y)
        r, g, b = plane.rgb

        def mixed(amounts: Vec) -> Scalar:
            red, yellow, green, cyan, blue, magenta = amounts
            first = select(r >= g, select(r >= b, red, blue), select(g >= b, green, blue))
            second = select(r <= g, select(r <= b, cyan, yellow), select(g <= b, magenta, yellow))
            return (second + (first - second) * primary) * plane.sure

        darker, more = mixed(self.density), mixed(self.saturation - 1.0)
        half = mixed(self.hue * (0.5 * math.pi / 180.0))
        sine, cosine = sin(half), cos(half)
        stays, turns = more - (1.0 + more) * (2.0 * sine * sine), (1.0 + more) * (2.0 * sine * cosine)
        moved = from_plane(plane.along * stays - plane.across * turns, plane.along * turns + plane.across * stays)
        return unless_huge(px.rgb, (px.rgb + moved * plane.size) * exp2(-darker))

    def is_identity(self) -> bool:
        return self.at_default()
