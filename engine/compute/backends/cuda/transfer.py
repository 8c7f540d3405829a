"""Transfers of images between main memory and the device, in pieces through persistent pinned buffers.

Several threads copy pieces concurrently: while one waits for the bus, others fill or empty their buffers. This also
spreads the page faults of a new result over the cores.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue
from typing import Any

import cupy
import numpy as np
from numpy.typing import NDArray

from engine.core.system import usable_cores

PIECE_BYTES = 8 * 1024**2
"""Large enough for full bus speed, small enough for the CPU cache."""
MAX_THREADS = 8


class _Worker:
    """A pinned buffer with a stream of its own."""

    def __init__(self) -> None:
        self.buffer: NDArray[np.uint8] = np.frombuffer(
            cupy.cuda.alloc_pinned_memory(PIECE_BYTES), np.uint8, PIECE_BYTES
        )
        self.stream = cupy.cuda.Stream(non_blocking=True)

    def staged(self, rows: NDArray[Any]) -> NDArray[Any]:
        """Return the beginning of the buffer, with the shape and type of `rows`."""
        return self.buffer[: rows.nbytes].view(rows.dtype).reshape(rows.shape)


class Transfers:
    """Copies images to and from one device. Both directions return when the copy is done."""

    def __init__(self, device: int) -> None:
        self._device = device
        self._threads = max(1, min(MAX_THREADS, usable_cores()))
        self._pool = ThreadPoolExecutor(self._threads, "tessera-cuda")
        self._workers: SimpleQueue[_Worker | None] = SimpleQueue()
        for _ in range(self._threads):
            self._workers.put(None)

    def upload(self, pixels: NDArray[Any], target: Any, ready: Any) -> None:
        """Copy the rows of an array to device memory after the event `ready`."""

        def piece(worker: _Worker, top: int, bottom: int) -> None:
            worker.stream.wait_event(ready)
            rows = pixels[top:bottom]
            staged = worker.staged(rows)
            np.copyto(staged, rows)
            at = target.data.ptr + top * target.nbytes // target.shape[0]
            cupy.cuda.runtime.memcpyAsync(
                at, staged.ctypes.data, rows.nbytes, cupy.cuda.runtime.memcpyHostToDevice, worker.stream.ptr
            )
            worker.stream.synchronize()

        self._in_pieces(pixels, piece)

    def download(self, source: Any, result: NDArray[Any], ready: Any) -> None:
        """Copy device memory to an array after the event `ready`."""

        def piece(worker: _Worker, top: int, bottom: int) -> None:
            worker.stream.wait_event(ready)
            rows = result[top:bottom]
            staged = worker.staged(rows)
            at = source.data.ptr + top * source.nbytes // source.shape[0]
            cupy.cuda.runtime.memcpyAsync(
                staged.ctypes.data, at, rows.nbytes, cupy.cuda.runtime.memcpyDeviceToHost, worker.stream.ptr
            )
            worker.stream.synchronize()
            np.copyto(rows, staged)

        self._in_pieces(result, piece)

    def _in_pieces(self, pixels: NDArray[Any], piece: Callable[[_Worker, int, int], None]) -> None:
        row = pixels.itemsize * pixels.shape[1] * pixels.shape[2]
        if row > PIECE_BYTES:
            raise ValueError(f"a row of {row} bytes is larger than a piece")
        step = PIECE_BYTES // row

        def work(top: int) -> None:
            with cupy.cuda.Device(self._device):
                worker = self._workers.get() or _Worker()
                try:
                    piece(worker, top, min(top + step, pixels.shape[0]))
                finally:
                    self._workers.put(worker)

        tops = range(0, pixels.shape[0], step)
        if len(tops) == 1:
            work(0)
        else:
            for _ in self._pool.map(work, tops):
                pass

    def trim(self) -> None:
        """Free the pinned buffers that are not in use."""
        for _ in range(self._threads):
            if self._workers.empty():
                return
            self._workers.get()
            self._workers.put(None)
