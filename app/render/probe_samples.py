"""What is asked about pixels, and the answers: taken on the preview's thread."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.render.view_ops import grade_ops, view_ops
from engine import Grade
from engine.color.management import Managed
from engine.core.geometry import Rect
from engine.grade.colour_settings import Viewing
from engine.kernel.op import Op
from engine.viewing import FrameMaker
from engine.viewing.requests import shown_ops

Box = tuple[int, int, int, int]
"""x, y, width and height in whole pixels, counted from the data window's first."""
MOST = 1 << 16
"""Pixels of an area that are read one by one; a larger one is averaged to no more than these first."""


@dataclass(frozen=True)
class ProbeRequest:
    """One pixel, given by column and row of the image's data window, to be told before and after the grade."""

    serial: int
    x: int
    y: int
    grade: Grade
    managed: Managed


@dataclass(frozen=True)
class ProbeResult:
    """The answer: channel values as they are in the file and as the grade makes them."""

    x: int
    y: int
    source: tuple[float, ...]
    graded: tuple[float, ...]


@dataclass(frozen=True)
class SampleRequest:
    """Boxes of pixels to be averaged: as they are, after the grade, and as the screen is sent them."""

    serial: int
    boxes: tuple[Box, ...]
    grade: Grade
    managed: Managed
    viewing: Viewing


@dataclass(frozen=True)
class Sample:
    """The means of a box's channels: scene-linear before and after the grade, and on the screen (0..1)."""

    box: Box
    source: tuple[float, ...]
    graded: tuple[float, ...]
    display: tuple[float, ...]


def take_samples(maker: FrameMaker, request: SampleRequest) -> list[Sample]:
    """A sample for each box that lies on the image, even if in part."""
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
    """The pixels of a rectangle before and after the grade, and under the view."""
    if rect.pixels <= MOST:
        source = np.ascontiguousarray(maker.levels.exact(rect), np.float32)
        graded = maker.executor.execute_color(source, shown_ops(grade, 0.0))
    else:
        share = math.sqrt(MOST / rect.pixels)
        size = max(1, int(rect.width * share)), max(1, int(rect.height * share))
        region = (float(rect.x), float(rect.y), float(rect.width), float(rect.height))
        source, graded = (maker.graded(region, *size, ops)[0] for ops in ((), grade))
    return source, graded, maker.executor.execute_color(graded, view)


def _mean(pixels: NDArray[Any]) -> tuple[float, ...]:
    """NaN and Inf stay what they are."""
    with np.errstate(all="ignore"):
        return tuple(float(v) for v in pixels.reshape(-1, pixels.shape[2]).mean(axis=0, dtype=np.float64))
