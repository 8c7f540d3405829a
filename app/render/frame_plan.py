"""The plan of a frame: the graded image, the other side of a comparison, and the marks over it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from app.model.view_ops import grade_ops
from app.render.comparison import Comparison
from app.render.requests import FALSE_COLOUR, GAMUT, PASSES, PEAKING, View
from engine import Grade
from engine.kernel.op import ColorOp, Op
from engine.viewing import Frame, FrameMaker, Levels
from engine.viewing.backdrop import FIELD, Backdrop
from engine.viewing.composing import (
    RgbaBytes,
    aligned,
    anaglyph,
    cut_out,
    marked,
    marked_outside,
    painted,
    rubylith,
    side_by_side,
    split,
    wiped,
)
from engine.viewing.differences import difference, heat_map, mark_undefined, signed
from engine.viewing.requests import Region
from engine.viewing.viewer_ops import Marks

if TYPE_CHECKING:
    from engine.viewing.peaking import Bools


class Run(NamedTuple):
    """One frame to make: the maker of its image, the ops of the grade, and those of the view.

    `offset` is the position of the displayed image's first pixel in the run's image; None if they are the same image.
    With `half`, it has half as many pixels along each axis, for two frames side by side. Without `backdrop`, its frame
    is opaque whatever the alpha is.
    """

    maker: FrameMaker
    grade: tuple[Op, ...]
    view: tuple[ColorOp, ...]
    offset: tuple[int, int] | None = None
    half: bool = False
    backdrop: bool = True

    def where(self, region: Region, width: int, height: int) -> tuple[Region, int, int]:
        """Convert a region shown on `width` x `height` pixels to the run's image, clipped to at least one pixel."""
        if self.half:
            width, height = max(1, width // 2), max(1, height // 2)
        if self.offset is None:
            return region, width, height
        levels = self.maker.levels
        x, across, columns = _within(region[0] + self.offset[0], region[2], width, levels.width)
        y, down, rows = _within(region[1] + self.offset[1], region[3], height, levels.height)
        return (x, y, across, down), columns, rows

    def back(self, region: Region) -> Region:
        """Convert a region of the run's image to pixels of the displayed image."""
        dx, dy = self.offset or (0, 0)
        return region[0] - dx, region[1] - dy, region[2], region[3]


def _within(start: float, length: float, count: int, size: int) -> tuple[float, float, int]:
    """Return start, length and number of those of `count` steps along a range whose centres lie in 0..`size`.

    If there are none, return the nearest step.
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
    """The runs of a view, and how their frames are combined."""

    def __init__(self, view: View, grade: Grade, maker: FrameMaker, other: Callable[[Levels], FrameMaker]) -> None:
        """Plan the frames of a view. `other` returns a maker for another image."""
        self._view = view
        shown = tuple(op for op in view.ops if isinstance(op, ColorOp))
        comparison = view.comparison
        half = comparison is not None and comparison.mode == "side by side"
        self.main = Run(maker, view.grade_ops(grade), shown, half=half)
        self.runs = [self.main]
        self._against: Run | None = None
        if comparison is not None:
            other_maker = other(comparison.levels) if comparison.levels is not None else maker
            offset = None if _lies_alike(comparison, maker, other_maker) else comparison.offset
            graded = () if view.data else grade_ops(comparison.managed, comparison.grade)
            self._against = Run(other_maker, graded, shown, offset, half)
            self.runs.append(self._against)
        covered = view.matte_ops(grade) if view.matte else ()
        self._matte = Run(maker, covered, (), half=half, backdrop=False) if covered else None
        if self._matte is not None:
            self.runs.append(self._matte)
        self._marks = [name for name in view.overlays if name not in (FALSE_COLOUR, GAMUT, PEAKING)]
        self._peaks = PEAKING in view.overlays
        self._outside: Run | None = None
        if GAMUT in view.overlays and view.data is None:
            from engine.viewing.gamut_ops import GamutBands

            to_gamut = tuple(op for op in view.gamut_ops if isinstance(op, ColorOp))
            self._outside = Run(maker, self.main.grade, (*to_gamut, GamutBands()), half=half, backdrop=False)
            self.runs.append(self._outside)
        if set(self._marks) & set(PASSES):
            self.runs.append(Run(maker, self.main.grade, (Marks(),), half=half, backdrop=False))

    def prepared(self) -> bool:
        """Return whether all kernels are compiled."""
        main = self.main
        peaks = not self._peaks or main.maker.edges_prepared(main.grade, main.view)
        return peaks and all(run.maker.prepared(run.grade, run.view) for run in self.runs)

    def frame(self, make: Callable[[Run], Frame | None]) -> tuple[Frame, dict[str, float]] | None:
        """Combine the frames that `make` returns for the runs; None if it returns None for one of them.

        Returns the frame, and the share of its pixels (0..1) that each overlay marks, by name.
        """
        frames: list[Frame] = []
        for run in self.runs:
            made = make(run)
            if made is None:
                return None
            frames.append(replace(made, region=run.back(made.region)))
        first, comparison = frames[0], self._view.comparison
        exact = all(frame.exact for frame in frames)
        if not (self._marks or self._peaks or self._outside or self._matte) and comparison is None:
            return replace(first, exact=exact), {}  # unchanged: it may stay on the device
        pixels, shares = first.pixels, dict[str, float]()
        if self._matte is not None:
            covered = frames[self.runs.index(self._matte)]
            coverage = aligned(covered.pixels, covered.region, pixels, first.region)
            pixels = _with_matte(pixels, coverage, self._view)
        if self._outside is not None:
            found = frames[self.runs.index(self._outside)]
            bands = aligned(found.pixels, found.region, pixels, first.region)
            pixels, shares[GAMUT] = marked_outside(pixels, bands)
        if self._marks:
            marks = aligned(frames[-1].pixels, frames[-1].region, pixels, first.region)
            pixels, counted = marked(pixels, marks, self._marks, self._view.zebra)
            shares |= counted
        if self._peaks:
            from engine.viewing.peaking import COLOURS  # few views show edges

            edges = self._edges(first, pixels)
            pixels, shares[PEAKING] = painted(pixels, edges, COLOURS[self._view.peaking_colour]), float(edges.mean())
        if comparison is not None and comparison.mode == "difference":
            pixels = self._difference(first, comparison)
        elif comparison is not None:
            second = aligned(frames[1].pixels, frames[1].region, pixels, first.region)
            pixels = _combined(pixels, second, comparison)
        return replace(first, held=pixels, exact=exact), shares

    def _edges(self, frame: Frame, pixels: RgbaBytes) -> Bools:
        """Return where a frame of these pixels has edges, (height, width)."""
        height, width = pixels.shape[:2]
        main = self.main
        place, ops = (frame.region, width, height), (main.grade, main.view)
        found, region = main.maker.edges(*place, *ops, self._view.peaking, quick=not frame.exact)
        return aligned(found[..., None], region, pixels, frame.region)[..., 0]

    def _difference(self, frame: Frame, comparison: Comparison) -> RgbaBytes:
        """Return the difference of the graded values of both sides, times the gain.

        The absolute difference goes through the view, which picks the channel; the other modes are display values.
        """
        assert self._against is not None
        height, width = frame.held.shape[:2]
        ours, region = self.main.maker.graded(frame.region, width, height, self.main.grade)
        where = self._against.where(frame.region, width, height)
        theirs, place = self._against.maker.graded(*where, self._against.grade)
        theirs = aligned(theirs, self._against.back(place), ours, region)
        channel = self._view.channel
        if comparison.difference != "absolute":
            paint = signed if comparison.difference == "signed" else heat_map
            return paint(difference(ours, theirs, channel), comparison.gain)
        found = difference(ours, theirs, channel if channel == "alpha" else "")
        shown = np.ones((*found.shape[:2], 4), np.float32)
        with np.errstate(all="ignore"):
            shown[..., : 4 if channel == "alpha" else 3] = np.abs(found) * np.float32(comparison.gain)
        return mark_undefined(self.main.maker.displayed(shown, self.main.view), found)


def _lies_alike(comparison: Comparison, maker: FrameMaker, other: FrameMaker) -> bool:
    """Return whether both images have the same pixels; their frames then share a region, also beyond their edges."""
    sizes = {(levels.width, levels.height) for levels in (maker.levels, other.levels)}
    return comparison.levels is None or (comparison.offset == (0, 0) and len(sizes) == 1)


def _with_matte(pixels: RgbaBytes, coverage: RgbaBytes, view: View) -> RgbaBytes:
    """Return a frame with a matte as the view shows it."""
    if view.matte == "overlay":
        return rubylith(pixels, coverage)
    if view.matte == "cut-out":
        return cut_out(pixels, coverage, Backdrop(view.backdrop, FIELD / view.width))
    return coverage


def _combined(pixels: RgbaBytes, second: RgbaBytes, comparison: Comparison) -> RgbaBytes:
    """Return both sides of a comparison in one frame; differences are made from values instead."""
    if comparison.mode == "split":
        return split(pixels, second)
    if comparison.mode == "wipe":
        return wiped(pixels, second, comparison.x, comparison.y, comparison.angle)
    left, right = (second, pixels) if comparison.swapped else (pixels, second)
    return anaglyph(left, right) if comparison.mode == "anaglyph" else side_by_side(left, right)
