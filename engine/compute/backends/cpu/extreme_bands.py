"""The shares of a thread in the extremes of a window: rows, or strips of columns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.compute.backends.cpu.kernels import function
from engine.compute.backends.cpu.layout import ExtremeLines, int64s

PIXEL, STRIP = 4, 128
"""Floats of a pixel, and of a row of a strip of columns: long enough that rows far apart are read quickly."""


class Window:
    """One axis of a window: the extremes along the rows, or `down` the columns, by `steps` (int64)."""

    def __init__(
        self, source: NDArray[Any], target: NDArray[Any], steps: NDArray[np.int64], largest: bool, down: bool
    ) -> None:
        self._images, self._steps = (source, target), steps
        height, width = source.shape[:2]
        rows = [image.strides[0] // image.itemsize for image in self._images]
        self._lines = -(-width * PIXEL // STRIP) if down else height
        self._floats = 2 * (height * STRIP if down else width * PIXEL)
        images = [source.ctypes.data, target.ctypes.data]
        apart = [STRIP, STRIP, *rows] if down else [*rows, PIXEL, PIXEL]
        line = [height, STRIP, width * PIXEL] if down else [width, PIXEL, height * PIXEL]
        self._geometry = ExtremeLines._make([*images, *apart, *line, len(steps), largest, 0, self._lines])
        self._step = 1

    def starts(self, shares: int) -> range:
        """Return the first lines of about so many shares."""
        self._step = max(1, -(-self._lines // shares))
        return range(0, self._lines, self._step)

    def compute(self, first: int) -> None:
        """Compute the share that begins at a line."""
        lines = int64s(self._geometry._replace(first=first, last=min(first + self._step, self._lines)))
        work = np.empty(self._floats, np.float32)
        extreme_lines()(lines.ctypes.data, self._steps.ctypes.data, work.ctypes.data)


def extreme_lines() -> Callable[..., None]:
    """Return the compiled function."""
    return function("extremes", "extreme_lines", 3)
