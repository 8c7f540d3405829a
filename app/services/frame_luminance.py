"""The luminance of frames, as tracking reads it: of the source, or after the grade."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.render.plane_gate import lacked
from engine import Grade
from engine.color.management import Managed
from engine.core.colorimetry import LUMA
from engine.core.geometry import Rect
from engine.grade.masking import planes_read
from engine.grade.matte_planes import without_planes
from engine.viewing import FrameMaker
from engine.viewing.levels import levels_of

Floats = NDArray[np.float32]
Read = Callable[[int], tuple[Any, Managed]]
"""Reads a frame, with its colour spaces."""


class FrameLuminance:
    """Reads the luminance of one frame after the other, on one thread."""

    def __init__(self, read: Read, grade: Grade | None, create_executor: Callable[[], Any]) -> None:
        """`grade` is the one to apply, None for the source; `create_executor` creates what computes it."""
        self._read, self._grade, self._create_executor = read, grade, create_executor
        self._maker: FrameMaker | None = None

    def __call__(self, frame: int) -> Floats:
        """Return the luminance of a frame over its display window, (height, width); NaN where there are no pixels."""
        image, managed = self._read(frame)
        levels = levels_of(image)
        whole = Rect(0, 0, levels.width, levels.height)
        if self._grade is None:
            pixels = levels.exact(whole)
        else:
            pixels = self._graded(levels, managed, self._grade.at(frame), whole)
        red, green, blue = (pixels[..., channel].astype(np.float32) for channel in range(3))
        with np.errstate(all="ignore"):
            return in_display_window(red * LUMA[0] + green * LUMA[1] + blue * LUMA[2], image.part)

    def _graded(self, levels: Any, managed: Managed, grade: Grade, whole: Rect) -> Any:
        """Return the pixels after the colour ops of the grade, without the entries whose mattes the file lacks."""
        if self._maker is None:
            self._maker = FrameMaker(self._create_executor())
        self._maker.show(levels)
        ops = managed.expanded(grade)
        lacking = lacked(levels.planes, planes_read(ops))
        return self._maker.pixels.exact(whole, managed.expanded(without_planes(grade, lacking)) if lacking else ops)[1]


def in_display_window(values: Floats, part: Any) -> Floats:
    """Return values of the data window of a part over its display window; NaN where they do not cover it."""
    left, top, right, bottom = part.display_window
    frame = Rect(0, 0, right - left + 1, bottom - top + 1)
    height, width = values.shape
    data = Rect(part.data_window[0] - left, part.data_window[1] - top, width, height)
    if data == frame:
        return values
    result = np.full((frame.height, frame.width), np.nan, np.float32)
    x, y = max(data.x, 0), max(data.y, 0)
    right, bottom = min(data.right, frame.width), min(data.bottom, frame.height)
    if right > x and bottom > y:
        result[y:bottom, x:right] = values[y - data.y : bottom - data.y, x - data.x : right - data.x]
    return result
