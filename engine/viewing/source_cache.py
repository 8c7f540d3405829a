"""The sources of frames: the image resampled to the pixels of viewport requests, on the device that computes."""

from __future__ import annotations

from dataclasses import field

from engine.compute.backends.base import ImageHandle
from engine.compute.executor import TiledExecutor
from engine.compute.kept_images import KeptImages
from engine.compute.mattes import MatteInputs
from engine.compute.plan import FilterStep, PixelFormat, Stage
from engine.core.records import dataclass
from engine.ops import Resize
from engine.viewing.levels import Levels, level_for, level_size, needed
from engine.viewing.plane_images import PlaneImages
from engine.viewing.requests import Region, ViewportRequest
from engine.viewing.viewport_plan import ViewportPlan

KEPT_REQUESTS = 5
"""The exact and the quick request of a view, those of its scopes, and that of their scatter."""
DEVICE_SHARE = 3
"""A level stays on the device as a whole if it takes at most 1 / DEVICE_SHARE of its memory."""


@dataclass(frozen=True)
class Source:
    """The image on the pixels of a request, in strips from the top, whose requests are `parts`.

    `complete` says whether it was completely decoded there, at `generation` of the image. `kept` are images made from
    it in one piece, which the next frame may read again.
    """

    request: ViewportRequest
    parts: list[ViewportRequest]
    strips: list[ImageHandle]
    complete: bool
    generation: int
    planes: PlaneImages
    kept: KeptImages = field(default_factory=KeptImages)

    def read_by(self, plan: ViewportPlan, number: int) -> tuple[MatteInputs, ...]:
        """Return what the mattes of a plan read in a strip, as the last argument of the executor's methods; () without
        mattes."""
        if not plan.has_mattes:
            return ()
        top = sum(part.height for part in self.parts[:number])
        return (self.planes.inputs(self.request, self.parts[number], top),)


class SourceCache:
    """Resamples one image at a time to viewport requests and keeps the results until the view moves. For one thread."""

    def __init__(self, executor: TiledExecutor, levels: Levels | None) -> None:
        self._executor = executor
        self._levels = levels
        self._planes: PlaneImages | None = None
        self._device_levels: dict[int, tuple[int, ImageHandle]] = {}
        self._sources: dict[ViewportRequest, Source] = {}

    @property
    def levels(self) -> Levels:
        """The image."""
        assert self._levels is not None
        return self._levels

    @property
    def planes(self) -> PlaneImages:
        """The planes of the image."""
        if self._planes is None:
            self._planes = PlaneImages(self._executor, self.levels)
        return self._planes

    @property
    def has_image(self) -> bool:
        return self._levels is not None

    @property
    def format(self) -> PixelFormat:
        """The pixel format of sources."""
        return PixelFormat(self.levels.dtype, self.levels.channels)

    @property
    def resampling(self) -> Stage:
        """The stage that resamples the image; the same for all filters."""
        return Stage(FilterStep(Resize(1.0, 1.0)), self.format, self.format)

    def show(self, levels: Levels | None) -> None:
        """Use another image, or None."""
        self._levels = levels
        self.let_go()

    def let_go(self) -> None:
        """Drop everything on the device."""
        self._planes = None
        self._device_levels.clear()
        self._sources.clear()

    def around(self, plan: ViewportPlan) -> tuple[ViewportRequest, int, int]:
        """Return the request of a plan with its halo, and how many more columns and rows that has on the left and top.

        Mattes and side images end at the edges of the image, as in an export.
        """
        request, halo = plan.request, plan.halo
        if plan.ends_at_edges:
            return request.grown_within(halo, (self.levels.width, self.levels.height))
        return request.grown(halo), halo, halo

    def whole(self, request: ViewportRequest) -> Source:
        """Return the source of a request in one strip."""
        known = self._known(request)
        return known if known is not None and len(known.strips) == 1 else self._made(request, [request])

    def once(self, request: ViewportRequest) -> Source:
        """Return the source of a request in one strip, which is not kept."""
        generation, (strips, complete) = self.levels.generation, self._resampled([request])
        return Source(request, [request], strips, complete, generation, self.planes)

    def strips(self, request: ViewportRequest, cut: list[ViewportRequest]) -> Source:
        """Return the source of a request in strips: kept ones if at least half as many, else those of `cut`."""
        known = self._known(request)
        return known if known is not None and 2 * len(known.strips) >= len(cut) else self._made(request, cut)

    def _known(self, request: ViewportRequest) -> Source | None:
        """Return a kept source as the last one used, unless more of the image has been decoded since."""
        known = self._sources.get(request)
        if known is None or known.generation != self.levels.generation:
            return None
        self._sources[request] = self._sources.pop(request)
        return known

    def _made(self, request: ViewportRequest, cut: list[ViewportRequest]) -> Source:
        generation = self.levels.generation
        self._sources.pop(request, None)
        self._drop_others()
        strips, complete = self._resampled(cut)
        self._sources[request] = Source(request, cut, strips, complete, generation, self.planes)
        return self._sources[request]

    def _drop_others(self) -> None:
        """Drop a source if there are too many, and what the others keep, but not those of the largest: an exact frame
        is made after quick ones of many sizes."""
        largest = max(self._sources, key=lambda request: request.width * request.height, default=None)
        others = [request for request in self._sources if request != largest]
        for request in others:
            self._sources[request].kept.clear()
        if len(self._sources) >= KEPT_REQUESTS:
            del self._sources[others[0]]

    def _resampled(self, parts: list[ViewportRequest]) -> tuple[list[ImageHandle], bool]:
        filter = parts[0].filter
        level = 0 if filter == "nearest" and 0 in self.levels.stored else level_for(parts[0].shrink)
        scale = float(1 << level)
        image, origin, complete = self._level(level, _around(parts))
        strips = []
        for part in parts:
            x, y, width, height = (v / scale for v in part.region)
            region = (x - origin[0], y - origin[1], width, height)
            strips.append(self._executor.resample(image, region, part.width, part.height, filter))
        return strips, complete

    def expect(self) -> None:
        """Make what nearly all views of a whole image need: its level 1, unless the image is large or still decoded."""
        levels = self.levels
        nbytes = levels.width * levels.height * levels.channels * levels.dtype.itemsize
        if 0 in levels.stored and levels.complete and nbytes <= self._limit:
            self._take_own(1)
            self._whole_level(1)

    @property
    def _limit(self) -> int:
        """The most bytes that one level may take on the device."""
        return self._executor.limits.available_memory // DEVICE_SHARE

    def _level(self, level: int, region: Region) -> tuple[ImageHandle, tuple[int, int], bool]:
        """Return a level on the device, or the part of it that a region needs; its origin; whether it is complete."""
        levels = self.levels
        size = level_size(levels.width, levels.height, level)
        rect = needed(region, level, size)
        levels.want(level, rect)
        self._take_own(level)
        if level < levels.stored.start:
            part, complete = levels.region(level, rect)
            return self._executor.upload(part), (rect.x, rect.y), complete
        complete = levels.complete
        is_large = size[0] * size[1] * levels.channels * levels.dtype.itemsize > self._limit
        if is_large and level in levels.stored and level not in self._device_levels:
            part = levels.whole(level)[rect.y : rect.bottom, rect.x : rect.right]
            return self._executor.upload(part), (rect.x, rect.y), complete
        return self._whole_level(level), (0, 0), complete

    def _take_own(self, level: int) -> None:
        """Use the image where it lies on the device already, for this level or those that it is made from."""
        levels = self.levels
        if 0 in levels.stored and all(each > level for each in self._device_levels):
            own = levels.on_device(self._executor.primitives, level)
            if own is not None:
                self._device_levels[own[0]] = levels.generation, own[1]

    def _whole_level(self, level: int) -> ImageHandle:
        """Return a whole level that stays on the device: uploaded, or made from the level before if not stored."""
        levels = self.levels
        generation, handle = self._device_levels.get(level, (-1, None))
        if handle is None or generation != levels.generation:
            generation = levels.generation
            if level in levels.stored:
                handle = self._executor.upload(levels.whole(level))
            else:
                width, height = level_size(levels.width, levels.height, level)
                before = self._whole_level(level - 1)
                handle = self._executor.resample(before, (0.0, 0.0, 2.0 * width, 2.0 * height), width, height, "area")
            self._device_levels[level] = generation, handle
        return handle


def _around(parts: list[ViewportRequest]) -> Region:
    first, last = parts[0].region, parts[-1].region
    return first[0], first[1], first[2], last[1] + last[3] - first[1]
