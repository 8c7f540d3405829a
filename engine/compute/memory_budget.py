"""What images that are exported at once share: one limit of memory, and one number of threads at work."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from engine.errors import Cancelled

ASK_SECONDS = 0.2
"""How often one who waits asks whether to go on."""


class MemoryBudget:
    """`memory` bytes and `threads` cores for `workers` exports at once, each of which runs in a thread of its own.

    `held` are bytes that the process held before; they are no part of `memory`. There may be more lanes than threads,
    so that one waits for the disk while the others compute.
    """

    def __init__(self, memory: int, threads: int, workers: int, held: int = 0) -> None:
        self.memory, self.share, self.held = memory, memory // workers, held
        self.cores = threading.BoundedSemaphore(threads)
        self._free = memory
        self._changed = threading.Condition()

    @contextmanager
    def taken(self, size: int, cancelled: Callable[[], bool] | None = None) -> Iterator[None]:
        """So many bytes of the memory, at most all of it, as soon as they are free. May raise Cancelled."""
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
