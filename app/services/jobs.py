"""Runs short work off the interface thread: reading an image, loading a LUT, writing a grade."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from functools import partial
from typing import Any, TypeVar
from weakref import WeakSet

from PySide6.QtCore import QObject, Qt, Signal
from shiboken6 import isValid

from engine.core.priorities import lower_priority
from engine.core.records import dataclass
from engine.errors import TesseraError

T = TypeVar("T")
_Waiting = tuple[Hashable, Callable[[], None]]
READERS, WRITERS = 8, 16
"""Maximum numbers of threads. A file on a disk that does not respond blocks one of them; the others continue."""


def _at_once(_owner: QObject, _call: Callable[[], object]) -> bool:
    return False


@dataclass(eq=False)
class Call:
    """A call whose answer has not been delivered yet."""

    work: Callable[[], Any]
    done: Callable[[Any], None]
    failed: Callable[[str], object]
    owner: QObject | None = None
    status: str = ""
    key: Hashable = None
    about: object = None  # what the call is about: callers compare calls by it
    in_turn: bool = False
    target: Hashable = None  # what a write replaces; None for a read
    dropped: bool = False
    over: bool = False  # whether `work` has returned or raised
    delivered: bool = False  # whether its answer has reached the interface thread
    result: Any = None
    failure: str = ""  # the line of a TesseraError: the error itself would keep all that the work had read
    error: Exception | None = None  # any other

    def forget(self) -> None:
        """Release what the call read and was made for, once it is answered: a queued signal may still refer to it."""
        self.result = self.error = None
        self.work = self.done = self.failed = _nothing


class Jobs(QObject):
    """Runs calls on threads and delivers their results, or the lines of their errors, on the interface thread.

    There are four kinds of calls: `run`, `latest`, `in_turn` and `write`. Each may have an `owner`, a QObject. When the
    owner is closed (`drop`) or deleted, its pending calls are not answered and new ones are ignored. `status` describes
    a call while it is pending.

    Call all methods on the interface thread.
    """

    active_changed = Signal(int)
    status_changed = Signal(str)
    lost = Signal(str)  # the error of a write whose owner is gone
    _over = Signal(object)

    def __init__(
        self, parent: QObject | None = None, put_off: Callable[[QObject, Callable[[], object]], bool] = _at_once
    ) -> None:
        """`put_off` calls something later if the interface is busy, and returns whether it is: answers wait then."""
        super().__init__(parent)
        self._put_off = put_off
        self._readers, self._writers = Workers("tessera-read", READERS), Workers("tessera-write", WRITERS)
        self._pending: list[Call] = []  # oldest first
        self._gone: WeakSet[QObject] = WeakSet()
        self._status, self._active = "", 0
        self._closed = False
        self._waiting = False  # whether answers were put off
        self._over.connect(self._deliver, Qt.ConnectionType.QueuedConnection)

    @property
    def active(self) -> int:
        """The number of pending calls."""
        return len(self._pending)

    @property
    def status(self) -> str:
        """The status of the newest pending call that has one, or ''."""
        return next((call.status for call in reversed(self._pending) if call.status), "")

    @property
    def writes(self) -> list[Call]:
        """The pending writes that have a status: files of the user, not settings and the like."""
        return [call for call in self._pending if call.target is not None and call.status]

    def waits(self, owner: QObject, key: Hashable = None) -> bool:
        """Return whether a call of this owner is pending; with a `key`, a call of that key."""
        return any(call.owner is owner and key in (None, call.key) for call in self._pending)

    def run(
        self,
        work: Callable[[], T],
        done: Callable[[T], None],
        failed: Callable[[str], object],
        owner: QObject | None = None,
        status: str = "",
    ) -> None:
        """Call `work` on a thread, then `done` with its result, or `failed` with the line of its TesseraError."""
        self._make(Call(work, done, failed, owner, status))

    def latest(
        self,
        owner: QObject,
        key: Hashable,
        work: Callable[[], T],
        done: Callable[[T], None],
        failed: Callable[[str], object],
        status: str = "",
        about: object = None,
    ) -> None:
        """Like `run`, but only the newest call of an owner and key is answered; it replaces the pending one.

        If the pending call is `about` the same thing, it stays and no new one is made.
        """
        if about is not None and any(c.owner is owner and c.key == key and c.about == about for c in self._pending):
            return
        self._drop([call for call in self._pending if call.owner is owner and call.key == key])
        self._make(Call(work, done, failed, owner, status, key, about))

    def in_turn(
        self,
        owner: QObject,
        work: Callable[[], T],
        done: Callable[[T], None],
        failed: Callable[[str], object],
        status: str = "",
    ) -> None:
        """Like `run`, but answered only after all earlier calls of the owner."""
        self._make(Call(work, done, failed, owner, status, in_turn=True))

    def write(
        self,
        target: Hashable,
        work: Callable[[], T],
        done: Callable[[T], None],
        failed: Callable[[str], object],
        owner: QObject | None = None,
        status: str = "",
        about: object = None,
    ) -> None:
        """Like `run`, on separate threads that no read occupies. Neither `drop` nor `close` cancels a write.

        Writes to one target run in order. If the owner is gone, a failure emits `lost`.
        """
        self._make(Call(work, done, failed, owner, status, about=about, target=target))

    def drop(self, owner: QObject, key: Hashable = None) -> None:
        """Close an owner: drop its pending reads and ignore new calls. With a `key`, only drop reads of that key."""
        if key is None:
            self._gone.add(owner)
        self._drop([call for call in self._pending if call.owner is owner and key in (None, call.key)])

    def close(self) -> None:
        """Ignore new calls and drop all answers. Writes continue; `finish` waits for them."""
        self._closed = True
        self._readers.stop(drop=True)
        self._writers.stop(drop=False)

    def finish(self, seconds: float) -> list[str]:
        """Wait for the writes, for at most `seconds`; return the targets that are still not written."""
        self._writers.wait(seconds)
        return [str(call.target) for call in self._pending if call.target is not None and not call.over]

    def ended(self, seconds: float) -> bool:
        """Return whether all threads become idle within `seconds`, including those that run dropped calls."""
        return self._readers.wait(seconds) and self._writers.wait(0.0)

    # -- inside

    def _make(self, call: Call) -> None:
        if self._closed or self._is_gone(call.owner):
            return
        self._pending.append(call)
        self._tell()
        self._start(call)

    def _start(self, call: Call) -> None:
        workers = self._readers if call.target is None else self._writers
        workers.put(partial(self._work, call), call.target)

    def _work(self, call: Call) -> None:
        """Perform a call, on a thread."""
        perform(call)
        if not self._closed and not call.dropped:
            self._over.emit(call)

    def _deliver(self, call: Call | None) -> None:
        if call is not None:
            call.delivered = True
        self._answer_soon()

    def _answer_soon(self) -> None:
        """Answer now if the interface is not busy, else later."""
        if not self._waiting:
            self._waiting = self._put_off(self, self._answer_waiting)
            if not self._waiting:
                self._answer()

    def _answer_waiting(self) -> None:
        self._waiting = False
        self._answer()

    def _answer(self) -> None:
        """Answer the first delivered call that need not wait for others, then the next ones."""
        call = next((each for each in self._pending if each.delivered and self._is_due(each)), None)
        if call is None or self._closed:
            return
        self._pending.remove(call)
        self._tell()
        try:
            self._give(call)
        finally:
            call.forget()
            self._answer_soon()

    def _is_due(self, call: Call) -> bool:
        before = self._pending[: self._pending.index(call)]
        return not call.in_turn or not any(each.owner is call.owner and each.target is None for each in before)

    def _give(self, call: Call) -> None:
        failed = self.lost.emit if self._is_gone(call.owner) else call.failed
        if call.failure:
            failed(call.failure)
        elif call.error is not None:
            failed(f"Internal error: {type(call.error).__name__}: {call.error}; please report it")
            raise call.error
        elif not self._is_gone(call.owner):
            call.done(call.result)

    def _drop(self, calls: list[Call]) -> None:
        """Remove reads; calls that waited for them are answered from the event loop."""
        reads = [call for call in calls if call.target is None]
        for call in reads:
            call.dropped = True
            self._pending.remove(call)
        if reads:
            self._tell()
            self._over.emit(None)

    def _is_gone(self, owner: QObject | None) -> bool:
        return owner is not None and (not isValid(owner) or owner in self._gone)

    def _tell(self) -> None:
        active, status = self.active, self.status
        if active != self._active:
            self._active = active
            self.active_changed.emit(active)
        if status != self._status:
            self._status = status
            self.status_changed.emit(status)


def _nothing(*_: object) -> None:
    pass


def perform(call: Call) -> None:
    """Run the work of a call unless it was dropped, and store its result or error."""
    try:
        if not call.dropped:
            call.result = call.work()
    except TesseraError as error:
        call.failure = str(error)
    except Exception as error:  # noqa: BLE001 (reported on the interface thread, whatever it is)
        call.error = error
    call.over = True


class Workers:
    """Up to `most` threads, started on demand. Calls with the same key run one after the other.

    The threads are daemons, so that a disk that does not respond can't keep the process alive.
    """

    def __init__(self, name: str, most: int) -> None:
        self._name, self._most = name, most
        self._changed = threading.Condition()
        self._waiting: list[_Waiting] = []
        self._running: list[Hashable] = []  # the keys of the running calls
        self._threads = self._idle = 0
        self._stopped = False

    def put(self, call: Callable[[], None], key: Hashable = None) -> None:
        """Queue a call that does not raise. Calls without a key run concurrently."""
        with self._changed:
            self._waiting.append((object() if key is None else key, call))
            if self._idle < len(self._waiting) and self._threads < self._most:
                self._threads += 1
                threading.Thread(target=self._run, name=f"{self._name}-{self._threads}", daemon=True).start()
            self._changed.notify_all()

    def stop(self, drop: bool) -> None:
        """End the threads once the queue is empty; with `drop`, empty it now."""
        with self._changed:
            self._stopped = True
            if drop:
                self._waiting.clear()
            self._changed.notify_all()

    def wait(self, seconds: float) -> bool:
        """Wait for at most `seconds` until no call is queued or running; return whether that is so."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._waiting and not self._running, seconds)

    def _run(self) -> None:
        lower_priority()
        while (found := self._take()) is not None:
            key, call = found
            try:
                call()
            finally:
                with self._changed:
                    self._running.remove(key)
                    self._changed.notify_all()
            del found, key, call  # while the thread waits for the next, the result of this one must not stay in memory

    def _take(self) -> _Waiting | None:
        """Wait for a call that can start and return it; None when the thread should end."""
        with self._changed:
            self._idle += 1
            self._changed.wait_for(lambda: self._stopped or self._next() is not None)
            self._idle -= 1
            found = self._next()
            if found is not None:
                self._waiting.remove(found)
                self._running.append(found[0])
            return found

    def _next(self) -> _Waiting | None:
        """Return the first queued call whose key is not running, or None."""
        return next((each for each in self._waiting if each[0] not in self._running), None)
