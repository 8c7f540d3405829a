"""A pool of device memory: buffers of freed images, kept for the next image of the same size."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from typing import Any


class Pool:
    """A pool of buffers. Reusing a buffer of the same size is free; a new one has to be allocated and cleared."""

    def __init__(self, create: Callable[[int], Any]) -> None:
        self._create = create
        self._kept: deque[Any] = deque()
        self._lock = threading.Lock()

    @property
    def size(self) -> int:
        """The size of all kept buffers in bytes."""
        return sum(buffer.size for buffer in list(self._kept))

    def take(self, size: int) -> Any:
        with self._lock:
            for buffer in list(self._kept):
                if buffer.size == size:
                    self._kept.remove(buffer)
                    return buffer
        return self._create(size)

    def give(self, buffer: Any) -> None:
        """Keep a buffer. It takes no lock, since it is called wherever the last reference to an image is dropped."""
        self._kept.append(buffer)

    def shrink(self, budget: int) -> None:
        """Destroy the oldest buffers until the rest takes at most `budget` bytes."""
        with self._lock:
            while self._kept and self.size > budget:
                self._kept.popleft().destroy()
