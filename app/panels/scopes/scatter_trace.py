"""Points of a solid as an image: turned, projected and added up. Pure NumPy, for any thread."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.panels.scopes.scope_settings import Trace
from app.panels.scopes.traces import BASE_GAIN, Bytes
from engine.viewing.scatter import Scatter

VIEWER = 6.0
"""Distance of the eye from the middle of the box, whose edges are 2 long."""
FAR_SHARE = 0.3
"""Brightness of the farthest points relative to the nearest ones."""
DEEPEST = math.sqrt(3.0)
SHARE = {"rgb": 0.235, "hsv": 0.33, "lab": 0.26, "oklab": 0.26}
"""Length of half an edge of the box relative to the smaller side of the image, for each space."""
DARKEST = 90.0
"""Largest component of black points."""
FULL_SHARE = 0.002
"""Share of the points that is as bright as can be."""
Places = NDArray[np.float64]


def projected(points: NDArray[np.floating], yaw: float, pitch: float) -> Places:
    """Return points (n, 3) of the box seen from angles in degrees: to the right, upwards, and away from the eye.

    A length of 1 in the middle of the box is 1.
    """
    x, y, z = np.asarray(points, np.float64).T
    turn, tilt = math.radians(yaw), math.radians(pitch)
    across = x * math.cos(turn) - y * math.sin(turn)
    away = x * math.sin(turn) + y * math.cos(turn)
    up, depth = z * math.cos(tilt) + away * math.sin(tilt), away * math.cos(tilt) - z * math.sin(tilt)
    nearer = VIEWER / (VIEWER + depth)
    return np.stack([across * nearer, up * nearer, depth], -1)


def scatter_image(scatter: Scatter, yaw: float, pitch: float, trace: Trace, size: tuple[int, int]) -> Bytes:
    """Return RGBX bytes of the points on an image of `size`; points add up, and farther ones are dimmer."""
    width, height = size
    across, up, depth = projected(scatter.points, yaw, pitch).T
    scale = SHARE[scatter.space] * min(width, height)
    columns, rows = (width / 2 + across * scale).astype(np.intp), (height / 2 - up * scale).astype(np.intp)
    kept = (columns >= 0) & (columns < width) & (rows >= 0) & (rows < height)
    cells, weights = (rows * width + columns)[kept], 1.0 - (1.0 - FAR_SHARE) * (depth[kept] + DEEPEST) / (2 * DEEPEST)
    tints = tinted(scatter.colours[kept])
    planes = [np.bincount(cells, weights * tint, width * height) for tint in (*tints.T, 1.0)]
    red, green, blue, total = (spread(np.asarray(plane, np.float32).reshape(height, width)) for plane in planes)
    full = max(2.0, FULL_SHARE * len(scatter.points))
    factor = BASE_GAIN * 2.0**trace.gain
    brightest = np.float32(trace.intensity / 100.0)
    levels = np.minimum(np.log1p(np.float32(factor) * total) * (brightest / np.log1p(factor * full)), brightest)
    out = np.full((height, width, 4), 255, np.uint8)
    shares = levels / np.maximum(total, np.float32(1e-9))
    for channel, plane in enumerate((red, green, blue)):
        np.multiply(plane, shares, out=out[..., channel], casting="unsafe")
    return out


def tinted(colours: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Return colours (n, 3) bright enough to be seen on black; black becomes grey."""
    found = colours.astype(np.float32)
    largest = found.max(axis=1, keepdims=True)
    bright = DARKEST + largest * ((235.0 - DARKEST) / 255.0)
    return np.where(largest > 0.0, found * (bright / np.maximum(largest, 1.0)), DARKEST).astype(np.float32)


def spread(plane: NDArray[Any]) -> NDArray[Any]:
    """Return a plane whose points are two pixels wide and high."""
    wide = plane.copy()
    wide[:, 1:] += plane[:, :-1]
    high = wide.copy()
    high[1:] += wide[:-1]
    return high
