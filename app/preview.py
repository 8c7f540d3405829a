"""The picture on the screen: frozen requests, one worker thread, the newest request wins.

What can't be computed in a hundredth of a second is shown quickly first and then, when nothing newer waits, exactly.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from PySide6.QtCore import QObject, Signal

from app.frame_plan import FramePlan
from app.pixel_values import VALUES_SCALE
from app.presenting.delivery import Delivery
from app.probe.samples import Box, ProbeRequest, ProbeResult, SampleRequest, take_samples
from app.requests import Request, ScopeRequest, View
from app.scopes.reader import ScopeReader
from app.view_ops import UNMANAGED, grade_ops
from engine import Grade
from engine.colour import Viewing
from engine.errors import DeviceLost, KernelError, OutOfDeviceMemory, TesseraError
from engine.managed import Managed
from engine.viewing import Frame, FrameMaker, Levels, default_budget
from engine.viewing.scoping import ScopeWish

SETTLE_SECONDS = 0.010
"""So long after a quick frame no newer request may come before the exact one is begun."""
Work = Request | ProbeRequest | SampleRequest | ScopeRequest
WAITING = ("_request", "_probe", "_sampling", "_scoping")
"""Where what is wanted waits, each the newest of its kind; what is more urgent comes first."""


@dataclass(frozen=True)
class _Picture:
    serial: int
    levels: Levels


class Preview(QObject):
    """Makes frames on a thread of its own. `submit` and `probe` return at once and replace what waits."""

    frame = Signal(object, object)  # QImage or DeviceFrame, Request
    marked = Signal(object)  # the shares of an exact frame that overlays mark, by name
    probed = Signal(object)  # ProbeResult
    scoped = Signal(object)  # ScopeReading
    sampled = Signal(object)  # list of Sample
    values = Signal(object, object)  # graded values (height, width, 3|4) of `request.view.region`, and that Request
    status = Signal(str)  # what the worker is busy with, '' when idle
    failed = Signal(str)  # one line
    ready = Signal(str)  # the backend's name; again whenever another takes over
    memory = Signal(object, object)  # bytes of pixels of the picture in main memory, and how many it may take

    def __init__(
        self, create_executor: Callable[[str], Any], backend: str = "auto", parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._create_executor = create_executor
        self.delivery = Delivery(self)
        self._changed = threading.Condition()
        self._wanted_backend, self._tried_backend = backend, ""
        self._picture: _Picture | None = None
        self._request: Request | None = None
        self._last: Request | None = None
        self._probe: ProbeRequest | None = None
        self._sampling: SampleRequest | None = None
        self._scoping: ScopeRequest | None = None
        self.scopes: ScopeWish | None = None
        self._serial = 0
        self.budget = default_budget()
        self._said = ""
        self._stopping = False
        self._thread = threading.Thread(target=self._run, name="tessera-preview", daemon=True)

    def start(self) -> None:
        """Start the worker: it makes the executor first."""
        self._thread.start()

    def stop(self, wait_seconds: float = 5.0) -> None:
        """Stop after the strip in hand; wait for it no longer than that."""
        with self._changed:
            self._stopping = True
            self._changed.notify()
        if self._thread.is_alive():
            self._thread.join(wait_seconds)
        if self._picture is not None:
            self._picture.levels.rest(wait_seconds)

    def set_backend(self, name: str) -> None:
        """Compute on another device from now on, named as in `create_executor`; where that fails, `failed` tells."""
        with self._changed:
            self._wanted_backend = name
            self._changed.notify()

    def set_budget(self, budget: int) -> None:
        """Let the pixels of a large picture take so many bytes of main memory; its finer levels are then read anew."""
        self.budget = budget
        if self._picture is not None:
            self._picture.levels.set_budget(budget)
            self.memory.emit(self._picture.levels.used, budget)

    def set_picture(self, levels: Levels | None) -> None:
        """Show another picture, or none; requests for the last one are void."""
        if self._picture is not None and self._picture.levels is not levels:
            self._picture.levels.rest()
        if levels is not None:
            levels.watch(self.submit_again, self.failed.emit)
            levels.set_budget(self.budget)
        self.memory.emit(levels.used if levels else 0, self.budget)
        with self._changed:
            self._serial += 1
            self._picture = None if levels is None else _Picture(self._serial, levels)
            self._request = self._last = self._probe = self._sampling = self._scoping = None
            self._changed.notify()

    @property
    def levels(self) -> Levels | None:
        """The picture that is shown, as it was given."""
        with self._changed:
            return None if self._picture is None else self._picture.levels

    def submit(self, grade: Grade, view: View) -> Request:
        """Ask for a frame; replaces the one that waits."""
        with self._changed:
            self._request = self._last = Request(self._serial, grade, view)
            self._changed.notify()
            return self._request

    def submit_again(self) -> None:
        """Ask for the last frame once more, since there is more of the picture now. Any thread may call this."""
        with self._changed:
            self._request = self._request or self._last
            self._changed.notify()

    def probe(self, x: int, y: int, grade: Grade, managed: Managed = UNMANAGED) -> None:
        """Ask for a pixel's values; replaces the question that waits."""
        with self._changed:
            self._probe = ProbeRequest(self._serial, x, y, grade, managed)
            self._changed.notify()

    def sample(self, boxes: tuple[Box, ...], grade: Grade, managed: Managed, viewing: Viewing) -> None:
        """Ask for the values of boxes of pixels; replaces the question that waits."""
        with self._changed:
            self._sampling = SampleRequest(self._serial, boxes, grade, managed, viewing)
            self._changed.notify()

    def set_scopes(self, wish: ScopeWish | None) -> None:
        """Have scopes read of what is shown, now and after each frame; None for no longer."""
        with self._changed:
            self.scopes = wish
            self._scoping = None if wish is None or self._last is None else ScopeRequest(self._serial, self._last)
            self._changed.notify()

    def is_current(self, request: Request) -> bool:
        """Whether the request is for the picture that is shown now."""
        return request.serial == self._serial

    # -- for the worker's thread

    def waits(self) -> bool:
        """Whether there is something newer to do than the frame in hand."""
        return self._stopping or self._request is not None or self._wanted_backend != self._tried_backend

    def settled(self) -> bool:
        """Wait for a moment; whether nothing newer came."""
        with self._changed:
            return not self._changed.wait_for(self.waits, SETTLE_SECONDS)

    def say(self, status: str) -> None:
        """Tell what the worker is busy with, if that is news."""
        if status != self._said:
            self._said = status
            self.tell(self.status, status)

    def tell(self, signal: Any, *values: Any) -> None:
        if not self._stopping:
            signal.emit(*values)

    def _run(self) -> None:
        worker = _Worker(self)
        try:
            while (name := self._next_backend()) is not None:
                if not self._open(worker, name):
                    continue
                while (work := self._next(name, worker)) is not None:
                    self._answer(worker, *work)
                    del work  # it holds the picture
        finally:  # a mistake of ours ends the thread: say so rather than stand still
            self.tell(self.failed, "the preview has stopped because of a mistake of Tessera's; start it again")

    def _open(self, worker: _Worker, name: str) -> bool:
        """Take another backend; where it does not work, the last one stays."""
        try:
            worker.use(self._create_executor(name))
        except TesseraError as error:
            self.tell(self.failed, str(error))
            if worker.maker is None:
                return False
        self.tell(self.ready, worker.name)
        with self._changed:
            self._request = self._request or self._last
        return True

    def _answer(self, worker: _Worker, picture: _Picture, work: Work) -> None:
        try:
            worker.do(picture, work)
        except TesseraError as error:
            self.tell(self.failed, str(error))
        self.say("")

    def _next_backend(self) -> str | None:
        """The backend that is wanted and has not been tried; None when it is time to stop."""
        with self._changed:
            self._changed.wait_for(lambda: self._stopping or self._wanted_backend != self._tried_backend)
            self._tried_backend = self._wanted_backend
            return None if self._stopping else self._wanted_backend

    def _next(self, backend: str, worker: _Worker) -> tuple[_Picture, Work] | None:
        """The picture and what is wanted of it, frames first; None if another backend is, or it is over."""
        with self._changed:
            while not self._stopping and self._wanted_backend == backend:
                place = next((each for each in WAITING if getattr(self, each) is not None), WAITING[0])
                work: Work | None = getattr(self, place)
                setattr(self, place, None)
                if self._picture is None:
                    worker.forget()
                if work is None or self._picture is None:
                    self._changed.wait()
                elif work.serial == self._picture.serial:
                    return self._picture, work
            return None


class _Worker:
    """Runs on the preview's thread only."""

    def __init__(self, preview: Preview) -> None:
        self._preview = preview
        self._levels: Levels | None = None
        self._used = -1
        self._scopes = ScopeReader(preview)
        self.maker: FrameMaker | None = None
        self._beside: FrameMaker | None = None
        self._beside_levels: Levels | None = None

    @property
    def name(self) -> str:
        """The backend that computes."""
        return str(self.maker.executor.name) if self.maker else ""

    def use(self, executor: Any) -> None:
        """Compute with another executor from now on."""
        self.maker, self._levels = FrameMaker(executor), None

    def forget(self) -> None:
        """There is no picture: hold none."""
        self._levels = self._beside = self._beside_levels = None
        if self.maker is not None:
            self.maker.show(None)

    def do(self, picture: _Picture, work: Work) -> None:
        assert self.maker is not None
        if self._levels is not picture.levels:
            self._levels = picture.levels
            self.maker.show(picture.levels)
        tidied = False
        while True:
            primitives = self.maker.executor.primitives
            try:
                return self._do(self.maker, work)
            except (DeviceLost, KernelError, OutOfDeviceMemory) as error:
                if isinstance(error, OutOfDeviceMemory) and not tidied:
                    tidied = True
                    self.maker.let_go()
                    continue
                self.maker.fall_back(primitives, error)
                self._preview.tell(self._preview.failed, self.maker.executor.notes[-1])
                self._preview.tell(self._preview.ready, self.name)

    def _do(self, maker: FrameMaker, work: Work) -> None:
        if isinstance(work, ScopeRequest):
            self._scopes.after_exact(maker, work.frame)
        elif isinstance(work, SampleRequest):
            self._preview.tell(self._preview.sampled, take_samples(maker, work))
        elif isinstance(work, ProbeRequest):
            before, after = maker.value(work.x, work.y, grade_ops(work.managed, work.grade))
            result = ProbeResult(work.x, work.y, *(tuple(float(v) for v in values) for values in (before, after)))
            self._preview.tell(self._preview.probed, result)
        else:
            self._frames(maker, work)

    def _frames(self, maker: FrameMaker, request: Request) -> None:
        """A quick frame where the exact one takes a while, then that one, unless a newer request comes."""
        preview, view = self._preview, request.view
        plan = FramePlan(view, request.grade, maker, self._other)
        if not plan.prepared():
            preview.say("Preparing…")
        where = (view.region, view.width, view.height)
        maker.picks, maker.leaves = view.ids, preview.delivery.stays(maker.executor)
        maker.put_behind("" if view.channel else view.backdrop, view.width)
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
            preview.tell(preview.marked, shares)
            if view.width >= VALUES_SCALE * view.region[2]:
                shown = replace(request, view=replace(view, region=frame.region))
                preview.tell(preview.values, maker.values(frame.region, view.grade_ops(request.grade)), shown)
            self._scopes.after_exact(maker, request)
            preview.delivery.settle(maker.executor)
            maker.bake(plan.main.view, preview.waits)

    def _other(self, levels: Levels) -> FrameMaker:
        """A maker for a picture that the shown one is held against."""
        assert self.maker is not None
        if self._beside is None or self._beside.executor is not self.maker.executor:
            self._beside = FrameMaker(self.maker.executor)
        if self._beside_levels is not levels:
            self._beside.show(levels)
            self._beside_levels = levels
        return self._beside

    def _tell_memory(self) -> None:
        used = self._levels.used if self._levels else 0
        if used != self._used:
            self._used = used
            self._preview.tell(self._preview.memory, used, self._preview.budget)

    def _emit(self, frame: Frame, request: Request) -> None:
        shown = replace(request, view=replace(request.view, region=frame.region), exact=frame.exact)
        self._preview.tell(self._preview.frame, self._preview.delivery.brought(frame), shown)
        self._tell_memory()
