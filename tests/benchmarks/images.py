"""Images to measure with, made from a seed."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def noise(width: int, height: int) -> NDArray[np.float32]:
    """Uniform noise in 0..1: the worst case for tables."""
    return np.random.default_rng(1).random((height, width, 4), np.float32)


def natural(width: int, height: int) -> NDArray[np.float32]:
    """Smooth light with texture and grain, a little over 1 at the brightest: as a plate is."""
    y, x = np.mgrid[0:height, 0:width].astype(np.float32) * np.float32(3840.0 / width)
    light = np.stack(
        [
            0.45 + 0.4 * np.sin(x / 700 + 0.3) * np.cos(y / 410),
            0.40 + 0.35 * np.sin(y / 500 + x / 900),
            0.35 + 0.3 * np.cos(x / 400 - y / 800),
            np.ones_like(x),
        ],
        axis=-1,
    )
    texture = 0.05 * np.sin(x / 9) * np.sin(y / 7)
    grain = np.random.default_rng(2).normal(0.0, 0.01, (height, width, 3)).astype(np.float32)
    light[..., :3] = np.abs(light[..., :3] + texture[..., None] + grain)
    return np.ascontiguousarray(light, np.float32)
