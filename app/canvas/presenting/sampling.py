"""Which pixels of a frame each pixel of the screen shows: by the sums of Qt's raster painter."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QTransform

from engine.compute.backends.base import INSIDE

ONE = 1 << 16
"""Qt counts places in a frame in 65536ths."""
RUN = 2048
"""Pixels of a row that Qt's painter fetches at once; it adds up steps within them only."""
HALF_PIXEL = 1 << 15


def places(start: float, length: float, size: int, room: int, smooth: bool, run: int = 1) -> NDArray[np.uint32]:
    """(room, 2) for the pixels along one axis: what they show of `size` pixels spread over `length` from `start` on.

    As `Composer.place` takes them. `smooth` blends neighbours as SmoothPixmapTransform does, else the nearest is
    taken. `run` is RUN for columns, 1 for rows.
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
    """The same for a frame that is shown pixel by pixel."""
    return places(float(start), float(size), size, room, False, RUN)


def _inverse(start: float, scale: float) -> tuple[float, float]:
    """Step and origin in the frame, by the matrices that the painter multiplies."""
    nudge, matrix = QTransform(), QTransform()
    nudge.translate(1.0 / ONE, 1.0 / ONE)
    matrix.translate(start, start)
    matrix.scale(scale, scale)
    inverse: Any = (nudge * matrix).inverted()
    return inverse[0].m11(), inverse[0].m31()


def _rounded(value: float) -> int:
    return math.floor(value + 0.5)
