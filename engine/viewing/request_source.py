"""The source of frames: the image resampled to the pixels of a viewport request, on the device that computes."""

from __future__ import annotations

import math
from collections.abc import Callable

from engine.compute.backends.base import ImageHandle
from engine.compute.executor import TiledExecutor
from engine.compute.plan import FilterStep, PixelFormat, Stage
from engine.core.geometry import Rect
from engine.ops import Resize
from engine.viewing.levels import Levels, level_for, level_size
from engine.viewing.requests import Region, ViewportRequest

KEPT_REQUESTS = 4
"""The exact and the quick request of a view, and those of its scopes."""
DEVICE_SHARE = 3
"""A level stays on the device as a whole if it takes at most 1 / DEVICE_SHARE of its memory."""


class RequestSource:
    """Resamples one image at a time to viewport requests and keeps the results until the view moves. For one thread."""

    def __init__(self, executor: TiledExecutor, levels: Levels | None) -> None:
        self.executor = executor
        self._levels = levels
        self._device_levels: dict[int, tuple[int, ImageHandle]] = {}
        self._requests: dict[ViewportRequest, tuple[int, bool, list[ImageHandle]]] = {}
        self.complete = True
        """Whether the image was completely decoded in the region of the last request."""
        self.picks = False
        """Whether pixels are picked, never averaged."""

    @property
    def levels(self) -> Levels:
        assert self._levels is not None
        return self._levels

    @property
    def has_image(self) -> bool:
        return self._levels is not None

    @property
    def format(self) -> PixelFormat:
        """The pixel format of resampled images."""
        return PixelFormat(self.levels.dtype, self.levels.channels)

    @property
    def resampling(self) -> Stage:
        """The stage that resamples the image; the same for all filters."""
        return Stage(FilterStep(Resize(1.0, 1.0)), self.format, self.format)

    def show(self, levels: Levels | None) -> None:
        """Use another image, or None."""
        self._levels, self.complete = levels, True
        self.let_go()

    def let_go(self) -> None:
        """Drop everything on the device."""
        self._device_levels.clear()
        self._requests.clear()

    def handles(
        self, request: ViewportRequest, serves: Callable[[list[ImageHandle]], bool], cut: list[ViewportRequest]
    ) -> list[ImageHandle]:
        """Return the image on the pixels of a request: kept pieces if `serves` accepts them, else pieces of `cut`."""
        generation = self.levels.generation
        known = self._requests.get(request)
        if known is not None and known[0] == generation and serves(known[2]):
            self.complete = known[1]
            return known[2]
        if len(self._requests) >= KEPT_REQUESTS:
            self._requests.pop(next(iter(self._requests)))
        self._requests.pop(request, None)
        handles = self._resampled(cut)
        self._requests[request] = generation, self.complete, handles
        return handles

    def _resampled(self, parts: list[ViewportRequest]) -> list[ImageHandle]:
        level = 0 if self.picks and 0 in self.levels.stored else level_for(parts[0].shrink)
        scale = float(1 << level)
        source, origin = self._source(level, _around(parts))
        handles = []
        for part in parts:
            x, y, width, height = (v / scale for v in part.region)
            region = (x - origin[0], y - origin[1], width, height)
            handles.append(
                self.executor.resample(
                    source, region, part.width, part.height, "nearest" if self.picks else part.filter
                )
            )
        return handles

    def _source(self, level: int, region: Region) -> tuple[ImageHandle, tuple[int, int]]:
        """Return a level on the device, or the part of it that a region needs, and the origin of that part."""
        levels = self.levels
        size = level_size(levels.width, levels.height, level)
        rect = _needed(region, level, size)
        levels.want(level, rect)
        limit = self.executor.limits.available_memory // DEVICE_SHARE
        if level < levels.stored.start:
            part, self.complete = levels.region(level, rect)
            return self.executor.upload(part), (rect.x, rect.y)
        self.complete = levels.complete
        if level in levels.stored and size[0] * size[1] * levels.channels * levels.dtype.itemsize > limit:
            part = levels.whole(level)[rect.y : rect.bottom, rect.x : rect.right]
            return self.executor.upload(part), (rect.x, rect.y)
        return self._whole_level(level), (0, 0)

    def _whole_level(self, level: int) -> ImageHandle:
        """Return a whole level that stays on the device: uploaded, or made from the level before if not stored."""
        levels = self.levels
        generation, handle = self._device_levels.get(level, (-1, None))
        if handle is None or generation != levels.generation:
            generation = levels.generation
            if level in levels.stored:
                handle = self.executor.upload(levels.whole(level))
            else:
                width, height = level_size(levels.width, levels.height, level)
                before = self._whole_level(level - 1)
                handle = self.executor.resample(before, (0.0, 0.0, 2.0 * width, 2.0 * height), width, height, "area")
            self._device_levels[level] = generation, handle
        return handle


def _around(parts: list[ViewportRequest]) -> Region:
    first, last = parts[0].region, parts[-1].region
    return first[0], first[1], first[2], last[1] + last[3] - first[1]


def _needed(region: Region, level: int, size: tuple[int, int]) -> Rect:
    """Return the pixels of a level that a region of level 0 needs, including those that filters read beyond it."""
    x, y, width, height = (v / (1 << level) for v in region)
    left, top = math.floor(x) - 2, math.floor(y) - 2
    return Rect(left, top, math.ceil(x + width) + 2 - left, math.ceil(y + height) + 2 - top).clipped(*size)
