"""The memory and threads shared by concurrent exports."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from engine.errors import Cancelled

ASK_SECONDS = 0.2
"""The interval at which waiting exports check for cancellation."""


class MemoryBudget:
    """Shares `memory` bytes and `threads` cores among `workers` concurrent exports, each in a thread of its own.

    `held` are the bytes that the process used before, which are not part of `memory`. There may be more workers than
    threads, so that one waits for the disk while the others compute.
    """

    def __init__(self, memory: int, threads: int, workers: int, held: int = 0) -> None:
        self.memory, self.share, self.held = memory, memory // workers, held
        self.cores = threading.BoundedSemaphore(threads)
        self._free = memory
        self._changed = threading.Condition()

    @contextmanager
    def taken(self, size: int, cancelled: Callable[[], bool] | None = None) -> Iterator[None]:
        """Wait for `size` bytes of the memory, at most all of it, and reserve them. Raises Cancelled."""
        size = min(size, self.memory)
        with self._changed:
            while self._free < size:
                if cancelled is not None and cancelled():
                    raise Cancelled()
                self._changed.wait(ASK_SECONDS)
            self._free -= size
        try:
            yield
        finally:
            with self._changed:
                self._free += size
                self._changed.notify_all()
