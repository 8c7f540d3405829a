"""Pixels that statistics are made from: finite, visible, and not too many."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.errors import GradeError
from engine.ops import LogCamera

Samples = NDArray[np.float64]
"""RGB of pixels, (n, 3)."""
MOST_SAMPLES = 1 << 18
"""The most pixels of an image that are looked at."""
LEAST, LARGEST = -0.1, 1.5
"""Logarithms that count: those of negative values would outweigh all others, and half floats end below 1.5."""
STOPS, SHIFT = 17.52, 9.72
CURVE = LogCamera(
    log_slope=(1.0 / STOPS,) * 3,
    log_offset=(SHIFT / STOPS,) * 3,
    lin_break=(0.0078125,) * 3,
    linear_slope=(10.5402377416545,) * 3,
    slope="given",
)
"""The logarithm in which scene-linear values are compared: the curve of ACEScct (Academy S-2016-001, 4.4)."""


def usable(pixels: NDArray[Any], name: str) -> Samples:
    """Return the RGB of pixels (..., 3|4) that are finite and not transparent, evenly spread if there are too many.

    Raises GradeError if there are none; `name` says of what.
    """
    flat = pixels.reshape(-1, pixels.shape[-1])
    flat = flat[:: max(1, -(-len(flat) // MOST_SAMPLES))].astype(np.float64)
    good = np.isfinite(flat).all(axis=1)
    if flat.shape[1] > 3:
        good &= flat[:, 3] != 0.0
    if not good.any():
        raise GradeError(f"{name} has no pixel with finite values there", "choose another area")
    return np.asarray(flat[good][:, :3])


def encoded(values: Samples) -> Samples:
    """Return scene-linear values in the logarithm of CURVE."""
    return np.asarray(CURVE.reference(np.column_stack([values, np.ones(len(values))]))[:, :3])


def bounded(logs: Samples) -> Samples:
    """Return logarithms from LEAST to LARGEST."""
    return np.clip(logs, LEAST, LARGEST)
