"""The work of the preview's thread: frames, probes, samples and scopes, on the device that computes."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from app.model.view_ops import grade_ops
from app.model.viewport import VALUES_SCALE
from app.render.frame_plan import FramePlan, Run
from app.render.grid_requests import GridRequest
from app.render.kernels_ahead import KernelsAhead
from app.render.matte_images import highlight, thumbnails
from app.render.plane_gate import PlaneGate, lacked
from app.render.probe_samples import ProbeRequest, ProbeResult, SampleRequest, take_samples, values_of
from app.render.requests import (
    AccuracyRequest,
    ColoursRequest,
    ExpectedImage,
    HighlightRequest,
    Request,
    ScopeRequest,
    ThumbnailRequest,
    View,
)
from app.render.scope_reader import ScopeReader
from engine.errors import DeviceLost, KernelError, OutOfDeviceMemory
from engine.grade.masking import planes_read
from engine.grade.matte_planes import planes_of, without_planes
from engine.kernel.op import ColorOp, Op
from engine.viewing import Frame, FrameMaker, Levels, Region

if TYPE_CHECKING:
    from app.render.answers import Answers


COMPILE_SECONDS = 5.0
"""How long the end waits for a kernel that is being compiled."""
AnyRequest = TypeVar("AnyRequest", Request, ProbeRequest, SampleRequest)
MatteWork = HighlightRequest | ThumbnailRequest | ColoursRequest
Work = Request | GridRequest | ProbeRequest | SampleRequest | ScopeRequest | AccuracyRequest | ExpectedImage | MatteWork


class Worker:
    """Answers the requests of a preview. Used on the preview's thread only."""

    def __init__(self, preview: Answers) -> None:
        self._preview = preview
        self._levels: Levels | None = None
        self._used = -1
        self._scopes, self._gate, self._ahead = ScopeReader(preview), PlaneGate(preview), KernelsAhead()
        self._grid: Any = None  # GridFrames, made for the first grid
        self.maker: FrameMaker | None = None
        self._other_maker: FrameMaker | None = None
        self._other_levels: Levels | None = None

    @property
    def name(self) -> str:
        """The name of the backend that computes, or '' if there is none yet."""
        return str(self.maker.executor.name) if self.maker else ""

    @property
    def levels(self) -> Levels | None:
        """The image that the worker holds."""
        return self._levels

    def use(self, executor: Any) -> None:
        """Compute with another executor from now on."""
        self.maker, self._levels = FrameMaker(executor), None

    def forget(self) -> None:
        """Release the image and everything made from it."""
        self._levels = self._other_maker = self._other_levels = None
        self._gate.forget()
        self._forget_grid()
        if self.maker is not None:
            self.maker.show(None)

    def close(self) -> None:
        """End what runs on other threads."""
        self._ahead.stop(COMPILE_SECONDS)

    def do(self, levels: Levels, work: Work) -> None:
        """Answer a request about an image. If the device fails, continue on the next one."""
        assert self.maker is not None
        if self._levels is not levels:
            self.maker.show(levels)
            self._levels, self._used = levels, -1
        has_freed = False
        while True:
            primitives = self.maker.executor.primitives
            try:
                return self._do(self.maker, work)
            except (DeviceLost, KernelError, OutOfDeviceMemory) as error:
                self._other_maker = self._other_levels = None
                self._forget_grid()
                if isinstance(error, OutOfDeviceMemory) and not has_freed:
                    has_freed = True
                    self.maker.let_go()
                    continue
                self.maker.fall_back(primitives, error)
                self._preview.tell(self._preview.failed, self.maker.executor.notes[-1])
                self._preview.tell(self._preview.ready, self.name)

    def _do(self, maker: FrameMaker, work: Work) -> None:
        preview = self._preview
        if isinstance(work, ScopeRequest):
            self._scopes.after_exact(maker, _readable(maker, work.frame))
        elif isinstance(work, AccuracyRequest):
            self._measure(maker, work.frame)
        elif isinstance(work, SampleRequest):
            preview.answer(work.serial, preview.sampled, take_samples(maker, _readable(maker, work)))
        elif isinstance(work, ProbeRequest):
            before, after = maker.value(work.x, work.y, grade_ops(work.managed, _readable(maker, work).grade))
            result = ProbeResult(work.x, work.y, *(tuple(float(v) for v in values) for values in (before, after)))
            preview.answer(work.serial, preview.probed, result)
        elif isinstance(work, HighlightRequest):
            highlight(maker, work, preview)
        elif isinstance(work, ColoursRequest):
            lacks = lacked(maker.levels.planes, planes_read(work.ops))
            ops = tuple(op for op in work.ops if lacks.isdisjoint(planes_read((op,))))
            preview.answer(work.serial, preview.coloured, work.pixels, values_of(maker, work.pixels, ops))
        elif isinstance(work, ThumbnailRequest):
            thumbnails(maker, work, preview)
        elif isinstance(work, GridRequest):
            self._make_grid(maker, work)
        elif isinstance(work, ExpectedImage):
            maker.sources.expect()
        else:
            self._frames(maker, work)

    def _make_grid(self, maker: FrameMaker, work: GridRequest) -> None:
        """Answer with the cells of a grid."""
        if self._grid is None:
            from app.render.grid_frames import GridFrames

            self._grid = GridFrames(self._preview)
        self._grid.make(maker, work)

    def _forget_grid(self) -> None:
        if self._grid is not None:
            self._grid.forget()

    def _measure(self, maker: FrameMaker, request: Request) -> None:
        """Measure the error of the grade of a frame, unless a newer request arrives."""
        from engine.viewing.accuracy import measured

        preview, view = self._preview, request.view
        where = (view.region, view.width, view.height)
        found = measured(maker, *where, grade_ops(view.managed, _readable(maker, request).grade), preview.waits)
        if found is not None:
            preview.answer(request.serial, preview.measured, found, request)

    def _frames(self, maker: FrameMaker, request: Request) -> None:
        """Deliver a quick frame if the exact one is slow, then the exact one unless a newer request arrives."""
        preview, view = self._preview, request.view
        if view.comparison is None or view.comparison.levels is None:
            self._other_maker = self._other_levels = None
        maker.picks, maker.leaves = view.picks, preview.delivery.stays(maker.executor)
        maker.set_backdrop("" if view.channel else view.backdrop, view.width)
        admitted = self._gate.admitted(maker.levels, request, partial(self._plan, maker))
        if admitted is None:
            return
        readable_request, plan, complete = admitted
        view = readable_request.view
        if not plan.prepared():
            preview.say("Preparing…")
        begun = all(run.maker.levels.begun for run in plan.runs)
        if not begun or not complete or any(run.maker.is_slow(*_shown(run, view)) for run in plan.runs):
            quick = plan.frame(lambda run: run.maker.quick(*_shown(run, view)))
            if begun and quick is not None:
                self._emit(quick[0], request)
                self._scopes.after_quick(maker, readable_request)
            if not maker.complete or not complete or not preview.settled():
                return
        exact = plan.frame(lambda run: run.maker.exact(*_shown(run, view), preview.waits))
        if exact is not None:
            frame, shares = exact
            self._emit(frame, request)
            preview.answer(request.serial, preview.marked, shares)
            if view.width >= VALUES_SCALE * view.region[2]:
                shown = replace(request, view=replace(request.view, region=frame.region))
                values = maker.values(frame.region, view.grade_ops(readable_request.grade))
                preview.answer(request.serial, preview.values, values, shown)
            self._scopes.after_exact(maker, readable_request)
            preview.delivery.settle(maker.executor)
            maker.bake(plan.main.view, preview.waits)
            main = plan.main
            self._ahead.compile(maker.executor.primitives, maker.unprepared(main.grade, main.view))

    def _plan(self, maker: FrameMaker, request: Request) -> FramePlan:
        return FramePlan(request.view, request.grade, maker, self._maker_of)

    def _maker_of(self, levels: Levels) -> FrameMaker:
        """Return a maker for the other image of a comparison."""
        assert self.maker is not None
        if self._other_maker is None or self._other_maker.executor is not self.maker.executor:
            self._other_maker, self._other_levels = FrameMaker(self.maker.executor), None
        if self._other_levels is not levels:
            self._other_maker.show(levels)
            self._other_levels = levels
        self._other_maker.picks = self.maker.picks
        return self._other_maker

    def _tell_memory(self, serial: int) -> None:
        used = self._levels.used if self._levels else 0
        if used != self._used:
            self._used = used
            self._preview.answer(serial, self._preview.memory, used, self._preview.budget)

    def _emit(self, frame: Frame, request: Request) -> None:
        preview = self._preview
        if self._levels is not None:
            self._gate.has_shown(self._levels)
        placed = replace(request.view, region=frame.region)
        shown = replace(request, view=placed, exact=frame.exact, view_error=frame.view_error)
        preview.answer(request.serial, preview.frame, preview.delivery.brought(frame), shown)
        self._tell_memory(request.serial)


def _shown(run: Run, view: View) -> tuple[Region, int, int, tuple[Op, ...], tuple[ColorOp, ...]]:
    """Return what the frame of a run shows, and through which ops; set the backdrop of the displayed image for it."""
    if run.offset is None:
        run.maker.set_backdrop(view.backdrop if run.backdrop and not view.channel else "", view.width)
    return (*run.where(view.region, view.width, view.height), run.grade, run.view)


def _readable(maker: FrameMaker, work: AnyRequest) -> AnyRequest:
    """Return a request whose grade lacks the entries that read what the file does not have, found out now."""
    planes = planes_of(work.grade)
    return replace(work, grade=without_planes(work.grade, lacked(maker.levels.planes, planes))) if planes else work
