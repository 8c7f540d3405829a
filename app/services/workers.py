"""Daemon threads that run calls from a queue."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable

_Waiting = tuple[Hashable, Callable[[], None]]


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
        while (found := self._take()) is not None:
            key, call = found
            try:
                call()
            finally:
                with self._changed:
                    self._running.remove(key)
                    self._changed.notify_all()

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
