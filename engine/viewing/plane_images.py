"""Planes of an image on a device, resampled to the pixels of viewport requests as the image is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.compute.backends.base import GpuPrimitives, ImageHandle
from engine.compute.executor import TiledExecutor
from engine.compute.mattes import MatteInputs
from engine.compute.plan import RGBA, FilterStep, Stage
from engine.core.bounded_cache import SizedCache
from engine.core.geometry import Place, Rect
from engine.core.records import dataclass
from engine.errors import GradeError
from engine.mattes.planes import Plane
from engine.ops import Resize
from engine.viewing.levels import Levels, level_for
from engine.viewing.plane_store import PlaneStore
from engine.viewing.requests import ViewportRequest

if TYPE_CHECKING:
    from engine.viewing.plane_sources import Floats, PlaneNeed


PER_IMAGE = 4
"""Planes of an image."""
DEVICE_SHARE = 8
"""The planes of views take at most 1 / DEVICE_SHARE of a device's memory, but for those of the last request."""
RESAMPLING = Stage(FilterStep(Resize(1.0, 1.0)), RGBA, RGBA)
"""The stage that resamples planes."""
ROUNDING = 1.0 + 1e-9
"""A request whose pixels show this much less than whole pixels of a mip level is one of that level."""


class PlaneImages:
    """The planes of one image for one executor; without a `store` the image has none."""

    def __init__(self, executor: TiledExecutor, levels: Levels) -> None:
        self._levels, self.store = levels, levels.planes
        budget = executor.limits.available_memory // DEVICE_SHARE
        self._images: SizedCache[Any, ImageHandle] = SizedCache(budget, lambda handle: handle.nbytes)

    @property
    def frame(self) -> tuple[int, int]:
        """The size of the display window of the image."""
        return self.store.frame if self.store else (self._levels.width, self._levels.height)

    def level(self, request: ViewportRequest) -> int:
        """Return the mip level that planes of a request are read from."""
        if request.filter == "nearest" and 0 in self._levels.stored:
            return 0
        return level_for(request.shrink * ROUNDING)

    def needs(self, planes: Sequence[Plane], request: ViewportRequest) -> list[PlaneNeed]:
        """Return what a request needs of planes."""
        return self.store.needs(planes, request.region, self.level(request)) if self.store else []

    def inputs(self, request: ViewportRequest, part: ViewportRequest, top: int) -> MatteInputs:
        """Return what mattes read in a part of a request, from its row `top` on."""
        x, y, width, height = request.region
        origin = self._origin
        steps = width / request.width, height / request.height
        place = Place(origin.x + x, origin.y + y, *steps, row=top)
        return MatteInputs(place, _RequestPlanes(self, part), self.frame)

    def inputs_of(self, rect: Rect) -> MatteInputs:
        """Return what mattes read in a rectangle of level 0."""
        return MatteInputs(self._origin.part(rect.x, rect.y), _ExactPlanes(self, rect), self.frame)

    def image(self, primitives: GpuPrimitives, planes: tuple[Plane, ...], part: ViewportRequest) -> ImageHandle:
        """Return up to four planes on the pixels of a request."""
        store = self._given()
        wanted = self.level(part)
        level = store.level_there(planes, part.region, wanted)
        level = wanted if level is None else level
        key = (primitives, planes, part, level)
        return self._images.of(key, lambda: self._resampled(primitives, planes, part, level, wanted))

    def exact(self, primitives: GpuPrimitives, planes: tuple[Plane, ...], rect: Rect) -> ImageHandle:
        """Return up to four planes in a rectangle of level 0."""
        return primitives.upload(_packed(list(np.moveaxis(self._given().exact(planes, rect), -1, 0))))

    def let_go(self) -> None:
        """Drop everything on the device."""
        self._images.drop()

    @property
    def _origin(self) -> Place:
        return self.store.place if self.store else Place()

    def _given(self) -> PlaneStore:
        if self.store is None:
            raise GradeError("a matte reads a channel of the file, and the image has no file", "remove the matte")
        return self.store

    def _resampled(
        self, primitives: GpuPrimitives, planes: tuple[Plane, ...], part: ViewportRequest, level: int, wanted: int
    ) -> ImageHandle:
        arrays, rect = self._given().arrays(planes, part.region, level)
        image = self._images.of((primitives, planes, rect, level), lambda: primitives.upload(_packed(arrays)))
        x, y, width, height = (v / (1 << level) for v in part.region)
        target = primitives.allocate(part.width, part.height, PER_IMAGE, RGBA.dtype)
        filter = "bilinear" if level > wanted else part.filter
        primitives.exec_resize(image, target, filter, (x - rect.x, y - rect.y, width, height))
        return target


@dataclass(frozen=True)
class _RequestPlanes:
    """The planes of a request, as `engine.compute.mattes.PlaneSource`."""

    images: PlaneImages
    request: ViewportRequest
    fixed_bytes = 0

    def handles(self, primitives: GpuPrimitives, planes: tuple[Plane, ...], rect: Rect) -> list[ImageHandle]:
        request = self.request
        if (rect.y, rect.bottom) != (0, request.height):
            request = request.rows(rect.y, rect.bottom)
        if (rect.x, rect.right) != (0, request.width):
            x, y, width, height = request.region
            step = width / request.width
            across = (x + rect.x * step, y, rect.width * step, height)
            request = replace(request, region=across, width=rect.width)
        return [self.images.image(primitives, part, request) for part in _by_image(planes)]


@dataclass(frozen=True)
class _ExactPlanes:
    """The planes of a rectangle of level 0, as `engine.compute.mattes.PlaneSource`."""

    images: PlaneImages
    area: Rect
    fixed_bytes = 0

    def handles(self, primitives: GpuPrimitives, planes: tuple[Plane, ...], rect: Rect) -> list[ImageHandle]:
        rect = Rect(self.area.x + rect.x, self.area.y + rect.y, rect.width, rect.height)
        return [self.images.exact(primitives, part, rect) for part in _by_image(planes)]


def _by_image(planes: tuple[Plane, ...]) -> list[tuple[Plane, ...]]:
    return [planes[start : start + PER_IMAGE] for start in range(0, len(planes), PER_IMAGE)]


def _packed(arrays: Sequence[Floats]) -> Floats:
    """Return up to four (height, width) arrays as the channels of one; other channels are 0."""
    image = np.zeros((*arrays[0].shape, PER_IMAGE), np.float32)
    for n, array in enumerate(arrays):
        image[..., n] = array
    return image
