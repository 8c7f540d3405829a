"""Running of a plan on a device, for one region of its result."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from engine.compute.backends.base import GpuPrimitives, ImageHandle
from engine.compute.kept_images import KeptImages
from engine.compute.mattes import MatteInputs
from engine.compute.step_graph import Link, Plan
from engine.compute.steps import (
    RGBA,
    CropStep,
    ExtremeStep,
    FilterStep,
    PixelFormat,
    PlaneStep,
    PointStep,
    kept_taps,
    spanned,
)
from engine.core.geometry import Place, Rect
from engine.errors import Cancelled, GradeError, HandleError
from engine.kernel.taps import Size, Taps

Upload = Callable[[Rect], ImageHandle]
"""Returns the image of a region of the source."""
Stop = Callable[[], bool]
"""Returns whether the result is no longer wanted."""


def never() -> bool:
    """Return False."""
    return False


class PlanRun:
    """The images of a plan while it runs: each is kept until the last step that reads it."""

    def __init__(
        self,
        primitives: GpuPrimitives,
        steps: Plan,
        sizes: list[Size],
        regions: Sequence[Rect],
        formats: Sequence[PixelFormat],
        inputs: MatteInputs,
    ) -> None:
        """`sizes` are those of the whole images; `regions` are computed, and may be more than what is needed."""
        self._primitives, self._plan, self._inputs = primitives, steps, inputs
        self._sizes, self._regions, self._formats = sizes, regions, formats
        self._images: dict[int, tuple[ImageHandle, Rect]] = {}
        self._places = self._all_places()
        self._stop: Stop = never

    def run(self, upload: Upload, stop: Stop = never, kept: KeptImages | None = None) -> ImageHandle:
        """Run all steps and return the image of the last region. Raises Cancelled if `stop()` returns True before.

        Steps are left out whose images are among those `kept` of the last run on the same source.
        """
        self._stop = stop
        there = kept.begin(self._plan) if kept is not None else {}
        self._images = {0: (upload(self._regions[0]), self._regions[0]), **there}
        missing = self._plan.missing(there)
        for number, link in enumerate(self._plan.chain):
            if number + 1 in missing:
                if number and stop():
                    raise Cancelled()
                self._images[number + 1] = self._result(number, link)
                if kept is not None:
                    kept.offer(number + 1, *self._images[number + 1])
            for image in [image for image in self._images if self._plan.kept_until(image) <= number]:
                del self._images[image]
        last = len(self._plan.steps)
        return self._part(last, self._regions[last])

    def _result(self, number: int, link: Link) -> tuple[ImageHandle, Rect]:
        """Return the result of a step, and the region that it has."""
        step, region = self._plan.steps[number], self._regions[number + 1]
        if isinstance(step, PlaneStep):
            return self._planes(step, region), region
        if isinstance(step, PointStep):
            return self._point(number, step, link, region), region
        assert link.image is not None
        source, before = self._images[link.image]
        if isinstance(step, CropStep):
            part = step.part
            return source, Rect(before.x - part.x, before.y - part.y, before.width, before.height)
        if isinstance(step, ExtremeStep):
            target = self._allocate(before, self._formats[number + 1])
            self._primitives.exec_extreme(source, target, step.radius_x, step.radius_y, step.largest)
            return target, before
        size = self._sizes[link.image]
        passes = [step.taps(size, self._places[link.image])] if isinstance(step, FilterStep) else step.passes(size)
        return self._filtered(source, before, passes, region, self._formats[number + 1]), region

    def _point(self, number: int, step: PointStep, link: Link, region: Rect) -> ImageHandle:
        if self._plan.is_alias(number, self._formats):
            assert link.image is not None
            return self._part(link.image, region)
        target = self._allocate(region, self._formats[number + 1])
        planes = [self._part(image, region) for image in link.planes]
        if link.image is not None:
            source = self._part(link.image, region)
        else:  # ops that read no channels; kernels are prepared for a source that is not the target
            source = planes[0] if planes else self._allocate(region, RGBA)
        place = self._places[number + 1]
        place = place.part(region.x, region.y) if region.x or region.y else place
        self._primitives.exec_point(source, target, step.ops, place, planes, self._stop)
        return target

    def _planes(self, step: PlaneStep, region: Rect) -> ImageHandle:
        if self._inputs.planes is None:
            raise GradeError("a matte reads a channel of the file, which is not given", "remove the matte")
        handles = self._inputs.planes.handles(self._primitives, step.planes, region)
        if len(handles) != 1 or (handles[0].width, handles[0].height) != (region.width, region.height):
            raise HandleError(f"planes of {region.width} x {region.height} pixels are wanted")
        return handles[0]

    def _filtered(
        self, source: ImageHandle, before: Rect, passes: list[tuple[Taps, Taps]], region: Rect, form: PixelFormat
    ) -> ImageHandle:
        """Return `region` of the result of passes of taps, for a source that holds the region `before`."""
        regions = [region]
        for taps in reversed(passes[1:]):
            regions.append(spanned(taps, regions[-1]))
        for (columns, rows), after in zip(passes, reversed(regions), strict=True):
            target = self._allocate(after, form)
            across, down = columns.part(after.x, after.right, before.x), rows.part(after.y, after.bottom, before.y)
            self._primitives.exec_taps(source, target, across, down)
            source, before = target, after
        return source

    def _part(self, image: int, region: Rect) -> ImageHandle:
        """Return a region of an image, which may hold more."""
        handle, held = self._images[image]
        if held == region:
            return handle
        target = self._allocate(region, PixelFormat(handle.dtype, handle.channels))
        columns = _gather(region.x - held.x, region.width)
        rows = _gather(region.y - held.y, region.height)
        self._primitives.exec_taps(handle, target, columns, rows)
        return target

    def _allocate(self, region: Rect, form: PixelFormat) -> ImageHandle:
        return self._primitives.allocate(region.width, region.height, form.channels, form.dtype)

    def _all_places(self) -> list[Place]:
        """Return the places of all whole images."""
        places = [self._inputs.place]
        for step, link, after in zip(self._plan.steps, self._plan.chain, self._sizes[1:], strict=True):
            place, before = places[link.before], self._sizes[link.before]
            if isinstance(step, CropStep):
                place = place.part(step.part.x, step.part.y)
            elif before != after:
                place = _resized(place, before[0] / after[0], before[1] / after[1])
            places.append(place)
        return places


def _gather(first: int, count: int) -> Taps:
    """Return taps that take neighbouring pixels as they are."""
    taps = kept_taps(count)
    return replace(taps, first=taps.first + np.int32(first))


def _resized(place: Place, x: float, y: float) -> Place:
    """Return the place of an image that was resized, with `x` and `y` pixels before for each after."""
    left, top = place.x + place.column * place.step_x, place.y + place.row * place.step_y
    return Place(left, top, place.step_x * x, place.step_y * y)
