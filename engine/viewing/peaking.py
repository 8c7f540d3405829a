"""Focus peaking: sharp edges of a frame, found on the device from the display values that the screen shows.

An edge is where the gradient of luma is steep. The gradient is that of a Sobel operator, divided by 8, so that it is
the change of luma from one pixel of the frame to the next.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from engine.compute.executor import TiledExecutor
from engine.compute.plan import DISPLAY, RGBA, DisplayPlans, FilterStep, PixelFormat, PointStep, Stage
from engine.core.colorimetry import LUMA
from engine.core.records import dataclass
from engine.kernel.op import ColorOp, Op, slider
from engine.kernel.pixel import Pixel, Value, Vec, clamp, dot, select
from engine.kernel.taps import Taps
from engine.ops import Blur
from engine.viewing.source_cache import SourceCache
from engine.viewing.viewport_plan import ViewportPlan

Bools = NDArray[np.bool_]
REACH = 1
"""The number of pixels around a pixel that its gradient depends on."""
COLOURS: dict[str, tuple[int, int, int]] = {
    "red": (255, 48, 48),
    "green": (64, 255, 64),
    "blue": (64, 128, 255),
    "yellow": (255, 230, 32),
    "white": (255, 255, 255),
}
"""The colours that edges can be marked in."""


@dataclass(frozen=True)
class DisplayLuma(ColorOp, abstract=True):
    """Luma (BT.709 weights) of display values clamped to 0..1, in R, G and B. NaN counts as 0."""

    def pixel(self, px: Pixel) -> Value:
        return Vec((dot(clamp(px.rgb, 0.0, 1.0), LUMA),) * 3)


@dataclass(frozen=True)
class Steep(ColorOp, abstract=True):
    """1 where the gradient is at least `threshold`, else 0. R and the first plane are its two components."""

    threshold: float = slider(0.1, 0.0, 1.0, help="The change of luma from one pixel to the next")

    def pixel(self, px: Pixel) -> Value:
        down = px.planes[0]
        steep = select(px.r * px.r + down * down >= self.threshold * self.threshold, 1.0, 0.0)
        return Vec((steep, steep, steep))


def edges(executor: TiledExecutor, sources: SourceCache, plan: ViewportPlan, threshold: float) -> Bools:
    """Return where a frame has edges, (height, width): a gradient of display luma of at least `threshold` per pixel."""
    wide = replace(plan, halo=plan.halo + REACH)
    around, left, top = sources.around(wide)
    whole = sources.whole(around)
    source, rest = executor.filtered(whole.strips[0], plan.ops, *whole.read_by(wide, 0))
    width, height, primitives = source.width, source.height, executor.primitives
    luma, across, down = (primitives.allocate(width, height, RGBA.channels, RGBA.dtype) for _ in range(3))
    primitives.exec_point(source, luma, (*rest, DisplayLuma()))
    primitives.exec_taps(luma, across, slope_taps(width), smooth_taps(height))
    primitives.exec_taps(luma, down, smooth_taps(width), slope_taps(height))
    marks = primitives.allocate(width, height, DISPLAY.channels, DISPLAY.dtype)
    primitives.exec_point(across, marks, (Steep(threshold),), planes=(down,))
    found = primitives.download(marks)[..., 0] > 127
    return np.ascontiguousarray(found[top : top + plan.request.height, left : left + plan.request.width])


def stages_of_edges(plans: DisplayPlans, ops: Sequence[Op], source: PixelFormat) -> list[Stage]:
    """Return the stages that `edges` runs for a plan with these ops, to compile them. `plans` are the executor's."""
    own = [Stage(FilterStep(Blur(1.0)), RGBA, RGBA), Stage(PointStep((Steep(),)), RGBA, DISPLAY)]
    return [*map(_of_luma, plans.stages(ops, source)), *own]


def _of_luma(stage: Stage) -> Stage:
    """Return a stage; the one that makes the display values makes their luma instead."""
    if stage.target != DISPLAY or not isinstance(stage.step, PointStep):
        return stage
    return Stage(PointStep((*stage.step.ops, DisplayLuma())), stage.source, RGBA)


@lru_cache(maxsize=16)
def slope_taps(size: int) -> Taps:
    """Return half the difference of the neighbours of each pixel; the pixel beyond an edge is that at the edge."""
    return _taps(size, (-0.5, 0.0, 0.5))


@lru_cache(maxsize=16)
def smooth_taps(size: int) -> Taps:
    """Return the mean of each pixel and its neighbours, 1 : 2 : 1; the pixel beyond an edge is that at the edge."""
    return _taps(size, (0.25, 0.5, 0.25))


def _taps(size: int, weights: tuple[float, float, float]) -> Taps:
    columns = np.arange(size)
    first = np.maximum(columns - 1, 0)
    count = np.minimum(columns + 1, size - 1) - first + 1
    found = np.zeros((size, 3), np.float32)
    for offset, weight in zip((-1, 0, 1), weights, strict=True):
        found[columns, np.clip(columns + offset, 0, size - 1) - first] += np.float32(weight)
    return Taps(first.astype(np.int32), count.astype(np.int32), found)
