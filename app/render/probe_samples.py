"""Requests for pixel values and their results, computed on the preview's thread."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.model.grade_rows import Path
from app.model.matte_view import matte_at
from app.model.view_ops import grade_ops, view_ops
from app.render.plane_gate import lacked
from engine import Grade
from engine.color.management import Managed
from engine.core.geometry import Rect
from engine.core.records import dataclass
from engine.grade.colour_settings import Viewing
from engine.grade.masking import planes_read
from engine.kernel.op import Op
from engine.viewing import FrameMaker

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


class ProbeResult(NamedTuple):
    """The channel values of a pixel, as in the file and after the grade."""

    x: int
    y: int
    source: tuple[float, ...]
    graded: tuple[float, ...]


@dataclass(frozen=True)
class SampleRequest:
    """Requests the means of boxes of pixels: in the source, after the grade and on the display.

    With the path of an entry as `inside`, only the pixels inside its matte count.
    """

    serial: int
    boxes: tuple[Box, ...]
    grade: Grade
    managed: Managed
    viewing: Viewing
    inside: Path = ()


class Sample(NamedTuple):
    """The means of a box's channels: scene-linear before and after the grade, and display values (0..1).

    They are () for a box without pixels inside the matte.
    """

    box: Box
    source: tuple[float, ...]
    graded: tuple[float, ...]
    display: tuple[float, ...]


def values_of(maker: FrameMaker, pixels: tuple[tuple[int, int], ...], ops: Sequence[Op]) -> NDArray[np.float32]:
    """Return the values (n, 3|4) of pixels after ops; those of a rectangle, row by row, are computed at once."""
    (left, top), (right, bottom) = pixels[0], pixels[-1]
    if pixels == tuple((x, y) for y in range(top, bottom + 1) for x in range(left, right + 1)):
        found = maker.values((left, top, right - left + 1, bottom - top + 1), ops)
        return found.reshape(len(pixels), -1)
    return np.array([maker.value(x, y, ops)[1] for x, y in pixels], np.float32)


def take_samples(maker: FrameMaker, request: SampleRequest) -> list[Sample]:
    """Return a sample for each box that overlaps the image."""
    from engine.color.matte_ops import matte_ops

    graded = grade_ops(request.managed, request.grade)
    shown = view_ops(request.managed, request.viewing)
    matte = matte_at(request.grade, request.inside)
    inside = () if matte is None else matte_ops(request.managed, request.grade, request.inside, matte)
    if lacked(maker.levels.planes, planes_read(inside)):
        inside = ()
    found: list[Sample] = []
    for box in request.boxes:
        rect = Rect(*box).clipped(maker.levels.width, maker.levels.height)
        if rect.pixels:
            *values, counts = _values(maker, rect, graded, shown, inside)
            found.append(Sample(box, *(_mean(each, counts) for each in values)))
    return found


def _values(
    maker: FrameMaker, rect: Rect, grade: Sequence[Op], view: Sequence[Op], inside: Sequence[Op]
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Return the pixels of a rectangle before the grade, after the grade and after the view, and which of them count:
    those where the last of the ops `inside`, if there are any, gives at least INSIDE."""
    from engine.viewing.matte_ops import INSIDE

    if rect.pixels <= MOST:
        source, graded = maker.pixels.exact(rect, grade)
        coverage = maker.pixels.exact(rect, inside)[1]
    else:
        share = math.sqrt(MOST / rect.pixels)
        size = max(1, int(rect.width * share)), max(1, int(rect.height * share))
        region = (float(rect.x), float(rect.y), float(rect.width), float(rect.height))
        source, graded, coverage = (maker.graded(region, *size, ops)[0] for ops in ((), grade, inside))
    counts = coverage[..., 0] >= INSIDE if inside else np.ones(coverage.shape[:2], bool)
    return source, graded, maker.executor.execute_color(graded, view), counts


def _mean(pixels: NDArray[Any], counts: NDArray[Any]) -> tuple[float, ...]:
    """Return the means of the channels of those pixels (height, width, channels) that count; () if none does.

    NaN and Inf propagate.
    """
    chosen = pixels[counts]
    with np.errstate(all="ignore"):
        return tuple(float(v) for v in chosen.mean(axis=0, dtype=np.float64)) if len(chosen) else ()
