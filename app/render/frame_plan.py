"""What a view needs computed: the graded image, what it is held against, and the marks over it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from app.render.view_ops import grade_ops
from engine import Grade
from engine.color.management import Managed
from engine.kernel.op import ColorOp, Op
from engine.viewing import Frame, FrameMaker, Levels
from engine.viewing.composing import Bytes, aligned, marked, split, wiped
from engine.viewing.looking import Marks
from engine.viewing.requests import Region

if TYPE_CHECKING:
    from app.render.requests import View

FALSE_COLOUR = "false colour"
PASSES = ("nan", "negative")
"""Overlays that are read from graded values, not from the frame."""


@dataclass(frozen=True)
class Comparison:
    """The other side: a grade, in its colour spaces, of the shown image, or of the one that `levels` are.

    `mode` is wipe, split or difference. `x`, `y` (shares of the frame) and `angle` (degrees) place a wipe; `gain`
    multiplies a difference of graded values. A pixel of the shown image lies on the one that is `offset` columns and
    rows further on in the other: their data windows may begin elsewhere.
    """

    mode: str
    grade: Grade
    managed: Managed
    levels: Levels | None = None
    x: float = 0.5
    y: float = 0.5
    angle: float = 90.0
    gain: float = 1.0
    offset: tuple[int, int] = (0, 0)


@dataclass(frozen=True)
class Run:
    """One frame to make: the maker of its image, the ops of the grade, and those of the view.

    `offset` is where the shown image's first pixel lies in an image of the run's own, or None where it is that.
    """

    maker: FrameMaker
    grade: tuple[Op, ...]
    view: tuple[ColorOp, ...]
    offset: tuple[int, int] | None = None

    def where(self, region: Region, width: int, height: int) -> tuple[Region, int, int]:
        """What the run's image has of a region on `width` x `height` pixels, in its own pixels; one at least."""
        if self.offset is None:
            return region, width, height
        levels = self.maker.levels
        x, across, columns = _within(region[0] + self.offset[0], region[2], width, levels.width)
        y, down, rows = _within(region[1] + self.offset[1], region[3], height, levels.height)
        return (x, y, across, down), columns, rows

    def back(self, region: Region) -> Region:
        """A region of the run's image in pixels of the shown one."""
        dx, dy = self.offset or (0, 0)
        return region[0] - dx, region[1] - dy, region[2], region[3]


def _within(start: float, length: float, count: int, size: int) -> tuple[float, float, int]:
    """Of `count` steps along a range, those whose middles lie in 0..`size`: where they begin, their length, how many.

    The one that is nearest where there is none.
    """
    step = length / count
    first = min(max(0, math.ceil(-start / step - 0.5)), count - 1)
    end = max(first + 1, min(count, math.ceil((size - start) / step - 0.5)))
    begin = start + first * step
    if begin >= size or begin + step <= 0.0:
        begin = min(max(begin, 0.0), max(0.0, size - step))
        end = first + 1
    return begin, (end - first) * step, end - first


class FramePlan:
    """The runs of a view, and how their frames become one."""

    def __init__(self, view: View, grade: Grade, maker: FrameMaker, other: Callable[[Levels], FrameMaker]) -> None:
        """`other` gives a maker for another image."""
        self._view = view
        shown = tuple(op for op in view.ops if isinstance(op, ColorOp))
        self.main = Run(maker, view.grade_ops(grade), shown)
        self.runs = [self.main]
        self._against: Run | None = None
        against = view.comparison
        if against is not None:
            beside = other(against.levels) if against.levels is not None else maker
            offset = against.offset if against.levels is not None else None
            graded = () if view.ids else grade_ops(against.managed, against.grade)
            self._against = Run(beside, graded, shown, offset)
            self.runs.append(self._against)
        self._marks = [name for name in view.overlays if name != FALSE_COLOUR]
        if set(self._marks) & set(PASSES):
            self.runs.append(Run(maker, self.main.grade, (Marks(),)))

    def prepared(self) -> bool:
        """Whether nothing has to be compiled."""
        return all(run.maker.prepared(run.grade, run.view) for run in self.runs)

    def frame(self, make: Callable[[Run], Frame | None]) -> tuple[Frame, dict[str, float]] | None:
        """The frames that `make` gives as one, and the shares of it that overlays mark; None if one is missing."""
        frames: list[Frame] = []
        for run in self.runs:
            made = make(run)
            if made is None:
                return None
            frames.append(replace(made, region=run.back(made.region)))
        first, how = frames[0], self._view.comparison
        exact = all(frame.exact for frame in frames)
        if not self._marks and how is None:
            return replace(first, exact=exact), {}  # as it is, perhaps on the device
        pixels, shares = first.pixels, dict[str, float]()
        if self._marks:
            marks = aligned(frames[-1].pixels, frames[-1].region, pixels, first.region)
            pixels, shares = marked(pixels, marks, self._marks, self._view.zebra)
        if how is not None and how.mode == "difference":
            pixels = self._difference(first, how.gain)
        elif how is not None:
            second = aligned(frames[1].pixels, frames[1].region, pixels, first.region)
            pixels = split(pixels, second) if how.mode == "split" else wiped(pixels, second, how.x, how.y, how.angle)
        return replace(first, held=pixels, exact=exact), shares

    def _difference(self, frame: Frame, gain: float) -> Bytes:
        """How far the graded values of the two sides lie apart, under the view."""
        assert self._against is not None
        height, width = frame.held.shape[:2]
        ours, region = self.main.maker.graded(frame.region, width, height, self.main.grade)
        where = self._against.where(frame.region, width, height)
        theirs, place = self._against.maker.graded(*where, self._against.grade)
        theirs = aligned(theirs, self._against.back(place), ours, region)
        apart = np.ones((*ours.shape[:2], 4), np.float32)
        with np.errstate(all="ignore"):
            apart[..., :3] = np.abs(ours[..., :3] - theirs[..., :3]) * np.float32(gain)
        return self.main.maker.displayed(apart, self.main.view)
