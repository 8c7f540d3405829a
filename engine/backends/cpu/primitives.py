"""CpuPrimitives."""

from __future__ import annotations

import os
import platform
from collections import OrderedDict
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import psutil
from numpy.typing import NDArray

from engine.backends.base import DISPLAY, GpuPrimitives, ImageHandle
from engine.backends.cpu.bands import WORK, run_band
from engine.backends.cpu.filters import filter_rows
from engine.backends.cpu.intrinsics import BYTE, FLOAT, HALF
from engine.backends.cpu.kernels import KernelStore
from engine.errors import OutOfDeviceMemory
from engine.filters import Taps
from engine.op import ColorOp, Table
from engine.tables import packed
from engine.tiling import GpuLimits

BANDS_PER_THREAD = 8
"""So many bands share the work evenly; more cost more than they even out."""
BAND_PIXELS = (16384, 1 << 20)
"""Least and most pixels of a band, whatever the picture."""
PAST_CACHE_BYTES = 64 * 1024**2
"""A result of at least so many bytes is written past the cache: it would not stay there."""
KEPT_TABLES = 32
"""Tables kept in the layout of the kernels, most recently used last."""
MAX_SIDE = 1 << 20
STORAGE = {np.dtype(np.float16): HALF, np.dtype(np.float32): FLOAT, DISPLAY: BYTE}


class CpuPrimitives(GpuPrimitives):
    """The processor. `threads` of 0 takes every core that the process may use."""

    name = "cpu"

    def __init__(self, threads: int = 0, memory: int = 0) -> None:
        super().__init__()
        self.threads = threads or usable_cores()
        self.device = f"{platform.processor() or platform.machine()}, {self.threads} threads"
        self.limits = GpuLimits.with_vram(memory or psutil.virtual_memory().available, MAX_SIDE)
        self._pool = ThreadPoolExecutor(self.threads, thread_name_prefix="tessera-cpu")
        self._kernels = KernelStore()
        self._tables: OrderedDict[Table, NDArray[Any]] = OrderedDict()

    def _new_buffer(self, shape: tuple[int, int, int], dtype: np.dtype[Any]) -> NDArray[Any]:
        try:
            return np.empty(shape, dtype)
        except MemoryError:
            raise OutOfDeviceMemory(f"there is no memory for a picture of {shape[1]} x {shape[0]}") from None

    def _drop_buffer(self, buffer: Any) -> None:
        """The array goes with its last reference."""

    def _import(self, pixels: NDArray[Any]) -> NDArray[Any]:
        return pixels if _has_plain_rows(pixels) else np.ascontiguousarray(pixels)

    def _export(self, handle: ImageHandle) -> NDArray[Any]:
        array: NDArray[Any] = handle.buffer
        return array

    def _compile(self, ops: Sequence[ColorOp]) -> None:
        for op in ops:
            self._kernels.get(op)

    def _is_compiled(self, ops: Sequence[ColorOp]) -> bool:
        return all(self._kernels.has(op) for op in ops)

    def _run_point(self, source: ImageHandle, target: ImageHandle, ops: Sequence[ColorOp]) -> None:
        kernels = [self._kernels.get(op) for op in ops]
        uniforms = [kernel.program.uniform_values([op]) for kernel, op in zip(kernels, ops, strict=True)]
        tables = [
            [self._table(table) for table in kernel.program.table_values([op])]
            for kernel, op in zip(kernels, ops, strict=True)
        ]
        lists = [np.array([table.ctypes.data for table in of_op] or [0], np.int64) for of_op in tables]
        work = (
            np.array([kernel.address for kernel in kernels], np.int64),
            np.array([values.ctypes.data for values in uniforms], np.int64),
            np.array([addresses.ctypes.data for addresses in lists], np.int64),
        )
        ends = [*_layout(source.buffer), *_layout(target.buffer)]

        pixels, past_cache = source.width * source.height, _goes_past_cache(target.buffer)
        step = self._band_pixels(pixels)

        def band(first: int) -> None:
            geometry = [*ends, source.width, first, min(first + step, pixels), past_cache]
            run_band(np.array(geometry, np.int64), *work, np.empty(WORK, np.float32))

        self._share(band, range(0, pixels, step))

    def _run_filter(self, source: ImageHandle, target: ImageHandle, columns: Taps, rows: Taps) -> None:
        ends = [_layout(picture.buffer) for picture in (source, target)]
        numbers = [n for address, storage, _, stride in ends for n in (address, storage, stride)]
        step = max(1, self._band_pixels(target.width * target.height) // target.width)

        def band(top: int) -> None:
            geometry = [*numbers, source.channels, source.width, top, min(top + step, target.height)]
            row = np.empty(source.width * source.channels, np.float32)
            taps = (columns.first, columns.count, columns.weights, rows.first, rows.count, rows.weights)
            filter_rows(np.array(geometry, np.int64), *taps, row)

        self._share(band, range(0, target.height, step))

    def _wait(self) -> None:
        """Every call returns when its work is done."""

    def _band_pixels(self, pixels: int) -> int:
        least, most = BAND_PIXELS
        return min(max(-(-pixels // (self.threads * BANDS_PER_THREAD)), least), most)

    def _share(self, band: Callable[[int], None], starts: range) -> None:
        """Run the bands on the pool; a single one here."""
        if len(starts) == 1:
            band(starts[0])
        else:
            for _ in self._pool.map(band, starts):
                pass

    def _table(self, table: Table) -> NDArray[Any]:
        with self._lock:
            if table in self._tables:
                self._tables.move_to_end(table)
                return self._tables[table]
        ready = packed(table)
        with self._lock:
            self._tables[table] = ready
            while len(self._tables) > KEPT_TABLES:
                self._tables.popitem(last=False)
        return ready


def usable_cores() -> int:
    """Cores that this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _has_plain_rows(pixels: NDArray[Any]) -> bool:
    """Whether pixels lie side by side in a row, and rows a whole number of pixels apart."""
    pixel = pixels.itemsize * pixels.shape[2]
    row, column, channel = pixels.strides
    return channel == pixels.itemsize and column == pixel and row >= pixel * pixels.shape[1] and row % pixel == 0


def _goes_past_cache(pixels: NDArray[Any]) -> bool:
    """Whether a result is too large for the cache and lies as `run_band` needs it to write past it."""
    return pixels.nbytes >= PAST_CACHE_BYTES and pixels.flags.c_contiguous and pixels.ctypes.data % 16 == 0


def _layout(pixels: NDArray[Any]) -> tuple[int, int, int, int]:
    """Address, storage, channels, pixels from row to row."""
    channels = pixels.shape[2]
    return pixels.ctypes.data, STORAGE[pixels.dtype], channels, pixels.strides[0] // (channels * pixels.itemsize)
