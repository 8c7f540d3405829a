"""Follows a window from frame to frame.

Each frame is compared with the one before it (the flow of single features from where the motion so far takes them or,
failing that, from where a coarse search finds the window; then the similarity that most of them agree on), and then
aligned with the features of the reference frame as a whole, so that errors do not add up. Features that leave the
image, or change too much in size or contrast, are replaced by those of a later frame.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from enum import Enum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.core.geometry import Rect
from engine.core.records import dataclass
from engine.tracking.anchor import Anchor
from engine.tracking.corners import GRAIN_STRENGTH, OVER_GRAIN, REACH, corner_strength, grain_of
from engine.tracking.fitting import fitted
from engine.tracking.flow import flow
from engine.tracking.luminance import Levels, floor_of
from engine.tracking.search import coarse_shift, is_cut
from engine.tracking.warp import Freedom, Warp

FINEST_SIDE = 400.0
"""A window as large as a square of this side, in pixels, is followed at full resolution; a larger one is halved."""
COARSEST_SIDE = 28
"""The longer side of a window, in pixels of the mip level that is searched for large motions."""
SEARCHED_LEVELS = 4
"""How many mip levels are searched for large motions, coarse ones first."""
MOST_LEVELS = 9
FLOW_LEVELS = 3
LEAST_REACH, MOST_REACH = 24.0, 320.0
"""How far around its predicted place a window is searched: half of its longer side, within these, in pixels."""
LEAST_FEATURES = 6
LEAST_MATCH, MATCH_SHARE = 0.35, 0.6
"""The correlation from which on a feature matches, and that as a share of the first one."""
LEAST_MATCHING, LEAST_REMAINING, LEAST_AGREEING = 0.4, 0.4, 0.3
"""Shares that must match: of the features in the image, and of those that matched before; and the share of the features
followed that must agree on a motion."""
FLOW_TOLERANCE = 1.5
"""How far a feature may be from where the similarity takes it, in pixels of the finest level."""
LEAST_IN_IMAGE, RENEWED_BELOW = 0.2, 0.6
"""The share of the window, and of the features, that is in the image: below which it is lost, and they are replaced."""
MOST_ZOOM = 1.6
"""Features are replaced when the window is larger, or smaller, by this factor than in their frame."""
FADED = 0.75
"""Features are replaced when their correlation falls below this share of the first one."""


class Reason(Enum):
    """Why a window is lost."""

    FEATURES = "there are too few features inside the window: it is flat, or shows only grain"
    LEFT = "the window leaves the image"
    MISMATCH = "the image inside the window no longer matches: it is hidden, or changes or moves too much"
    CUT = "the shot ends with a cut"
    SIZE = "the frame has another size"


@dataclass(frozen=True)
class Motion:
    """Where a window is, relative to the reference frame: it is scaled and turned about its pivot, then moved.

    `dx` and `dy` are in pixels, x to the right and y down; `rotation` is in degrees, clockwise. `confidence` is how
    well the features match, 0 to 1.
    """

    dx: float = 0.0
    dy: float = 0.0
    scale: float = 1.0
    rotation: float = 0.0
    confidence: float = 1.0


@dataclass(frozen=True, eq=False)
class Region:
    """The pixels that belong to a window: `mask` covers `rect`, in pixels of the frame. It turns about `pivot`."""

    rect: Rect
    mask: NDArray[np.bool_]
    pivot: tuple[float, float]


@dataclass(frozen=True)
class Tracked:
    """A frame with the motion of the window, or the reason why it is lost there."""

    frame: int
    motion: Motion | None
    lost: Reason | None = None


def track(
    frames: Callable[[int], NDArray[Any]], numbers: Iterable[int], region: Region, freedom: Freedom | None = None
) -> Iterator[Tracked]:
    """Follow a window through frames and yield where it is in each one, up to the one where it is lost.

    `numbers` start with the reference frame and run in either direction. `frames` returns the luminance of a frame,
    (height, width), over its display window, and NaN where there is none.
    """
    tracker: Tracker | None = None
    for number in numbers:
        if not region.rect.pixels:
            found: Motion | Reason = Reason.LEFT  # the window is outside the image
        elif tracker is None:
            tracker = Tracker(frames(number), region, freedom or Freedom())
            found = Reason.FEATURES if tracker.is_flat else Motion()
        else:
            found = tracker.follow(frames(number))
        if isinstance(found, Reason):
            yield Tracked(number, None, found)
            return
        yield Tracked(number, found)


class Tracker:
    """Follows one window; `follow` takes the next frame."""

    def __init__(self, reference: NDArray[Any], region: Region, freedom: Freedom) -> None:
        self._region, self._freedom, self._frame = region, freedom, reference
        self._floor = floor_of(
            reference[region.rect.clipped(reference.shape[1], reference.shape[0]).within(_all(reference))]
        )
        side = math.sqrt(max(int(region.mask.sum()), 1))
        self._level = max(math.ceil(math.log2(side / FINEST_SIDE)), 0)
        longer = max(region.rect.width, region.rect.height)
        coarsest = max(math.ceil(math.log2(max(longer / COARSEST_SIDE, 1.0))), self._level)
        self._count = min(max(coarsest, self._level + FLOW_LEVELS - 1) + 1, MOST_LEVELS)
        self._coarsest = min(coarsest, self._count - 1)
        self._reach = min(max(longer / 2.0, LEAST_REACH), MOST_REACH)
        self._warp, self._speed, self._angle = Warp(), 0.0j, 0.0
        self._levels = self._around(reference, self._warp)
        self._anchor = Anchor.of(self._levels, self._level, self._allowed(), self._warp)
        self._matching = np.ones(len(self._anchor.points), np.bool_)
        self._first_match = 0.0
        self._weak = self._shows_only_grain()

    @property
    def is_flat(self) -> bool:
        """Whether the reference frame has too few features to follow."""
        return len(self._anchor.points) < LEAST_FEATURES

    def follow(self, frame: NDArray[Any]) -> Motion | Reason:
        """Return where the window is in the next frame, or why it is lost; once lost, it is not found again."""
        if frame.shape != self._frame.shape:
            return Reason.SIZE
        moved = Warp(1.0 + 0.0j, self._speed).after(self._warp)
        if self._share_inside(moved) < LEAST_IN_IMAGE:
            return Reason.LEFT
        levels = self._around(frame, moved)
        found = self._found(levels)
        if found is None:
            return self._why(frame, moved)
        warp, matches = found
        pivot = complex(*self._region.pivot)
        self._speed = complex(warp(pivot) - self._warp(pivot))
        self._angle += Warp(warp.factor / self._warp.factor).angle
        self._warp, self._levels, self._frame = warp, levels, frame
        self._renew(matches)
        if self._share_inside(warp) < LEAST_IN_IMAGE or len(self._anchor.points) < LEAST_FEATURES:
            return Reason.LEFT
        shift = complex(warp(pivot)) - pivot
        confidence = min(max(float(np.nanmean(matches)), 0.0), 1.0)
        return Motion(shift.real, shift.imag, abs(warp.factor), math.degrees(self._angle), confidence)

    # -- one frame

    def _found(self, levels: Levels) -> tuple[Warp, NDArray[Any]] | None:
        """Return the warp from the reference frame, and the correlations of the features; None if they do not match."""
        tried = [self._speed]
        found = self._found_from(levels, self._speed)
        for level in range(self._coarsest, max(self._coarsest - SEARCHED_LEVELS, self._level - 1), -1):
            if found is not None:
                break
            inside = self._mask(self._levels, level, self._warp)
            move = coarse_shift(self._levels, levels, inside, level, self._speed)
            if all(abs(move - other) > 1 << level for other in tried):
                found = self._found_from(levels, move)
                tried.append(move)
        return found

    def _found_from(self, levels: Levels, move: complex) -> tuple[Warp, NDArray[Any]] | None:
        """Return the same, of a window that has moved by about `move` pixels since the frame before."""
        anchor, start = self._anchor, self._followed(levels, move)
        if start is None:
            return None
        used = self._matching if self._matching.sum() >= LEAST_FEATURES else np.ones_like(self._matching)
        before = anchor.warp.inverse
        for _ in range(2):  # a second time with those that match now
            aligned = anchor.aligned(levels, start.after(before), self._freedom, used)
            if aligned is None:
                return None
            matches = anchor.correlations(levels, aligned)
            in_image = np.isfinite(matches)
            with np.errstate(invalid="ignore"):
                matching = matches >= max(LEAST_MATCH, MATCH_SHARE * self._first_match)
            if matching.sum() < max(LEAST_FEATURES, LEAST_MATCHING * in_image.sum(), LEAST_REMAINING * used.sum()):
                return None
            start, same = aligned.after(anchor.warp), bool((matching == used).all())
            if same:
                break
            used = matching
        self._matching = matching
        return start, matches

    def _followed(self, levels: Levels, move: complex) -> Warp | None:
        """Return the warp from the reference frame by the flow from the frame before; None if few features agree."""
        relative = self._warp.after(self._anchor.warp.inverse)
        centers = relative(self._anchor.centers)
        centers = centers[self._matching] if self._matching.sum() >= LEAST_FEATURES else centers
        centers = centers[self._in_image(centers + move)]
        finest = tuple(range(min(self._level + FLOW_LEVELS, self._count) - 1, self._level - 1, -1))
        arrived = flow(self._levels, levels, centers, centers + move, finest)
        good = np.isfinite(arrived)
        if good.sum() < LEAST_FEATURES:
            return None
        step, agree = fitted(centers[good], arrived[good], self._freedom, FLOW_TOLERANCE * (1 << self._level))
        return step.after(self._warp) if agree.sum() >= max(LEAST_FEATURES, LEAST_AGREEING * len(centers)) else None

    def _why(self, frame: NDArray[Any], moved: Warp) -> Reason:
        """Return why the window is not found in a frame."""
        if self._weak:
            return Reason.FEATURES
        if is_cut(self._frame, frame, self._floor):
            return Reason.CUT
        return Reason.LEFT if self._share_inside(moved) < RENEWED_BELOW else Reason.MISMATCH

    # -- features

    def _renew(self, matches: NDArray[Any]) -> None:
        """Replace the features by those of the current frame, if they have left it or changed too much."""
        in_image, matching = np.isfinite(matches), self._matching
        middle = float(np.median(matches[matching]))
        self._first_match = self._first_match or middle
        zoom = abs(self._warp.factor / self._anchor.warp.factor)
        faded = middle < FADED * self._first_match and matching.sum() > RENEWED_BELOW * in_image.sum()
        if in_image.mean() >= RENEWED_BELOW and 1.0 / MOST_ZOOM < zoom < MOST_ZOOM and not faded:
            return
        allowed = self._allowed()
        relative = self._warp.after(self._anchor.warp.inverse)
        self._leave_out(allowed, relative(self._anchor.centers[in_image & ~matching]))
        anchor = Anchor.of(self._levels, self._level, allowed, self._warp)
        if len(anchor.points) >= LEAST_FEATURES:
            self._anchor, self._matching = anchor, np.ones(len(anchor.points), np.bool_)
            self._first_match = 0.0

    def _leave_out(self, allowed: NDArray[np.bool_], hidden: NDArray[Any]) -> None:
        """Leave out the surroundings of features that do not match, such as those that something hides."""
        for at in self._levels.local(hidden, self._level):
            row, column, reach = round(at.imag), round(at.real), 2 * REACH
            allowed[max(row - reach, 0) : row + reach + 1, max(column - reach, 0) : column + reach + 1] = False

    def _allowed(self) -> NDArray[np.bool_]:
        return self._mask(self._levels, self._level, self._warp)

    def _shows_only_grain(self) -> bool:
        """Return whether the features of the reference frame are not stronger than its grain."""
        image, allowed = self._levels.images[self._level], self._allowed()
        strength = corner_strength(image)[allowed]
        of_grain = GRAIN_STRENGTH[min(self._level, len(GRAIN_STRENGTH) - 1)] * grain_of(image)
        return bool(strength.size == 0 or np.median(strength) < OVER_GRAIN * of_grain)

    # -- the window in a frame

    def _around(self, frame: NDArray[Any], warp: Warp) -> Levels:
        """Return the surroundings of the window, at its place by a warp, with as much more as it may have moved."""
        corners = warp(_corners(self._region.rect))
        left, top = math.floor(corners.real.min() - self._reach), math.floor(corners.imag.min() - self._reach)
        right, bottom = math.ceil(corners.real.max() + self._reach), math.ceil(corners.imag.max() + self._reach)
        grid = 1 << (self._count - 1)
        most = Rect(0, 0, frame.shape[1], frame.shape[0])
        left, top = min(max(left, most.x), most.right - grid), min(max(top, most.y), most.bottom - grid)
        right, bottom = max(min(right, most.right), left + grid), max(min(bottom, most.bottom), top + grid)
        return Levels.of(frame, Rect(left, top, right - left, bottom - top), self._floor, self._count)

    def _mask(self, levels: Levels, level: int, warp: Warp) -> NDArray[np.bool_]:
        """Return which pixels of a level are inside the window, at its place by a warp."""
        height, width = levels.images[level].shape
        scale = 1 << level
        x = (np.arange(width) + 0.5) * scale + levels.origin[0]
        y = (np.arange(height) + 0.5) * scale + levels.origin[1]
        at = warp.inverse(x[None, :] + 1j * y[:, None]) - complex(self._region.rect.x, self._region.rect.y)
        rows, columns = np.floor(at.imag).astype(np.intp), np.floor(at.real).astype(np.intp)
        known = (rows >= 0) & (columns >= 0) & (rows < self._region.rect.height) & (columns < self._region.rect.width)
        return np.asarray(known & self._region.mask[np.where(known, rows, 0), np.where(known, columns, 0)])

    def _share_inside(self, warp: Warp) -> float:
        """Return the share of the window that is in the image, at its place by a warp."""
        rect, mask = self._region.rect, self._region.mask
        step = max(max(mask.shape) // 64, 1)
        rows, columns = np.nonzero(mask[::step, ::step])
        at = warp(columns * step + 0.5 + rect.x + 1j * (rows * step + 0.5 + rect.y))
        inside = self._in_image(at)
        return float(inside.mean()) if inside.size else 0.0

    def _in_image(self, at: NDArray[Any]) -> NDArray[np.bool_]:
        """Return which points are in the image."""
        height, width = self._frame.shape
        return np.asarray((at.real >= 0) & (at.imag >= 0) & (at.real < width) & (at.imag < height))


def _corners(rect: Rect) -> NDArray[Any]:
    return np.array([x + 1j * y for x in (rect.x, rect.right) for y in (rect.y, rect.bottom)])


def _all(frame: NDArray[Any]) -> Rect:
    return Rect(0, 0, frame.shape[1], frame.shape[0])
