"""Numbers of things, 32 bits each, as pixels that tell every one of them exactly.

A float holds 24 bits: R is the number as a share of 2**32, near enough to choose a colour by, and G and B are its upper
and its lower half as shares of 2**16, without loss.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

HALF = 1 << 16
ID_SCALE = 2.0**32
"""What R is multiplied by for the number, rounded to 24 bits."""


def id_pixels(ids: NDArray[np.uint32]) -> NDArray[np.float32]:
    """(height, width, 3) of numbers (height, width)."""
    parts = (ids / ID_SCALE, (ids // HALF) / HALF, (ids % HALF) / HALF)
    return np.stack(parts, -1).astype(np.float32)


def id_of(pixel: Sequence[float]) -> int:
    """The number of one pixel."""
    return round(pixel[1] * HALF) * HALF + round(pixel[2] * HALF)
