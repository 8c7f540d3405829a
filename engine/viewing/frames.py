"""Frames of the viewport: quick ones during interaction, and exact ones, which a newer request interrupts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from engine.compute.backends.base import GpuPrimitives
from engine.compute.executor import TiledExecutor
from engine.compute.plan import Stage
from engine.core.geometry import Rect
from engine.errors import BackendError
from engine.grade.masking import fitted, reads_place
from engine.kernel.op import ColorOp, Op
from engine.mattes.planes import Plane
from engine.viewing.backdrop import FIELD, Backdrop
from engine.viewing.baker import Baker
from engine.viewing.changes import Changes
from engine.viewing.cost_model import CostModel
from engine.viewing.device_room import room_of
from engine.viewing.frame import Frame
from engine.viewing.levels import Levels
from engine.viewing.pixel_values import PixelValues
from engine.viewing.renderer import Renderer
from engine.viewing.requests import Region, shown_ops, viewport_request
from engine.viewing.source_cache import SourceCache
from engine.viewing.viewport_plan import ViewportPlan, viewport_plan

if TYPE_CHECKING:
    from engine.viewing.peaking import Bools
    from engine.viewing.plane_sources import PlaneNeed


class FrameMaker:
    """Makes frames of one image at a time with one executor. Not thread-safe.

    Its parts: `sources` keeps the resampled image, `costs` predicts times, `baker` bakes views, `renderer` runs plans
    for display, and `pixels` computes values.
    """

    def __init__(self, executor: TiledExecutor, levels: Levels | None = None) -> None:
        self.executor = executor
        self.sources = SourceCache(executor, levels)
        self.costs = CostModel(executor)
        self._changes = Changes()
        self.baker = Baker(executor)
        self.renderer = Renderer(executor, self.sources, self.costs)
        self.pixels = PixelValues(executor, self.sources, self.costs)
        self.leaves = False
        """Whether frames that are made in one piece stay on the device."""
        self.picks = False
        """Whether pixels are picked, never averaged, as for IDs."""

    # -- the image and the device

    @property
    def levels(self) -> Levels:
        return self.sources.levels

    @property
    def complete(self) -> bool:
        """Whether the image was completely loaded in the region of the last frame."""
        return self.renderer.complete

    def show(self, levels: Levels | None) -> None:
        """Make frames of another image. With None, all memory kept for frames is freed too."""
        if levels is None and self.sources.has_image:
            self.baker.clear()
            self.let_go()
        self.sources.show(levels)
        self.renderer.complete = True

    def let_go(self) -> None:
        """Free memory that is not needed for the next frame."""
        self.sources.let_go()
        self.renderer.let_go()
        self.executor.plans.clear()
        codec = self.executor.primitives.chunk_codec
        if codec is not None:
            room_of(codec).clear()
        self.executor.primitives.release_cached()

    def fall_back(self, failed: GpuPrimitives, error: BackendError) -> None:
        """Drop everything on a failed device and continue on the next one. Raises `error` if there is none."""
        self.sources.let_go()
        self.costs.clear()
        self.executor.fall_back(failed, error)

    # -- frames

    def set_backdrop(self, backdrop: str, width: int) -> None:
        """Set the backdrop, one of BACKDROPS, for views that are `width` screen pixels wide."""
        self.renderer.backdrop = Backdrop(backdrop, FIELD / width)

    def plan(
        self,
        region: Region,
        width: int,
        height: int,
        grade: Sequence[Op],
        view: Sequence[ColorOp] = (),
        coarse: float = 1.0,
    ) -> ViewportPlan:
        """Return the plan of a view of a region on screen pixels, whose number along each axis `coarse` divides."""
        request = viewport_request(region, width, height, (self.levels.width, self.levels.height), coarse)
        if any(reads_place(op) for op in grade):
            grade = fitted(grade, self.sources.planes.frame)
        return viewport_plan(replace(request, filter="nearest") if self.picks else request, grade, view)

    def _timed_plan(
        self,
        region: Region,
        width: int,
        height: int,
        grade: Sequence[Op],
        view: Sequence[ColorOp],
        coarse: float = 1.0,
    ) -> ViewportPlan:
        """Return the plan of a frame whose time is recorded or predicted: by what changes since the last one."""
        plan, changes = self.plan(region, width, height, grade, view, coarse), self._changes
        return replace(plan, changes=changes.of(region, width, height, grade)) if plan.has_side_images else plan

    def needs(self, region: Region, width: int, height: int, planes: Sequence[Plane]) -> list[PlaneNeed]:
        """Return what the exact frame of a region needs of planes."""
        return self.sources.planes.needs(planes, self.plan(region, width, height, ()).request)

    def exact(
        self,
        region: Region,
        width: int,
        height: int,
        grade: Sequence[Op],
        view: Sequence[ColorOp],
        stop: Callable[[], bool],
    ) -> Frame | None:
        """Return the exact frame; None if `stop()` returned True before it was finished."""
        plan = self._timed_plan(region, width, height, grade, view)
        pixels = self.renderer.frame(plan, stop, self.leaves)
        return None if pixels is None else Frame(pixels, plan.request.region, self.complete)

    def quick(self, region: Region, width: int, height: int, grade: Sequence[Op], view: Sequence[ColorOp]) -> Frame:
        """Return a frame within about QUICK_SECONDS: with fewer pixels, and through the baked view if there is one."""
        error, view = self.baker.view_error(view), self.baker.quick_view(view)
        plan = self._timed_plan(region, width, height, grade, view)
        pace = self.costs.pace(plan)
        if pace.coarse > 1.0:
            plan = self._timed_plan(region, width, height, grade, view, pace.coarse)
        pixels = self.renderer.frame(plan, leaves=self.leaves)
        assert pixels is not None
        pace.took(self.renderer.seconds)
        return Frame(pixels, plan.request.region, False, error)

    def is_slow(self, region: Region, width: int, height: int, grade: Sequence[Op], view: Sequence[ColorOp]) -> bool:
        """Return whether a quick frame should come first, because the exact one is slow or the image not complete."""
        return self.costs.is_slow(self._timed_plan(region, width, height, grade, view)) or not self.complete

    def covered(self, width: int, height: int, ops: Sequence[Op]) -> NDArray[np.uint8]:
        """Return the whole image on this many pixels after ops that end with ShowMatte, as RGBA bytes.

        Nothing of it is kept, as for thumbnails.
        """
        region = (0.0, 0.0, float(self.levels.width), float(self.levels.height))
        return self.renderer.once(self.plan(region, width, height, ops))

    # -- kernels

    def prepare(self, grade: Sequence[Op], view: Sequence[ColorOp]) -> None:
        """Compile the kernels for frames of the current image with these ops."""
        self.renderer.prepare(self._runs(grade, view))

    def prepared(self, grade: Sequence[Op], view: Sequence[ColorOp]) -> bool:
        """Return whether frames with these ops need no compiling."""
        return self.renderer.prepared(self._runs(grade, view))

    def unprepared(self, grade: Sequence[Op], view: Sequence[ColorOp]) -> list[Stage]:
        """Return the stages that frames with these ops may need once sliders of mattes are moved, not compiled yet."""
        return self.renderer.unprepared(self._runs(grade, view))

    def bake(self, view: Sequence[ColorOp], stop: Callable[[], bool]) -> None:
        """Bake the view for quick frames, if that is worth it; continue where `stop()` interrupted it."""
        self.baker.bake(view, self.sources.format, stop)

    def _runs(self, grade: Sequence[Op], view: Sequence[ColorOp]) -> list[tuple[Op, ...]]:
        """Return the ops of exact and quick frames, at full size: their kernels are the same at any scale."""
        graded = shown_ops(grade, 1.0)
        runs = [(*graded, *view), (*graded, *self.baker.quick_view(view))]
        return runs if runs[0] != runs[1] else runs[:1]

    # -- values

    def values(self, region: Region, grade: Iterable[Op]) -> NDArray[np.float32]:
        """Return (height, width, 3|4) values of whole pixels of level 0 after the colour ops of a grade."""
        x, y, width, height = (int(v) for v in region)
        return self.pixels.exact(Rect(x, y, width, height), grade)[1]

    def value(self, x: int, y: int, grade: Iterable[Op]) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return the channels of one pixel of level 0, before and after the colour ops of a grade."""
        before, after = self.pixels.exact(Rect(x, y, 1, 1), grade)
        return before[0, 0], after[0, 0]

    def graded(
        self, region: Region, width: int, height: int, grade: Sequence[Op]
    ) -> tuple[NDArray[np.float32], Region]:
        """Return what a frame shows as (rows, columns, 3|4) values after the grade, before the view; and its region."""
        plan = self.plan(region, width, height, grade)
        return self.pixels.shown(plan), plan.request.region

    def edges(
        self,
        region: Region,
        width: int,
        height: int,
        grade: Sequence[Op],
        view: Sequence[ColorOp],
        threshold: float,
        quick: bool = False,
    ) -> tuple[Bools, Region]:
        """Return where a frame has edges, for focus peaking, and its region; `quick` is as for a quick frame."""
        from engine.viewing.peaking import edges

        plan = self.plan(region, width, height, grade, self.baker.quick_view(view) if quick else view)
        return edges(self.executor, self.sources, plan, threshold), plan.request.region

    def edges_prepared(self, grade: Sequence[Op], view: Sequence[ColorOp]) -> bool:
        """Return whether `edges` needs no compiling with these ops."""
        from engine.viewing.peaking import stages_of_edges

        stages = (stages_of_edges(self.executor.plans, ops, self.sources.format) for ops in self._runs(grade, view))
        return all(self.executor.primitives.prepared(stage) for run in stages for stage in run)

    def displayed(self, pixels: NDArray[np.float32], view: Sequence[ColorOp]) -> NDArray[np.uint8]:
        """Return the RGBA bytes of graded values after a view."""
        return self.executor.display(self.executor.upload(pixels), view)
