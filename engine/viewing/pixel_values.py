"""Values of pixels before and after a grade: of the image itself, and as a viewport shows them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from engine.compute.backends.base import ImageHandle
from engine.compute.executor import TiledExecutor
from engine.core.geometry import Rect
from engine.kernel.op import Op
from engine.viewing.cost_model import CostModel
from engine.viewing.requests import colour_ops
from engine.viewing.source_cache import SourceCache
from engine.viewing.viewport_plan import ViewportPlan

Floats = NDArray[np.float32]
"""(height, width, 3|4) values."""


class PixelValues:
    """Computes values of pixels of level 0, and those of viewport plans. Not thread-safe."""

    def __init__(self, executor: TiledExecutor, sources: SourceCache, costs: CostModel) -> None:
        self._executor, self._sources, self._costs = executor, sources, costs

    def exact(self, rect: Rect, grade: Iterable[Op]) -> tuple[Floats, Floats]:
        """Return the values of pixels of level 0, before and after the colour ops of a grade."""
        pixels = np.ascontiguousarray(self._sources.levels.exact(rect), np.float32)
        return pixels, self._executor.execute_color(pixels, colour_ops(grade))

    def shown(self, plan: ViewportPlan) -> Floats:
        """Return the values of a plan, on the pixels of its request."""
        handle, rest = self._executor.filtered(self._sources.whole(plan.request).strips[0], plan.ops)
        pixels = np.ascontiguousarray(self._executor.download(handle), np.float32)
        return self._executor.execute_color(pixels, rest)

    def strips(self, plan: ViewportPlan) -> Iterator[ImageHandle]:
        """Yield the values of a plan on the device, in strips from the top, after each of which the caller may stop."""
        if plan.halo:
            source = self._sources.whole(plan.request)
        else:
            source = self._sources.strips(plan.request, self._costs.strips(plan))
        device = self._executor.primitives
        for strip in source.strips:
            image, rest = self._executor.filtered(strip, plan.ops)
            if rest:
                target = device.allocate(image.width, image.height, image.channels)
                device.exec_point(image, target, rest)
                image = target
            yield image
