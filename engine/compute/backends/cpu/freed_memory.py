"""Memory of freed images, which the next images of the same size take: the system clears the pages of new memory, which
takes up to a quarter of the time of frames with side images.
"""

from __future__ import annotations

import math
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

LEAST = 1 << 20
"""The fewest bytes of an image whose memory is kept: below, allocating costs little."""
MOST = 384 * 1024**2
"""The most bytes that are kept: enough for the images of a frame at 1920 x 1080 that those of the next one replace."""


class FreedMemory:
    """Makes arrays. Within `kept()`, the memory of those that no reference is left to is kept. Thread-safe."""

    def __init__(self) -> None:
        self._kept: deque[NDArray[np.uint8]] = deque()
        self._users = 0
        self._lock = threading.Lock()

    @property
    def nbytes(self) -> int:
        """The bytes that are kept."""
        return sum(memory.nbytes for memory in list(self._kept))

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Keep memory until the outermost of these contexts is left."""
        with self._lock:
            self._users += 1
        try:
            yield
        finally:
            with self._lock:
                self._users -= 1
                if not self._users:
                    self._kept.clear()

    def clear(self) -> None:
        """Free what is kept."""
        with self._lock:
            self._kept.clear()

    def array(self, shape: tuple[int, ...], dtype: np.dtype[Any], budget: int) -> NDArray[Any]:
        """Return an array with undefined values. No more than `budget` bytes stay kept if it needs new memory.

        Raises MemoryError.
        """
        size = math.prod(shape) * dtype.itemsize
        if size < LEAST or not self._users:
            return np.empty(shape, dtype)
        return np.asarray(_Lent(self, self._memory(size, budget), shape, dtype))

    def give(self, memory: NDArray[np.uint8]) -> None:
        """Keep memory. It takes no lock, since it is called wherever the last reference to an array is dropped."""
        if self._users and self.nbytes + memory.nbytes <= MOST:
            self._kept.append(memory)
            if not self._users:  # another thread has left the last context since
                self._kept.clear()

    def _memory(self, size: int, budget: int) -> NDArray[np.uint8]:
        with self._lock:
            for number, memory in enumerate(list(self._kept)):
                if memory.nbytes == size:
                    del self._kept[number]
                    return memory
            while self._kept and self.nbytes > budget:
                self._kept.popleft()
        return np.empty(size, np.uint8)


class _Lent:
    """The owner of the memory of an array, and of all arrays that are parts of it."""

    def __init__(self, owner: FreedMemory, memory: NDArray[np.uint8], shape: tuple[int, ...], dtype: Any) -> None:
        self._owner, self._memory = owner, memory
        place = memory.ctypes.data, False
        self.__array_interface__ = {"shape": shape, "typestr": dtype.str, "data": place, "version": 3}

    def __del__(self) -> None:
        self._owner.give(self._memory)
