"""The preview: immutable requests and one worker thread; a newer request replaces an older one.

A frame that takes more than about 10 ms appears first as a quick approximation, then exactly unless a newer request is
pending.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from app.model.internal_errors import internal_error
from app.render.delivery import Delivery
from app.render.preview_worker import Work, Worker
from app.render.requests import AccuracyRequest, ExpectedImage, Request, ScopeRequest, View
from app.render.value_preview import ValuePreview
from app.render.work_names import name_of_work
from engine import Grade
from engine.core.priorities import lower_priority
from engine.core.records import dataclass
from engine.errors import TesseraError
from engine.viewing import Levels, default_budget
from engine.viewing.plane_store import FRAME

if TYPE_CHECKING:
    from engine.viewing.scopes import ScopeOptions

SETTLE_SECONDS = 0.010
"""How long no newer request may arrive after a quick frame before the exact one is started."""
WAITING = (
    "_request",
    "_gridding",
    "_probe",
    "_sampling",
    "_colouring",
    "_scoping",
    "_highlighting",
    "_measuring",
    "_thumbnailing",
)
"""The attributes that hold the newest pending request of each kind, most urgent first."""


@dataclass(frozen=True)
class _Image:
    serial: int
    levels: Levels


class Preview(ValuePreview):
    """Makes frames on its own thread. `submit` and `probe` return at once and replace the pending request.

    Answers about an image that is no longer displayed when they arrive are dropped.
    """

    frame = Signal(object, object)  # QImage or DeviceFrame, Request
    marked = Signal(object)  # the share of an exact frame that each overlay marks, by name
    scoped = Signal(object)  # ScopeReading
    measured = Signal(object, object)  # the Accuracy of the grade of a Request, and that Request
    values = Signal(object, object)  # graded values (height, width, 3|4) of `request.view.region`, and that Request
    status = Signal(str)  # the activity of the worker, '' when idle
    failed = Signal(str)  # one line
    ready = Signal(str)  # the backend's name; emitted again whenever another takes over
    memory = Signal(object, object)  # bytes of the image's pixels in main memory, and their budget
    _answered = Signal(object, object, object)  # serial of an image, the signal of an answer about it, its values

    def __init__(
        self, create_executor: Callable[[str], Any], backend: str = "auto", parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._create_executor = create_executor
        self.delivery = Delivery(self)
        self._wanted_backend, self._tried_backend = backend, ""
        self._image: _Image | None = None
        self._expected: Levels | None = None
        self._measuring: AccuracyRequest | None = None
        self.budget = default_budget()
        self._status = ""
        self._failure = ""  # the internal error that was reported last, on the thread
        self._working = False
        self._playing = False
        self._doing = ("", 0.0)
        self._stopping = False
        self._answered.connect(self._deliver)
        self._thread = threading.Thread(target=self._run, name="tessera-preview", daemon=True)

    def start(self) -> None:
        """Start the worker thread, which first creates the executor."""
        self._thread.start()

    def stop(self, wait_seconds: float = 5.0) -> None:
        """Stop the worker after its current strip; wait at most `wait_seconds`."""
        with self._changed:
            self._stopping = True
            self._changed.notify()
        if self._thread.is_alive():
            self._thread.join(wait_seconds)
        for levels in self._watched:
            levels.rest(wait_seconds)
            if levels.planes is not None:
                levels.planes.rest()

    @property
    def backend(self) -> str:
        """The backend to compute with, as named in `set_backend`."""
        return self._wanted_backend

    def set_backend(self, name: str) -> None:
        """Compute with another backend, named as in `create_executor`; `failed` reports an error."""
        with self._changed:
            self._wanted_backend = name
            self._changed.notify()

    def set_budget(self, budget: int) -> None:
        """Set the memory budget for the pixels of a large image, in bytes; its finer mip levels are then read again."""
        self.budget = budget
        for levels in self._watched:
            levels.set_budget(budget)
        if self._image is not None:
            self.memory.emit(self._image.levels.used, budget)

    def expect(self, levels: Levels) -> None:
        """Prepare for an image that is displayed soon, unless another one is displayed already. Thread-safe."""
        with self._changed:
            self._expected = levels if self._image is None else None
            self._changed.notify()

    def set_image(self, levels: Levels | None) -> None:
        """Show another image, or none; drop all requests for the previous one."""
        self._watch(levels)
        self.memory.emit(levels.used if levels else 0, self.budget)
        with self._changed:
            self._serial += 1
            self._image = None if levels is None else _Image(self._serial, levels)
            self._last = self._thumbnails = self._grid = self._expected = None
            for waiting in WAITING:
                setattr(self, waiting, None)
            self._changed.notify()

    @property
    def levels(self) -> Levels | None:
        """The levels of the displayed image, as passed to `set_image`."""
        with self._changed:
            return None if self._image is None else self._image.levels

    @property
    def _displayed(self) -> Levels | None:
        return self.levels

    def submit(self, grade: Grade, view: View) -> Request:
        """Request a frame; replaces the pending request."""
        against = view.comparison.levels if view.comparison is not None else None
        self._watch(self.levels, against)
        with self._changed:
            self._measuring = None
            request = self._request = self._last = Request(self._serial, grade, view)
            self._thumbnailing = self._thumbnails  # a frame ends those that are being made
            if self._scoping is not None:
                self._scoping = ScopeRequest(self._serial, request)  # or else it would show an older frame last
            self._changed.notify()
        self.requested.emit()
        return request

    def submit_again(self) -> None:
        """Request the last frame again, for example because more of the image is loaded. Thread-safe."""
        with self._changed:
            self._frame_again()
            self._thumbnailing = self._thumbnails  # they wait for all of the image
            self._changed.notify()

    def set_playing(self, playing: bool) -> None:
        """Set whether images follow each other: slow frames are then made once, quickly, and exactly after the last."""
        was, self._playing = self._playing, playing
        if was and not playing:
            self.submit_again()

    def set_scopes(self, options: ScopeOptions | None) -> None:
        """Read scopes of the displayed frame, now and after each frame; None ends that."""
        with self._changed:
            self.scopes = options
            self._scoping = None if options is None or self._last is None else ScopeRequest(self._serial, self._last)
            self._changed.notify()
        self.requested.emit()

    def measure(self) -> None:
        """Measure the error of the grade of the displayed frame, once nothing else is pending; `submit` ends that."""
        with self._changed:
            self._measuring = None if self._last is None else AccuracyRequest(self._serial, self._last)
            self._changed.notify()

    @property
    def idle(self) -> bool:
        """Whether every request has been answered. Some answers may not have reached the caller's thread yet."""
        with self._changed:
            waits = any(getattr(self, each) is not None for each in WAITING)
            return not self._working and not waits and not any(store.reads_for(FRAME) for store in self._stores)

    @property
    def current_work(self) -> tuple[str, float] | None:
        """What the thread works on, in words, and since when (`time.monotonic`); None if nobody waits for it."""
        with self._changed:
            if self._working and self._doing[0]:
                return self._doing
            return next((work for store in self._stores if (work := store.work) is not None), None)

    def _watch(self, *shown: Levels | None) -> None:
        """Watch the levels that frames are made from while they load, and suspend the others."""
        wanted = [levels for levels in shown if levels is not None]
        before, self._watched = self._watched, wanted
        for levels in before:
            if levels not in wanted:
                levels.rest()
                if levels.planes is not None:
                    levels.planes.rest()
        for levels in wanted:
            if levels not in before:
                levels.watch(self.submit_again, self.failed.emit)
                levels.set_budget(self.budget)
                if levels.planes is not None:
                    levels.planes.watch(self._planes_there)

    def _deliver(self, serial: int, signal: Any, values: tuple[Any, ...]) -> None:
        """Emit an answer, unless another image is displayed by now."""
        if serial == self._serial:
            signal.emit(*values)

    # -- for the worker's thread

    def waits(self) -> bool:
        """Return whether a request newer than the current frame is pending."""
        newer = self._request is not None or self._gridding is not None
        return self._stopping or newer or self._wanted_backend != self._tried_backend

    def settled(self) -> bool:
        """Wait SETTLE_SECONDS; return whether no newer request arrived. During playback one is about to."""
        with self._changed:
            return not self._playing and not self._changed.wait_for(self.waits, SETTLE_SECONDS)

    def say(self, status: str) -> None:
        """Report the activity of the worker if it has changed."""
        if status != self._status:
            self._status = status
            self.tell(self.status, status)

    def tell(self, signal: Any, *values: Any) -> None:
        """Emit a signal that does not depend on the displayed image."""
        if not self._stopping:
            signal.emit(*values)

    def answer(self, serial: int, signal: Any, *values: Any) -> None:
        """Emit a signal about the image with a serial number, if that image is still displayed."""
        self.tell(self._answered, serial, signal, values)

    def _run(self) -> None:
        lower_priority()
        worker = Worker(self)
        while (name := self._next_backend()) is not None:
            if not self._open(worker, name):
                continue
            while (work := self._next(name, worker)) is not None:
                self._answer(worker, *work)
                del work  # it refers to the image
        worker.close()

    def _open(self, worker: Worker, name: str) -> bool:
        """Switch to another backend; if that fails, keep the current one. Return whether there is one."""
        try:
            worker.use(self._create_executor(name))
        except Exception as error:  # noqa: BLE001 (a driver may raise anything)
            self._fail(error, f"starting the device {name}")
            if worker.maker is None:
                return False
        self.tell(self.ready, worker.name)
        self.submit_again()
        return True

    def _answer(self, worker: Worker, image: _Image | None, work: Work | None) -> None:
        try:
            if image is None or work is None:
                worker.forget()
            else:
                worker.do(image.levels, work)
        except Exception as error:  # noqa: BLE001 (no request may end the thread)
            self._fail(error, "computing the displayed frame")
        self.say("")

    def _fail(self, error: Exception, doing: str) -> None:
        """Report an error; an internal error only once, since it may recur with each frame."""
        if isinstance(error, TesseraError):
            self.tell(self.failed, str(error))
        elif (what := f"{doing}: {error!r}") != self._failure:
            self._failure = what
            self.tell(self.failed, internal_error(doing, error))

    def _next_backend(self) -> str | None:
        """Wait for a backend that has not been tried yet; return its name, or None to stop."""
        with self._changed:
            self._changed.wait_for(lambda: self._stopping or self._wanted_backend != self._tried_backend)
            self._tried_backend = self._wanted_backend
            return None if self._stopping else self._wanted_backend

    def _next(self, backend: str, worker: Worker) -> tuple[_Image | None, Work | None] | None:
        """Wait for the next request; return the image and the request, frames first.

        An image that is expected is prepared for. Returns (None, None) if the image was closed and the worker must
        release it, and None if another backend is requested or the thread must stop.
        """
        with self._changed:
            while not self._stopping and self._wanted_backend == backend:
                place = next((each for each in WAITING if getattr(self, each) is not None), WAITING[0])
                work: Work | None = getattr(self, place)
                setattr(self, place, None)
                self._working = True
                if self._image is None and worker.levels is not self._expected:
                    levels = self._expected
                    return (
                        (None, None) if levels is None else (_Image(self._serial, levels), ExpectedImage(self._serial))
                    )
                if work is not None and self._image is not None and work.serial == self._image.serial:
                    self._doing = (name_of_work(work), time.monotonic())
                    return self._image, work
                self._working = False
                if work is None or self._image is None:
                    self._changed.wait()
            self._working = False
            return None
