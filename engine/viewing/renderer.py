"""Renderer of frames: it runs viewport plans for display, in strips that a newer request interrupts."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, suppress

import numpy as np
from numpy.typing import NDArray

from engine.compute.backends.base import GpuPrimitives, ImageHandle
from engine.compute.executor import TiledExecutor
from engine.compute.plan import Stage, display_plan
from engine.compute.plan_run import Stop, never
from engine.errors import Cancelled
from engine.grade.masking import has_matte, planes_read
from engine.kernel.op import Op
from engine.viewing.backdrop import ALPHA_ALONE, Backdrop
from engine.viewing.cost_model import CostModel
from engine.viewing.plane_images import RESAMPLING
from engine.viewing.source_cache import Source, SourceCache
from engine.viewing.viewport_plan import ViewportPlan

RgbaBytes = NDArray[np.uint8]


class Renderer:
    """Runs viewport plans on the sources of their requests, for display. Records their times. Not thread-safe."""

    def __init__(self, executor: TiledExecutor, sources: SourceCache, costs: CostModel) -> None:
        self._executor, self._sources, self._costs = executor, sources, costs
        self.backdrop = Backdrop()
        self.complete = True
        """Whether the image was completely decoded in the region of the last frame."""
        self.seconds = 0.0
        """The time of the last frame, without that of its source."""
        self._reusing = ExitStack()
        self._reused: GpuPrimitives | None = None
        """The device that keeps memory of freed images."""

    def frame(
        self, plan: ViewportPlan, stop: Callable[[], bool] | None = None, leaves: bool = False
    ) -> RgbaBytes | ImageHandle | None:
        """Return the RGBA bytes of a plan; None if `stop()` returned True before they were finished.

        With `leaves`, a frame that is made in one piece stays on the device.
        """
        self._reuse_memory(plan.has_side_images)
        if plan.halo:
            with suppress(Cancelled):
                return self._filtered(plan, stop or never)
            return None
        cut = [plan.request] if stop is None else self._costs.strips(plan)
        source = self._sources.strips(plan.request, cut)
        self.complete = source.complete
        if leaves and len(source.strips) == 1 and not self._shows_backdrop:
            return None if stop is not None and stop() else self._on_device(plan, source)
        return self._in_strips(plan, source, stop)

    def let_go(self) -> None:
        """Free the memory that is kept for the images of the next frame."""
        self._reuse_memory(False)

    def _reuse_memory(self, reuses: bool) -> None:
        """Let images take the memory of those of the last frame, or free that."""
        primitives = self._executor.primitives if reuses else None
        if primitives is not self._reused:
            self._reusing.close()
            self._reused = primitives
            if primitives is not None:
                self._reusing.enter_context(primitives.reusing_memory())

    def once(self, plan: ViewportPlan) -> RgbaBytes:
        """Return the RGBA bytes of a plan in one piece, without its halo, and keep nothing of its source."""
        source = self._sources.once(plan.request)
        return self._executor.display(source.strips[0], plan.ops, *source.read_by(plan, 0))

    def prepare(self, runs: Sequence[Sequence[Op]]) -> None:
        """Compile the kernels of frames with these runs of ops."""
        for ops in self._with_backdrop(runs):
            self._executor.prepare(ops, self._sources.format, display=True)
        for stage in self._resampling(runs):
            self._executor.primitives.prepare(stage)

    def prepared(self, runs: Sequence[Sequence[Op]]) -> bool:
        """Return whether frames with these runs of ops need no compiling."""
        return all(map(self._executor.primitives.prepared, self._resampling(runs))) and all(
            self._is_prepared(ops) for ops in self._with_backdrop(runs)
        )

    def unprepared(self, runs: Sequence[Sequence[Op]]) -> list[Stage]:
        """Return the stages with mattes that frames with these runs of ops may need once sliders of mattes are moved,
        and that are not compiled yet."""
        matted = [ops for ops in runs if any(has_matte(op) for op in ops)]
        found = (stage for ops in matted for stage in self._executor.plans.stages(ops, self._sources.format))
        return [stage for stage in found if not self._executor.primitives.prepared(stage)]

    def _is_prepared(self, ops: Sequence[Op]) -> bool:
        source = self._sources.format
        if self._executor.prepared(ops, source, display=True):
            return True
        stages = display_plan(ops).stages(source, display=True) if any(has_matte(op) for op in ops) else []
        return bool(stages) and all(map(self._executor.primitives.prepared, stages))

    def _resampling(self, runs: Sequence[Sequence[Op]]) -> tuple[Stage, ...]:
        """Return the stages that resample the image, and the planes that runs of ops read."""
        image = self._sources.resampling
        return (image, RESAMPLING) if any(planes_read(ops) for ops in runs) else (image,)

    def _with_backdrop(self, runs: Iterable[Sequence[Op]]) -> Iterator[Sequence[Op]]:
        """Yield these runs of ops, and that of the backdrop if there is one."""
        yield from runs
        if self._shows_backdrop:
            yield (ALPHA_ALONE,)

    @property
    def _shows_backdrop(self) -> bool:
        return bool(self.backdrop.kind) and self._sources.levels.channels == 4

    def _in_strips(self, plan: ViewportPlan, source: Source, stop: Callable[[], bool] | None) -> RgbaBytes | None:
        """Return a frame made of strips of its source; one strip is returned as it is, without a copy."""
        request, strips = plan.request, source.strips
        frame = np.empty((request.height, request.width, 4), np.uint8) if len(strips) > 1 else None
        start, top = time.perf_counter(), 0
        for number, strip in enumerate(strips):
            if stop is not None and stop():
                return None
            pixels = self._executor.display(strip, plan.ops, *source.read_by(plan, number))
            if frame is None:
                frame = pixels
            else:
                frame[top : top + strip.height] = pixels
            top += strip.height
            self._record(plan, start, top)
        assert frame is not None
        return self._before_backdrop(frame, strips) if self._shows_backdrop else frame

    def _on_device(self, plan: ViewportPlan, source: Source) -> ImageHandle:
        """Make a frame that stays on the device. Waiting for it measures its time and keeps frames from queueing up."""
        start = time.perf_counter()
        frame = self._executor.displayed(source.strips[0], plan.ops, *source.read_by(plan, 0))
        self._executor.primitives.synchronize()
        self._record(plan, start, plan.request.height)
        return frame

    def _filtered(self, plan: ViewportPlan, stop: Stop) -> RgbaBytes:
        """Return the frame of a plan with filters, which need a source that is larger than the frame, in one piece.

        Raises Cancelled if `stop()` returns True between two steps.
        """
        request = plan.request
        around, left, top = self._sources.around(plan)
        source = self._sources.whole(around)
        self.complete = source.complete
        start = time.perf_counter()
        inputs, kept = source.read_by(plan, 0), source.kept
        shown = self._executor.displayed(source.strips[0], plan.ops, *inputs, stop=stop, kept=kept)
        frame = self._executor.download(shown)[top : top + request.height, left : left + request.width]
        self._record(plan, start, request.height)
        frame = np.ascontiguousarray(frame)
        if not self._shows_backdrop:
            return frame
        return self._before_backdrop(frame, self._sources.whole(request).strips)

    def _record(self, plan: ViewportPlan, start: float, rows: int) -> None:
        """Record that the first rows of a frame have been made since `start`."""
        self.seconds = time.perf_counter() - start
        self._costs.record(plan, self.seconds, rows * plan.request.width)

    def _before_backdrop(self, frame: RgbaBytes, strips: list[ImageHandle]) -> RgbaBytes:
        """Return a frame with the backdrop behind it; `strips` are its source."""
        return self.backdrop.behind(frame, (self._executor.display(strip, [ALPHA_ALONE])[..., 0] for strip in strips))
