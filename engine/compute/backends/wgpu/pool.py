"""Device memory of images that are gone, kept for the next image of the same size."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from typing import Any


class Pool:
    """Buffers by size. Taking one costs nothing where a kept one fits: a new one is allocated and cleared."""

    def __init__(self, create: Callable[[int], Any]) -> None:
        self._create = create
        self._kept: deque[Any] = deque()
        self._lock = threading.Lock()

    @property
    def size(self) -> int:
        """Bytes that are kept."""
        return sum(buffer.size for buffer in list(self._kept))

    def take(self, size: int) -> Any:
        with self._lock:
            for buffer in list(self._kept):
                if buffer.size == size:
                    self._kept.remove(buffer)
                    return buffer
        return self._create(size)

    def give(self, buffer: Any) -> None:
        """Keep a buffer. Called wherever the last reference to an image goes, so it takes no lock."""
        self._kept.append(buffer)

    def shrink(self, budget: int) -> None:
        """Drop the longest kept until they take at most `budget` bytes."""
        with self._lock:
            while self._kept and self.size > budget:
                self._kept.popleft().destroy()
