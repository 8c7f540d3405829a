"""Colours as points in a solid: the RGB cube, the HSV cone, CIE L*a*b* and Oklab.

The solids lie in a box from -1 to 1: the first two coordinates across, the third one upwards.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from engine.compute.statistics import Axis
from engine.core.colorimetry import PRIMARIES
from engine.core.gamuts import from_xyz, white_xyz
from engine.core.records import dataclass

Floats = NDArray[np.float32]
MOST_POINTS = 1 << 16
CODES = 4096
SPACES = ("rgb", "hsv", "lab", "oklab")
LAB_CHROMA, OKLAB_CHROMA = 128.0, 0.35
"""a* and b*, and a and b of Oklab, at the walls of the box."""
LAB_EDGE = (6.0 / 29.0) ** 3
"""Y / Yn below which L* is linear: CIE 15:2018, 8.2.1."""
TO_LMS = np.array(
    [
        [0.8189330101, 0.3618667424, -0.1288597137],
        [0.0329845436, 0.9293118715, 0.0361456387],
        [0.0482003018, 0.2643662691, 0.6338517070],
    ]
)
TO_OKLAB = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)
"""XYZ with D65 white to Oklab: B. Ottosson, "A perceptual color space for image processing", 2020."""


@dataclass(frozen=True)
class Scatter:
    """Points (n, 3) in the box, and their colours (n, 3) as bytes of sRGB; `space` is one of SPACES."""

    space: str
    points: Floats
    colours: NDArray[np.uint8]


def scatter_of(space: str, values: Floats, xyz: Floats, axis: Axis) -> Scatter:
    """Return the points of values (n, 3), whose XYZ with D65 white is given, in a space.

    RGB and HSV are those of the values' places on an axis. Points beyond the box lie on its walls; NaN and Inf are left
    out.
    """
    kept = np.isfinite(values).all(axis=1) & np.isfinite(xyz).all(axis=1)
    values, xyz = values[kept], xyz[kept]
    if space == "rgb":
        points = 2.0 * placed(values, axis) - 1.0
    elif space == "hsv":
        points = hsv_cone(placed(values, axis))
    elif space == "lab":
        points = lab(xyz) / np.array([50.0, LAB_CHROMA, LAB_CHROMA]) - np.array([1.0, 0.0, 0.0])
    else:
        points = oklab(xyz) / np.array([0.5, OKLAB_CHROMA, OKLAB_CHROMA]) - np.array([1.0, 0.0, 0.0])
    if space in ("lab", "oklab"):
        points = np.roll(points, -1, axis=1)  # lightness upwards
    return Scatter(space, np.clip(points, -1.0, 1.0).astype(np.float32), shown(xyz))


def placed(values: Floats, axis: Axis) -> NDArray[np.float64]:
    """Return the places of values on an axis, 0..1."""
    with np.errstate(divide="ignore"):
        found = np.log2(np.maximum(values.astype(np.float64), 0.0)) if axis.log2 else values.astype(np.float64)
    return np.clip((found - axis.start) * axis.scale / axis.bins, 0.0, 1.0)


def hsv_cone(rgb: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return points on the cone of hue (as an angle), saturation times value (as a radius), and value."""
    r, g, b = rgb.T
    value, chroma = rgb.max(axis=1), np.ptp(rgb, axis=1)
    sixths = np.where(value == r, g - b, np.where(value == g, b - r, r - g)) / np.maximum(chroma, 1e-12)
    hue = (sixths + np.where(value == r, 0.0, np.where(value == g, 2.0, 4.0))) * (np.pi / 3.0)
    return np.stack([chroma * np.cos(hue), chroma * np.sin(hue), 2.0 * value - 1.0], -1)


def lab(xyz: Floats) -> NDArray[np.float64]:
    """Return CIE L*, a* and b* of XYZ with D65 as white: CIE 15:2018, 8.2.1."""
    ratio = xyz.astype(np.float64) / white_xyz(PRIMARIES["rec709"][6:])
    f = np.where(ratio > LAB_EDGE, np.cbrt(ratio), ratio * (841.0 / 108.0) + 4.0 / 29.0)
    x, y, z = f.T
    return np.stack([116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)], -1)


def oklab(xyz: Floats) -> NDArray[np.float64]:
    """Return L, a and b of Oklab."""
    return np.asarray(np.cbrt(xyz.astype(np.float64) @ TO_LMS.T) @ TO_OKLAB.T)


def shown(xyz: Floats) -> NDArray[np.uint8]:
    """Return XYZ as bytes of sRGB, clipped."""
    linear = np.clip(xyz @ from_xyz(PRIMARIES["rec709"]).T.astype(np.float32), 0.0, 1.0)
    return _codes().take(np.round(np.sqrt(linear) * (CODES - 1)).astype(np.intp))


@cache
def _codes() -> NDArray[np.uint8]:
    """Return the bytes of sRGB of linear values, by their square roots."""
    linear = np.linspace(0.0, 1.0, CODES) ** 2
    coded = np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1.0 / 2.4) - 0.055)
    return np.round(255.0 * coded).astype(np.uint8)
