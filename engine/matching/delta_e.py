"""CIE Lab, and the colour difference of CIEDE2000.

Sources: CIE 15:2018 for Lab; Sharma, Wu and Dalal, "The CIEDE2000 color-difference formula: implementation notes,
supplementary test data, and mathematical observations", Color Research and Application 30 (2005), for the difference.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
EDGE = 6.0 / 29.0
"""The cube root of the ratio to white below which Lab is linear."""
FAR = 25.0**7


def lab_of(xyz: Any, white: Any) -> Array:
    """Return the Lab of XYZ (..., 3) under a white, as XYZ."""
    ratio = np.asarray(xyz, np.float64) / np.asarray(white, np.float64)
    root = np.where(ratio > EDGE**3, np.cbrt(ratio), ratio / (3.0 * EDGE**2) + 4.0 / 29.0)
    x, y, z = np.moveaxis(root, -1, 0)
    return np.stack([116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)], axis=-1)


def xyz_of(lab: Any, white: Any) -> Array:
    """Return the XYZ of Lab (..., 3) under a white, as XYZ."""
    lightness, a, b = np.moveaxis(np.asarray(lab, np.float64), -1, 0)
    y = (lightness + 16.0) / 116.0
    root = np.stack([y + a / 500.0, y, y - b / 200.0], axis=-1)
    ratio = np.where(root > EDGE, root**3, 3.0 * EDGE**2 * (root - 4.0 / 29.0))
    return np.asarray(ratio * np.asarray(white, np.float64))


def delta_e(lab: Any, other: Any) -> Array:
    """Return the CIEDE2000 difference of Lab colours (..., 3), with the parametric factors 1."""
    (l1, a1, b1), (l2, a2, b2) = (np.moveaxis(np.asarray(each, np.float64), -1, 0) for each in (lab, other))
    mean = (np.hypot(a1, b1) + np.hypot(a2, b2)) / 2.0
    stretch = 1.5 - 0.5 * np.sqrt(mean**7 / (mean**7 + FAR))
    c1, c2 = np.hypot(a1 * stretch, b1), np.hypot(a2 * stretch, b2)
    h1, h2 = (np.degrees(np.arctan2(b, a * stretch)) % 360.0 for a, b in ((a1, b1), (a2, b2)))
    grey, apart = c1 * c2 == 0.0, h2 - h1
    turn = np.where(grey, 0.0, apart - 360.0 * np.sign(apart) * (np.abs(apart) > 180.0))
    total = h1 + h2
    middle = total / 2.0 + np.where(np.abs(apart) > 180.0, np.where(total < 360.0, 180.0, -180.0), 0.0)
    hue = np.where(grey, total, middle)
    light, chroma = (l1 + l2) / 2.0, (c1 + c2) / 2.0
    weight = (
        1.0
        - 0.17 * np.cos(np.radians(hue - 30.0))
        + 0.24 * np.cos(np.radians(2.0 * hue))
        + 0.32 * np.cos(np.radians(3.0 * hue + 6.0))
        - 0.20 * np.cos(np.radians(4.0 * hue - 63.0))
    )
    dl = (l2 - l1) / (1.0 + 0.015 * (light - 50.0) ** 2 / np.sqrt(20.0 + (light - 50.0) ** 2))
    dc = (c2 - c1) / (1.0 + 0.045 * chroma)
    dh = 2.0 * np.sqrt(c1 * c2) * np.sin(np.radians(turn) / 2.0) / (1.0 + 0.015 * chroma * weight)
    fan = 60.0 * np.exp(-(((hue - 275.0) / 25.0) ** 2))
    rotation = -2.0 * np.sqrt(chroma**7 / (chroma**7 + FAR)) * np.sin(np.radians(fan))
    return np.asarray(np.sqrt(np.maximum(dl**2 + dc**2 + dh**2 + rotation * dc * dh, 0.0)))
