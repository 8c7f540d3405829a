"""The image on the screen: frozen requests, one worker thread, the newest request wins.

What can't be computed in a hundredth of a second is shown quickly first and then, when nothing newer waits, exactly.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QObject, Signal

from app.canvas.presenting.delivery import Delivery
from app.render.preview_worker import Work, Worker
from app.render.probe_samples import Box, ProbeRequest, SampleRequest
from app.render.requests import Request, ScopeRequest, View
from app.render.view_ops import UNMANAGED
from app.services.internal_errors import internal_error
from engine import Grade
from engine.color.management import Managed
from engine.errors import TesseraError
from engine.grade.colour_settings import Viewing
from engine.viewing import Levels, default_budget
from engine.viewing.scopes import ScopeOptions

SETTLE_SECONDS = 0.010
"""So long after a quick frame no newer request may come before the exact one is begun."""
WAITING = ("_request", "_probe", "_sampling", "_scoping")
"""Where what is wanted waits, each the newest of its kind; what is more urgent comes first."""


@dataclass(frozen=True)
class _Image:
    serial: int
    levels: Levels


class Preview(QObject):
    """Makes frames on a thread of its own. `submit` and `probe` return at once and replace what waits.

    Answers are about the image that is shown when they are delivered: late ones about another are dropped.
    """

    frame = Signal(object, object)  # QImage or DeviceFrame, Request
    marked = Signal(object)  # the shares of an exact frame that overlays mark, by name
    probed = Signal(object)  # ProbeResult
    scoped = Signal(object)  # ScopeReading
    sampled = Signal(object)  # list of Sample
    values = Signal(object, object)  # graded values (height, width, 3|4) of `request.view.region`, and that Request
    status = Signal(str)  # what the worker is busy with, '' when idle
    failed = Signal(str)  # one line
    ready = Signal(str)  # the backend's name; again whenever another takes over
    memory = Signal(object, object)  # bytes of pixels of the image in main memory, and how many it may take
    _answered = Signal(object, object, object)  # serial of an image, the signal of an answer about it, its values

    def __init__(
        self, create_executor: Callable[[str], Any], backend: str = "auto", parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._create_executor = create_executor
        self.delivery = Delivery(self)
        self._changed = threading.Condition()
        self._wanted_backend, self._tried_backend = backend, ""
        self._image: _Image | None = None
        self._request: Request | None = None
        self._last: Request | None = None
        self._probe: ProbeRequest | None = None
        self._sampling: SampleRequest | None = None
        self._scoping: ScopeRequest | None = None
        self.scopes: ScopeOptions | None = None
        self._serial = 0
        self.budget = default_budget()
        self._said = ""
        self._failure = ""  # the internal error that was told last, on the thread
        self._watched: list[Levels] = []
        self._working = False
        self._stopping = False
        self._answered.connect(self._deliver)
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
        for levels in self._watched:
            levels.rest(wait_seconds)

    def set_backend(self, name: str) -> None:
        """Compute on another device from now on, named as in `create_executor`; where that fails, `failed` tells."""
        with self._changed:
            self._wanted_backend = name
            self._changed.notify()

    def set_budget(self, budget: int) -> None:
        """Let the pixels of a large image take so many bytes of main memory; its finer levels are then read anew."""
        self.budget = budget
        for levels in self._watched:
            levels.set_budget(budget)
        if self._image is not None:
            self.memory.emit(self._image.levels.used, budget)

    def set_image(self, levels: Levels | None) -> None:
        """Show another image, or none; requests for the last one are void."""
        self._watch(levels)
        self.memory.emit(levels.used if levels else 0, self.budget)
        with self._changed:
            self._serial += 1
            self._image = None if levels is None else _Image(self._serial, levels)
            self._request = self._last = self._probe = self._sampling = self._scoping = None
            self._changed.notify()

    @property
    def levels(self) -> Levels | None:
        """The image that is shown, as it was given."""
        with self._changed:
            return None if self._image is None else self._image.levels

    def submit(self, grade: Grade, view: View) -> Request:
        """Ask for a frame; replaces the one that waits."""
        against = view.comparison.levels if view.comparison is not None else None
        self._watch(self.levels, against)
        with self._changed:
            self._request = self._last = Request(self._serial, grade, view)
            self._changed.notify()
            return self._request

    def submit_again(self) -> None:
        """Ask for the last frame once more, since there is more of the image now. Any thread may call this."""
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

    def set_scopes(self, options: ScopeOptions | None) -> None:
        """Have scopes read of what is shown, now and after each frame; None for no longer."""
        with self._changed:
            self.scopes = options
            self._scoping = None if options is None or self._last is None else ScopeRequest(self._serial, self._last)
            self._changed.notify()

    @property
    def idle(self) -> bool:
        """Whether all that was asked for has been answered. The answers may still be on their way to this thread."""
        with self._changed:
            return not self._working and all(getattr(self, each) is None for each in WAITING)

    def _watch(self, *shown: Levels | None) -> None:
        """Follow the levels that frames are made from as they grow, and let the others rest."""
        wanted = [levels for levels in shown if levels is not None]
        before, self._watched = self._watched, wanted
        for levels in before:
            if levels not in wanted:
                levels.rest()
        for levels in wanted:
            if levels not in before:
                levels.watch(self.submit_again, self.failed.emit)
                levels.set_budget(self.budget)

    def _deliver(self, serial: int, signal: Any, values: tuple[Any, ...]) -> None:
        """Pass an answer on, unless another image is shown by now."""
        if serial == self._serial:
            signal.emit(*values)

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
        """Emit a signal that is about no image."""
        if not self._stopping:
            signal.emit(*values)

    def answer(self, serial: int, signal: Any, *values: Any) -> None:
        """Emit a signal that is about the image with that serial, if that one is still shown."""
        self.tell(self._answered, serial, signal, values)

    def _run(self) -> None:
        worker = Worker(self)
        while (name := self._next_backend()) is not None:
            if not self._open(worker, name):
                continue
            while (work := self._next(name, worker)) is not None:
                self._answer(worker, *work)
                del work  # it holds the image

    def _open(self, worker: Worker, name: str) -> bool:
        """Take another backend; where it does not work, the last one stays."""
        try:
            worker.use(self._create_executor(name))
        except Exception as error:  # noqa: BLE001 (a driver may raise anything)
            self._fail(error, f"starting the device {name}")
            if worker.maker is None:
                return False
        self.tell(self.ready, worker.name)
        with self._changed:
            self._request = self._request or self._last
        return True

    def _answer(self, worker: Worker, image: _Image | None, work: Work | None) -> None:
        try:
            if image is None or work is None:
                worker.forget()
            else:
                worker.do(image.levels, work)
        except Exception as error:  # noqa: BLE001 (one request must not end the thread, whatever it is)
            self._fail(error, "computing what the canvas shows")
        self.say("")

    def _fail(self, error: Exception, doing: str) -> None:
        """Tell of an error; of an internal one once, for it may come up with each frame."""
        if isinstance(error, TesseraError):
            self.tell(self.failed, str(error))
        elif (what := f"{doing}: {error!r}") != self._failure:
            self._failure = what
            self.tell(self.failed, internal_error(doing, error))

    def _next_backend(self) -> str | None:
        """The backend that is wanted and has not been tried; None when it is time to stop."""
        with self._changed:
            self._changed.wait_for(lambda: self._stopping or self._wanted_backend != self._tried_backend)
            self._tried_backend = self._wanted_backend
            return None if self._stopping else self._wanted_backend

    def _next(self, backend: str, worker: Worker) -> tuple[_Image | None, Work | None] | None:
        """The image and what is wanted of it, frames first; neither where it is gone, and is to be let go.

        None if another backend is wanted, or it is over.
        """
        with self._changed:
            while not self._stopping and self._wanted_backend == backend:
                place = next((each for each in WAITING if getattr(self, each) is not None), WAITING[0])
                work: Work | None = getattr(self, place)
                setattr(self, place, None)
                self._working = True
                if self._image is None and worker.holds:
                    return None, None
                if work is not None and self._image is not None and work.serial == self._image.serial:
                    return self._image, work
                self._working = False
                if work is None or self._image is None:
                    self._changed.wait()
            self._working = False
            return None
