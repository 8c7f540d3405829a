"""Requests for pixel values and their results, computed on the preview's thread."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.model.view_ops import grade_ops, view_ops
from engine import Grade
from engine.color.management import Managed
from engine.core.geometry import Rect
from engine.grade.colour_settings import Viewing
from engine.kernel.op import Op
from engine.viewing import FrameMaker
from engine.viewing.requests import colour_ops

Box = tuple[int, int, int, int]
"""x, y, width and height in whole pixels, relative to the data window's origin."""
MOST = 1 << 16
"""Maximum number of pixels of an area that are read exactly; a larger area is first resampled to at most as many."""


@dataclass(frozen=True)
class ProbeRequest:
    """Requests a pixel before and after the grade; `x`, `y` are its column and row in the data window."""

    serial: int
    x: int
    y: int
    grade: Grade
    managed: Managed


@dataclass(frozen=True)
class ProbeResult:
    """The channel values of a pixel, as in the file and after the grade."""

    x: int
    y: int
    source: tuple[float, ...]
    graded: tuple[float, ...]


@dataclass(frozen=True)
class SampleRequest:
    """Requests the means of boxes of pixels: in the source, after the grade and on the display."""

    serial: int
    boxes: tuple[Box, ...]
    grade: Grade
    managed: Managed
    viewing: Viewing


@dataclass(frozen=True)
class Sample:
    """The means of a box's channels: scene-linear before and after the grade, and display values (0..1)."""

    box: Box
    source: tuple[float, ...]
    graded: tuple[float, ...]
    display: tuple[float, ...]


def take_samples(maker: FrameMaker, request: SampleRequest) -> list[Sample]:
    """Return a sample for each box that overlaps the image."""
    graded = grade_ops(request.managed, request.grade)
    shown = view_ops(request.managed, request.viewing)
    found: list[Sample] = []
    for box in request.boxes:
        rect = Rect(*box).clipped(maker.levels.width, maker.levels.height)
        if rect.pixels:
            found.append(Sample(box, *(_mean(each) for each in _values(maker, rect, graded, shown))))
    return found


def _values(
    maker: FrameMaker, rect: Rect, grade: Sequence[Op], view: Sequence[Op]
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Return the pixels of a rectangle before the grade, after the grade and after the view."""
    if rect.pixels <= MOST:
        source = np.ascontiguousarray(maker.levels.exact(rect), np.float32)
        graded = maker.executor.execute_color(source, colour_ops(grade))
    else:
        share = math.sqrt(MOST / rect.pixels)
        size = max(1, int(rect.width * share)), max(1, int(rect.height * share))
        region = (float(rect.x), float(rect.y), float(rect.width), float(rect.height))
        source, graded = (maker.graded(region, *size, ops)[0] for ops in ((), grade))
    return source, graded, maker.executor.execute_color(graded, view)


def _mean(pixels: NDArray[Any]) -> tuple[float, ...]:
    """Return the means of the channels of pixels (height, width, channels); NaN and Inf propagate."""
    with np.errstate(all="ignore"):
        return tuple(float(v) for v in pixels.reshape(-1, pixels.shape[2]).mean(axis=0, dtype=np.float64))
