"""Values of pixels before and after a grade: of the image itself, and as a viewport shows them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from engine.compute.backends.base import ImageHandle
from engine.compute.executor import TiledExecutor
from engine.compute.plan import RGBA, display_plan
from engine.core.geometry import Rect
from engine.grade.masking import fitted, reads_place
from engine.kernel.op import ColorOp, Op
from engine.viewing.cost_model import CostModel
from engine.viewing.matte_ops import Inside
from engine.viewing.requests import colour_ops
from engine.viewing.source_cache import Source, SourceCache
from engine.viewing.viewport_plan import ViewportPlan

Floats = NDArray[np.float32]
"""(height, width, 3|4) values."""


class PixelValues:
    """Computes values of pixels of level 0, and those of viewport plans. Not thread-safe."""

    def __init__(self, executor: TiledExecutor, sources: SourceCache, costs: CostModel) -> None:
        self._executor, self._sources, self._costs = executor, sources, costs

    def exact(self, rect: Rect, grade: Iterable[Op]) -> tuple[Floats, Floats]:
        """Return the values of pixels of level 0, before and after the colour ops of a grade."""
        ops = colour_ops(grade)
        if not any(reads_place(op) for op in ops):
            pixels = np.ascontiguousarray(self._sources.levels.exact(rect), np.float32)
            return pixels, self._executor.execute_color(pixels, ops)
        levels, planes = self._sources.levels, self._sources.planes
        halo = display_plan(fitted(ops, planes.frame)).halo
        around = Rect(rect.x - halo, rect.y - halo, rect.width + 2 * halo, rect.height + 2 * halo)
        around = around.clipped(levels.width, levels.height)
        pixels = np.ascontiguousarray(levels.exact(around), np.float32)
        graded = self._executor.execute_color(pixels, ops, planes.inputs_of(around))
        inner = rect.within(around)
        return pixels[inner], graded[inner]

    def shown(self, plan: ViewportPlan) -> Floats:
        """Return the values of a plan, on the pixels of its request."""
        request, left, top = self._sources.around(plan) if plan.has_mattes else (plan.request, 0, 0)
        source = self._sources.whole(request)
        handle, rest = self._executor.filtered(source.strips[0], plan.ops, *source.read_by(plan, 0))
        pixels = np.ascontiguousarray(self._executor.download(handle), np.float32)
        height, width = plan.request.height, plan.request.width
        return self._executor.execute_color(pixels, rest)[top : top + height, left : left + width]

    def strips(self, plan: ViewportPlan, inside: ViewportPlan | None = None) -> Iterator[ImageHandle]:
        """Yield the values of a plan on the device, in strips from the top, after each of which the caller may stop.

        `inside` is the plan of a matte on the same pixels, which ends with ShowMatte: pixels outside of it are NaN.
        """
        if plan.halo or (inside is not None and inside.halo):
            source = self._sources.whole(plan.request)
        else:
            source = self._sources.strips(plan.request, self._costs.strips(plan))
        for number in range(len(source.strips)):
            image = self._values(source, plan, number)
            yield image if inside is None else self._inside(image, self._values(source, inside, number))

    def _values(self, source: Source, plan: ViewportPlan, number: int) -> ImageHandle:
        """Return the values of a plan in a strip of its source."""
        image, rest = self._executor.filtered(source.strips[number], plan.ops, *source.read_by(plan, number))
        return self.run(image, rest) if rest else image

    def _inside(self, image: ImageHandle, coverage: ImageHandle) -> ImageHandle:
        """Return an image with NaN where a coverage of the same size says so."""
        if coverage.channels != RGBA.channels:
            coverage = self.run(coverage, (), RGBA.channels)
        return self.run(image, (Inside(),), planes=(coverage,))

    def run(
        self,
        image: ImageHandle,
        ops: tuple[ColorOp, ...],
        channels: int = 0,
        planes: tuple[ImageHandle, ...] = (),
    ) -> ImageHandle:
        """Return the result of colour ops as float32."""
        device = self._executor.primitives
        target = device.allocate(image.width, image.height, channels or image.channels)
        if planes:
            device.exec_point(image, target, ops, planes=planes)
        else:
            device.exec_point(image, target, ops)
        return target
