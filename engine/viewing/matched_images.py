"""Images for colour matching: their pixels in one colour space, a bounded number, and the ops that match them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.color.management import ACES, ACES_ID, Managed
from engine.compute.executor import TiledExecutor
from engine.core.geometry import Rect
from engine.core.records import dataclass
from engine.errors import GradeError
from engine.grade.grade import Grade
from engine.kernel.op import ColorOp, Op
from engine.matching.chart_fit import ChartFit, fit_chart
from engine.matching.chart_geometry import ChartPlace
from engine.matching.methods import METHODS, match
from engine.matching.samples import MOST_SAMPLES
from engine.viewing.levels import Levels
from engine.viewing.whole_frames import whole_frame

MOST_CHART_PIXELS = 1 << 20
"""The most pixels around a chart that are looked at; a larger chart is resampled."""
Floats = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class MatchSide:
    """An image to match, or its reference: its pixels, colour spaces and grade, and the area of it that counts.

    The area is relative to the data window, whose first pixel is at `origin`; None is all of it. `name` is for
    messages.
    """

    levels: Levels
    managed: Managed
    grade: Grade
    name: str
    area: Rect | None = None
    origin: tuple[int, int] = (0, 0)

    @property
    def rect(self) -> Rect:
        """The pixels that count. Raises GradeError if there are none."""
        whole = Rect(0, 0, self.levels.width, self.levels.height)
        rect = whole if self.area is None else self.area.clipped(whole.width, whole.height)
        if not rect.pixels:
            raise GradeError(f"the area is outside of {self.name}", "choose another area")
        return rect


class MatchSpace(NamedTuple):
    """The space in which colours are compared, '' for values as they are, and whether it is scene-linear."""

    name: str
    is_linear: bool


def space_of(managed: Managed, method: str) -> MatchSpace:
    """Return the space that the ops of a method work in: the working space, or the scene-linear one."""
    if not managed.converts:
        return MatchSpace("", True)
    if METHODS[method].wants_linear:
        return _linear_space(managed)
    return MatchSpace(managed.working, managed.config.is_linear(managed.working))


def matched(
    executor: TiledExecutor,
    image: MatchSide,
    reference: MatchSide,
    method: str,
    stop: Callable[[], bool] = lambda: False,
) -> tuple[ColorOp, ...]:
    """Return the ops that match an image to a reference, to be added to the end of its grade.

    Raises GradeError if the two can't be compared or there are no usable pixels, Cancelled once `stop()` returns True.
    """
    space = space_of(image.managed, method)
    _check_comparable(image, reference)
    pixels, wanted = (pixels_of(executor, side, space, stop) for side in (image, reference))
    return match(pixels, wanted, method, space.is_linear)


def pixels_of(executor: TiledExecutor, side: MatchSide, space: MatchSpace, stop: Callable[[], bool]) -> Floats:
    """Return graded pixels of a side in a space, (rows, columns, 3|4): picked evenly, at most MOST_SAMPLES."""
    return _pixels(executor, side, side.rect, space, MOST_SAMPLES, stop, picks=True)


def fitted_chart(
    executor: TiledExecutor,
    image: MatchSide,
    place: ChartPlace,
    keep: str,
    stop: Callable[[], bool] = lambda: False,
) -> ChartFit:
    """Return the fit for the chart in a graded image; the corners are relative to the data window."""
    left, top, right, bottom = place.bounds()
    rect = Rect(left, top, right - left, bottom - top).clipped(image.levels.width, image.levels.height)
    if not rect.pixels:
        raise GradeError("the chart is outside of the image", "place the corners on the chart")
    space = _linear_space(image.managed) if image.managed.converts else MatchSpace("", True)
    pixels = _pixels(executor, image, rect, space, MOST_CHART_PIXELS, stop, picks=False)
    across, down = pixels.shape[1] / rect.width, pixels.shape[0] / rect.height
    x0, x1, x2, x3 = (((x - rect.x) * across, (y - rect.y) * down) for x, y in place.corners)
    return fit_chart(ChartPlace((x0, x1, x2, x3)).measured(pixels), _to_aces(image.managed), keep)


def _linear_space(managed: Managed) -> MatchSpace:
    return MatchSpace(managed.config.linear or managed.working, True)


def _check_comparable(image: MatchSide, reference: MatchSide) -> None:
    """Raise GradeError if the colours of two images can't be brought into one space."""
    known, other = image.managed, reference.managed
    if known.converts != other.converts:
        unknown = reference if known.converts else image
        raise GradeError(f"the colour space of {unknown.name} is unknown", "specify its input space")
    if known.converts and known.config.source != other.config.source:
        raise GradeError(f"{reference.name} has another OpenColorIO config than {image.name}", "choose the same config")


def _graded(side: MatchSide, space: MatchSpace) -> tuple[Op, ...]:
    """Return the ops from the values of an image to graded values in a space."""
    managed = side.managed
    if not managed.converts:
        return managed.expanded(side.grade)
    setup = replace(managed.setup, working=managed.working, output=space.name)
    return replace(managed, setup=setup, viewing=None).expanded(side.grade)


def _pixels(
    executor: TiledExecutor,
    side: MatchSide,
    rect: Rect,
    space: MatchSpace,
    most: int,
    stop: Callable[[], bool],
    picks: bool,
) -> Floats:
    share = min(1.0, math.sqrt(most / rect.pixels))
    size = max(1, int(rect.width * share)), max(1, int(rect.height * share))
    region = (float(rect.x), float(rect.y), float(rect.width), float(rect.height))
    return whole_frame(executor, side.levels, size, _graded(side, space), (), stop, picks, region)


def _to_aces(managed: Managed) -> NDArray[Any] | None:
    """Return the matrix from the scene-linear space of a config to ACES2065-1; None if it is not known."""
    from engine.ocio.identify import space_for_id

    if not managed.converts:
        return None
    config = managed.config
    aces = config.role(ACES) or space_for_id(config, ACES_ID)
    if not aces or not config.linear:
        return None
    rgba = np.column_stack([np.eye(3), np.ones(3)])
    for op in config.ops_between(config.linear, aces, managed.context):
        assert isinstance(op, ColorOp)
        rgba = op.reference(rgba)
    return np.asarray(rgba[:, :3].T)
