"""Short work off the interface thread: reading a file, loading a look, writing a grade."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from PySide6.QtCore import QObject, Qt, Signal

from engine.errors import TesseraError

T = TypeVar("T")


class Jobs(QObject):
    """Runs calls on `threads` threads; what they return, or their error's line, comes back to the caller's thread."""

    active_changed = Signal(int)
    _ready = Signal(object)

    def __init__(self, parent: QObject | None = None, threads: int = 2) -> None:
        super().__init__(parent)
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="tessera-job")
        self._active = 0
        self._closed = False
        self._ready.connect(self._deliver, Qt.ConnectionType.QueuedConnection)

    @property
    def active(self) -> int:
        """How many calls have not been answered yet."""
        return self._active

    def run(self, work: Callable[[], T], done: Callable[[T], None], failed: Callable[[str], None]) -> None:
        """Call `work` on a thread, then `done` with its result, or `failed` with the line of its TesseraError.

        After `close` nothing happens.
        """
        if self._closed:
            return
        self._active += 1
        self.active_changed.emit(self._active)
        future = self._pool.submit(work)
        future.add_done_callback(lambda answer: self._announce(answer, done, failed))

    def wait(self) -> None:
        """Wait until what runs or waits has been done; it is delivered later."""
        self._pool.shutdown(wait=True)

    def close(self) -> None:
        """Take no more work and deliver nothing; what runs is left to end by itself."""
        self._closed = True
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _announce(self, answer: Future[T], done: Callable[[T], None], failed: Callable[[str], None]) -> None:
        if not self._closed:
            self._ready.emit((answer, done, failed))

    def _deliver(self, message: tuple[Future[T], Callable[[T], None], Callable[[str], None]]) -> None:
        if self._closed:
            return
        answer, done, failed = message
        self._active -= 1
        self.active_changed.emit(self._active)
        error = answer.exception()
        if isinstance(error, TesseraError):
            failed(str(error))
        elif error is not None:
            failed(f"{type(error).__name__}: {error}; this is a mistake of Tessera's, please report it")
            raise error
        else:
            done(answer.result())
