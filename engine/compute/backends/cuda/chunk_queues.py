"""The CUDA streams of threads that decode or encode chunks, so that their work overlaps, and memory for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import cupy
import numpy as np
from numpy.typing import NDArray

MOST_FREE = 16
"""The most pinned buffers of frames that are kept for reuse: more than are in use at the same time."""
LEAST_PINNED = 1 << 20
"""The smallest pinned buffer; sizes are rounded up, so that buffers of frames of about the same size are reused."""


class Queue:
    """A stream that one call uses at a time, and device memory that is reused in the order of that stream.

    All copies from and to the host are made from pinned memory: one of other memory keeps every thread that uses the
    device waiting until the work before it is done.
    """

    def __init__(self, pool: Any, pinned: Callable[[int], NDArray[np.uint8]]) -> None:
        self._pool, self._pinned = pool, pinned
        self._staged: list[NDArray[np.uint8]] = []
        self.stream = cupy.cuda.Stream(non_blocking=True)

    def empty(self, count: int, dtype: Any = np.uint8) -> Any:
        """Return `count` undefined elements on the device, for use on this stream only."""
        kind = np.dtype(dtype)
        with self.stream:
            return cupy.ndarray((count,), kind, self._pool.malloc(max(count * kind.itemsize, 1)))

    def sent(self, array: NDArray[Any]) -> Any:
        """Return a copy of an array on the device, made in the order of this stream."""
        raw = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
        buffer = self.empty(max(raw.size, 1))
        if raw.size:
            staged = self._pinned(raw.size)
            staged[:] = raw
            self._staged.append(staged)
            self.copy(buffer.data.ptr, staged.ctypes.data, raw.size)
        return buffer

    def copy(self, target: int, source: int, nbytes: int) -> None:
        """Copy bytes between addresses of the device, or of the device and the host, in the order of this stream."""
        cupy.cuda.runtime.memcpyAsync(target, source, nbytes, cupy.cuda.runtime.memcpyDefault, self.stream.ptr)

    def received(self, buffer: Any, count: int, dtype: Any) -> NDArray[Any]:
        """Wait for the stream, and return `count` elements of a device buffer in host memory."""
        result = np.empty(count, dtype)
        staged = self._pinned(max(result.nbytes, 1))
        if result.nbytes:
            self.copy(staged.ctypes.data, buffer.data.ptr, result.nbytes)
        self.finish()
        result.view(np.uint8)[:] = staged[: result.nbytes]
        return result

    def finish(self) -> None:
        """Wait for the stream."""
        self.stream.synchronize()
        self._staged.clear()


class Queues:
    """The queues of all threads that use one device, and pinned host memory.

    `device` makes the device current and converts CuPy's errors; `shared` is the stream on which images are made.
    """

    def __init__(self, device: Callable[[], AbstractContextManager[None]], pool: Any, shared: Any) -> None:
        self._device, self._pool, self._shared = device, pool, shared
        self._free: list[Queue] = []
        self._pinned = cupy.cuda.PinnedMemoryPool()  # for tables
        self._frames = cupy.cuda.PinnedMemoryPool()

    @contextmanager
    def queue(self) -> Iterator[Queue]:
        """Yield a queue of its own, which begins behind all work on the shared stream and is waited for."""
        with self._device():
            queue = self._taken()
            try:
                queue.stream.wait_event(self._shared.record())
                try:
                    yield queue
                finally:
                    queue.finish()
            finally:
                self._free.append(queue)

    def _taken(self) -> Queue:
        """Return the queue that was used last, whose memory fits best, or a new one if all are in use."""
        try:
            return self._free.pop()
        except IndexError:
            return Queue(self._pool, self._pinned_bytes)

    def host_buffer(self, nbytes: int) -> NDArray[np.uint8]:
        """Return pinned host memory with undefined bytes.

        Free buffers are kept for frames of about the same size, but not for those of many sizes.
        """
        with self._device():
            if self._frames.n_free_blocks() > MOST_FREE:
                self._frames.free_all_blocks()
            return np.frombuffer(self._frames.malloc(_rounded(nbytes)), np.uint8, nbytes)

    def _pinned_bytes(self, nbytes: int) -> NDArray[np.uint8]:
        return np.frombuffer(self._pinned.malloc(_rounded(nbytes)), np.uint8, nbytes)

    def trim(self) -> None:
        """Free pinned memory that is not in use."""
        self._pinned.free_all_blocks()
        self._frames.free_all_blocks()


def _rounded(nbytes: int) -> int:
    """Return a size of at least `nbytes`; there are eight sizes for each power of two."""
    step = max(LEAST_PINNED, 1 << max(0, nbytes.bit_length() - 4))
    return -(-max(nbytes, 1) // step) * step
