"""Which pixels of a frame each pixel of the screen shows, computed exactly as Qt's raster painter does."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QTransform

from engine.compute.backends.base import INSIDE

ONE = 1 << 16
"""One pixel in Qt's fixed-point coordinates."""
RUN = 2048
"""Number of pixels of a row that Qt's painter fetches at once; it accumulates steps only within such a run."""
HALF_PIXEL = 1 << 15
"""Half a pixel in Qt's fixed-point coordinates."""


def places(start: float, length: float, size: int, room: int, smooth: bool, run: int = 1) -> NDArray[np.uint32]:
    """Return what `room` screen pixels along one axis show of a frame: (room, 2), in the format of `Composer.place`.

    The frame's `size` pixels cover `length` screen pixels from `start` on. `smooth` blends neighbours as Qt's
    SmoothPixmapTransform does; otherwise the nearest pixel is shown. `run` is RUN for columns, 1 for rows.
    """
    found = np.zeros((room, 2), np.uint32)
    first, end = max(_rounded(start), 0), min(_rounded(start + length), room)
    if end <= first:
        return found
    step, origin = _inverse(start, length / size)
    at = np.empty(end - first, np.int64)
    for begin in range(first, end, run):
        count = min(run, end - begin)
        place = int((step * (begin + 0.5) + origin) * ONE) - (HALF_PIXEL if smooth else 0)
        at[begin - first : begin - first + count] = place + int(step * ONE) * np.arange(count)
    left = np.clip(at >> 16, 0, size - 1)
    right = np.clip((at >> 16) + 1, 0, size - 1)
    share = (at & 0xFFFF) >> 8 if smooth else np.zeros_like(at)
    found[first:end, 0] = left | right << 16
    found[first:end, 1] = share | INSIDE
    return found


def whole(start: int, size: int, room: int) -> NDArray[np.uint32]:
    """Return the same as `places` for a frame shown at one screen pixel per pixel."""
    return places(float(start), float(size), size, room, False, RUN)


def _inverse(start: float, scale: float) -> tuple[float, float]:
    """Return step and origin in the frame, from the same product of matrices as the painter."""
    nudge, matrix = QTransform(), QTransform()
    nudge.translate(1.0 / ONE, 1.0 / ONE)
    matrix.translate(start, start)
    matrix.scale(scale, scale)
    inverse: Any = (nudge * matrix).inverted()
    return inverse[0].m11(), inverse[0].m31()


def _rounded(value: float) -> int:
    return math.floor(value + 0.5)
