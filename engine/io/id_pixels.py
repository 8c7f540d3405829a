"""32-bit IDs as float pixels, without loss.

A float32 holds 24 bits, so R is the ID divided by 2**32, precise enough to pick a colour from, and G and B are its
upper and lower 16 bits divided by 2**16, which are exact.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

HALF = 1 << 16
ID_SCALE = 2.0**32
"""R times this is the ID, rounded to 24 bits."""


def id_pixels(ids: NDArray[np.uint32]) -> NDArray[np.float32]:
    """Return the pixels (height, width, 3) of IDs (height, width)."""
    parts = (ids / ID_SCALE, (ids // HALF) / HALF, (ids % HALF) / HALF)
    return np.stack(parts, -1).astype(np.float32)


def id_of(pixel: Sequence[float]) -> int:
    """Return the ID of a pixel made by `id_pixels`."""
    return round(pixel[1] * HALF) * HALF + round(pixel[2] * HALF)
