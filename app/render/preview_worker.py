"""The work of the preview's thread: frames, probes, samples and scopes, on the device that computes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from app.model.view_ops import grade_ops
from app.model.viewport import VALUES_SCALE
from app.render.answers import Answers
from app.render.frame_plan import FramePlan
from app.render.probe_samples import ProbeRequest, ProbeResult, SampleRequest, take_samples
from app.render.requests import AccuracyRequest, Request, ScopeRequest
from app.render.scope_reader import ScopeReader
from engine.errors import DeviceLost, KernelError, OutOfDeviceMemory
from engine.viewing import Frame, FrameMaker, Levels
from engine.viewing.accuracy import measured

Work = Request | ProbeRequest | SampleRequest | ScopeRequest | AccuracyRequest


class Worker:
    """Answers the requests of a preview. Used on the preview's thread only."""

    def __init__(self, preview: Answers) -> None:
        self._preview = preview
        self._levels: Levels | None = None
        self._used = -1
        self._scopes = ScopeReader(preview)
        self.maker: FrameMaker | None = None
        self._other_maker: FrameMaker | None = None
        self._other_levels: Levels | None = None

    @property
    def name(self) -> str:
        """The name of the backend that computes, or '' if there is none yet."""
        return str(self.maker.executor.name) if self.maker else ""

    @property
    def holds(self) -> bool:
        """Whether the worker holds an image."""
        return self._levels is not None

    def use(self, executor: Any) -> None:
        """Compute with another executor from now on."""
        self.maker, self._levels = FrameMaker(executor), None

    def forget(self) -> None:
        """Release the image and everything made from it."""
        self._levels = self._other_maker = self._other_levels = None
        if self.maker is not None:
            self.maker.show(None)

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
            self._scopes.after_exact(maker, work.frame)
        elif isinstance(work, AccuracyRequest):
            self._measure(maker, work.frame)
        elif isinstance(work, SampleRequest):
            preview.answer(work.serial, preview.sampled, take_samples(maker, work))
        elif isinstance(work, ProbeRequest):
            before, after = maker.value(work.x, work.y, grade_ops(work.managed, work.grade))
            result = ProbeResult(work.x, work.y, *(tuple(float(v) for v in values) for values in (before, after)))
            preview.answer(work.serial, preview.probed, result)
        else:
            self._frames(maker, work)

    def _measure(self, maker: FrameMaker, request: Request) -> None:
        """Measure the error of the grade of a frame, unless a newer request arrives."""
        preview, view = self._preview, request.view
        where = (view.region, view.width, view.height)
        found = measured(maker, *where, grade_ops(view.managed, request.grade), preview.waits)
        if found is not None:
            preview.answer(request.serial, preview.measured, found, request)

    def _frames(self, maker: FrameMaker, request: Request) -> None:
        """Deliver a quick frame if the exact one is slow, then the exact one unless a newer request arrives."""
        preview, view = self._preview, request.view
        if view.comparison is None or view.comparison.levels is None:
            self._other_maker = self._other_levels = None
        maker.picks, maker.leaves = view.picks, preview.delivery.stays(maker.executor)
        maker.set_backdrop("" if view.channel else view.backdrop, view.width)
        plan = FramePlan(view, request.grade, maker, self._maker_of)
        if not plan.prepared():
            preview.say("Preparing…")
        where = (view.region, view.width, view.height)
        begun = all(run.maker.levels.begun for run in plan.runs)
        if not begun or any(run.maker.is_slow(*run.where(*where), run.grade, run.view) for run in plan.runs):
            quick = plan.frame(lambda run: run.maker.quick(*run.where(*where), run.grade, run.view))
            if begun and quick is not None:
                self._emit(quick[0], request)
                self._scopes.after_quick(maker, request)
            if not maker.complete or not preview.settled():
                return
        exact = plan.frame(lambda run: run.maker.exact(*run.where(*where), run.grade, run.view, preview.waits))
        if exact is not None:
            frame, shares = exact
            self._emit(frame, request)
            preview.answer(request.serial, preview.marked, shares)
            if view.width >= VALUES_SCALE * view.region[2]:
                shown = replace(request, view=replace(view, region=frame.region))
                values = maker.values(frame.region, view.grade_ops(request.grade))
                preview.answer(request.serial, preview.values, values, shown)
            self._scopes.after_exact(maker, request)
            preview.delivery.settle(maker.executor)
            maker.bake(plan.main.view, preview.waits)

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
        placed = replace(request.view, region=frame.region)
        shown = replace(request, view=placed, exact=frame.exact, view_error=frame.view_error)
        preview.answer(request.serial, preview.frame, preview.delivery.brought(frame), shown)
        self._tell_memory(request.serial)
