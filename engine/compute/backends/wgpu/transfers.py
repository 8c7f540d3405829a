"""Transfers of pixels to and from the device, through persistent staging memory.

A transfer is split into pieces, several of which run concurrently: the host copies one while the device copies another.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.compute.backends.wgpu.device import Device

PIECE = 32 * 1024**2
LEAST_PIECE = 64 * 1024
WORKERS = 3
"""The number of concurrent pieces."""
USAGE = {"WRITE": "MAP_WRITE|COPY_SRC", "READ": "MAP_READ|COPY_DST"}


class Transfers:
    """Transfers pixels to and from one device. Thread-safe."""

    def __init__(self, device: Device) -> None:
        self._device = device
        self._kept: dict[tuple[str, int], deque[Any]] = {}
        self._lock = threading.Lock()
        self._fence = device.buffer(16, "STORAGE|COPY_SRC")
        self._workers = ThreadPoolExecutor(WORKERS, "tessera-wgpu")

    def write(self, pixels: NDArray[Any], target: Any) -> None:
        """Write (rows, width, 3|4) pixels to a buffer of RGBA pixels; RGB gets an alpha of 1."""

        def piece(top: int, stop: int) -> None:
            rows = _rgba(pixels[top:stop])
            staging = self._take("WRITE", rows.nbytes)
            with self._device.translated():
                staging.map_sync("WRITE", 0, rows.nbytes)
                staging.write_mapped(rows)
                staging.unmap()
            self._device.copy(staging, 0, target, top * rows.nbytes // len(rows), rows.nbytes)
            self._give("WRITE", staging)

        self._in_pieces(piece, len(pixels), target.size // len(pixels))

    def read(self, source: Any, pixels: NDArray[Any]) -> None:
        """Read a buffer of RGBA pixels into an array of (rows, width, 3|4)."""
        rows, width, channels = pixels.shape
        row = width * 4 * pixels.itemsize

        def piece(top: int, stop: int) -> None:
            size = (stop - top) * row
            staging = self._take("READ", size)
            self._device.copy(source, top * row, staging, 0, size)
            with self._device.translated():
                staging.map_sync("READ", 0, size)
                mapped = np.frombuffer(staging.read_mapped(0, size, copy=False), pixels.dtype)
                np.copyto(pixels[top:stop], mapped.reshape(stop - top, width, 4)[:, :, :channels])
                del mapped
                staging.unmap()
            self._give("READ", staging)

        self._in_pieces(piece, rows, row)

    def fetch(self, source: Any) -> NDArray[np.uint32]:
        """Return the content of a small buffer."""
        words = np.empty((1, source.size // 16, 4), np.uint32)
        self.read(source, words)
        return words.ravel()

    def fence(self) -> None:
        """Wait until all submitted work is done, by reading a few bytes after it."""
        self.fetch(self._fence)

    def trim(self) -> None:
        """Free the staging memory that is not in use."""
        with self._lock:
            idle = [staging for kept in self._kept.values() for staging in kept]
            self._kept.clear()
        for staging in idle:
            staging.destroy()

    def _in_pieces(self, piece: Callable[[int, int], None], rows: int, row: int) -> None:
        step = max(1, PIECE // row)
        if step >= rows:
            piece(0, rows)
            return
        pieces = [self._workers.submit(piece, top, min(top + step, rows)) for top in range(0, rows, step)]
        wait(pieces)  # even if one fails: none may access either side's memory afterwards
        for done in pieces:
            done.result()

    def _take(self, direction: str, size: int) -> Any:
        """Return staging memory of at least `size` bytes, reused or new."""
        size = max(LEAST_PIECE, 1 << (size - 1).bit_length())
        with self._lock:
            kept = self._kept.setdefault((direction, size), deque())
            if kept and (direction == "READ" or len(kept) >= WORKERS):
                return kept.popleft()
        return self._device.buffer(size, USAGE[direction])

    def _give(self, direction: str, staging: Any) -> None:
        with self._lock:
            self._kept.setdefault((direction, staging.size), deque()).append(staging)


def _rgba(rows: NDArray[Any]) -> NDArray[Any]:
    if rows.shape[2] == 4:
        return np.ascontiguousarray(rows)
    filled = np.ones((*rows.shape[:2], 4), rows.dtype)
    filled[:, :, :3] = rows
    return filled
