"""The opponent plane that ops of hue work in: linear in RGB, with the greys in its centre.

`along` is R - (G + B) / 2 and `across` is (G - B) * sqrt(3) / 2: red lies at 0 degrees, yellow at 60, green at 120,
cyan at 180, blue at 240 and magenta at 300, each at the same distance for primaries and secondaries of 1.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from engine.core.colorimetry import LUMA
from engine.kernel.pixel import FLOAT_MIN, Scalar, Value, Vec, absolute, dot, maximum, select, sqrt

HUES = ("red", "yellow", "green", "cyan", "blue", "magenta")
"""The six vectors, 60 degrees apart, from 0 degrees on."""
HUGE = 2.0**125
"""Colours whose channels add up to more, infinite ones and NaN are left as they are."""
FADE = 0.01
"""Chroma, as a share of `Plane.share`, at which half of what depends on the hue applies: it fades out at greys, whose
hue is undefined. Strong colours have 0.3 and more, skin about 0.06, the noise of greys less than 0.0001."""
_LEAST = 1e-12


class Plane(NamedTuple):
    """A colour in the opponent plane, divided by `size`, its largest channel by magnitude.

    `along` and `across` have the length `chroma`; `x` and `y` are the direction of the hue (of length 1, or 0 at
    grey). `share` is the part of the sum of squares of RGB that is chroma: 0 for greys, 1/3 for yellow, 2/3 for red.
    """

    rgb: Vec
    size: Scalar
    along: Scalar
    across: Scalar
    chroma: Scalar
    x: Scalar
    y: Scalar
    share: Scalar

    @property
    def sure(self) -> Scalar:
        """How far the hue counts, 0..1: nothing at greys, nearly all for colours."""
        return self.share * (1.0 + FADE) / (self.share + FADE)


def plane_of(rgb: Vec) -> Plane:
    """Return the place of a colour in the opponent plane."""
    r, g, b = (absolute(x) for x in rgb)
    size = maximum(maximum(r, g), b)
    scaled = rgb * (1.0 / maximum(size, FLOAT_MIN))
    along = scaled.r - (scaled.g + scaled.b) * 0.5
    across = (scaled.g - scaled.b) * (0.5 * math.sqrt(3.0))
    squared = along * along + across * across
    chroma = sqrt(squared)
    length = 1.0 / maximum(chroma, _LEAST)
    share = squared * (2.0 / 3.0) / maximum(dot(scaled, scaled), _LEAST)
    return Plane(scaled, size, along, across, chroma, along * length, across * length, share)


def from_plane(along: Scalar, across: Scalar) -> Value:
    """Return the RGB of a place in the opponent plane, with the luma (BT.709 weights) 0."""
    half, side = along * (-1.0 / 3.0), across * (1.0 / math.sqrt(3.0))
    rgb = Vec((along * (2.0 / 3.0), half + side, half - side))
    return rgb - dot(LUMA, rgb)


def unless_huge(rgb: Vec, graded: Value) -> Value:
    """Return a graded colour, or the colour itself where it is infinite, NaN or too large to reckon with."""
    r, g, b = (absolute(x) for x in rgb)
    return select(r + g + b <= HUGE, graded, rgb)
