"""CpuPrimitives. Code that most runs do not need is imported, and so loaded from the cache, where it is called."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import psutil
from numpy.typing import NDArray

from engine.backends.base import DISPLAY, GpuPrimitives, ImageHandle
from engine.backends.cpu.bands import WORK, run_band
from engine.backends.cpu.intrinsics import BYTE, FLOAT, HALF
from engine.backends.cpu.kernels import KernelStore
from engine.errors import OutOfDeviceMemory
from engine.filters import Taps
from engine.machine import processor_name, usable_cores
from engine.op import ColorOp, Table
from engine.scopes import Axis, Statistics
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
    priority = 10

    def __init__(self, threads: int = 0, memory_limit: int | None = None) -> None:
        super().__init__(memory_limit)
        self.threads = threads or usable_cores()
        self.device = f"{processor_name()}, {self.threads} threads"
        self.limits = GpuLimits.with_vram(memory_limit or psutil.virtual_memory().available, MAX_SIDE)
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

    def _export(self, handle: ImageHandle, into: NDArray[Any] | None) -> NDArray[Any]:
        array: NDArray[Any] = handle.buffer
        if into is None:
            return array
        np.copyto(into, array)
        return into

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
        from engine.backends.cpu.filters import filter_rows

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

    def _trim(self) -> None:
        with self._lock:
            self._tables.clear()

    def _run_statistics(self, handle: ImageHandle) -> Statistics:
        from engine.backends.cpu.reductions import statistics_rows

        def reduce(geometry: NDArray[np.int64]) -> tuple[NDArray[Any], NDArray[Any]]:
            values = np.tile(np.array([np.inf, -np.inf, 0.0]), (handle.channels, 1))
            counts = np.zeros((handle.channels, 4), np.int64)
            statistics_rows(geometry, values, counts)
            return values, counts

        values, counts = (np.stack(part) for part in zip(*self._reduce(handle, reduce), strict=True))
        least, largest = values[:, :, 0].min(0), values[:, :, 1].max(0)
        totals, (finite, nan, inf, negative) = values[:, :, 2].sum(0), counts.sum(0).T
        empty = finite == 0
        return Statistics(
            *(tuple(np.where(empty, np.nan, x).tolist()) for x in (least, largest, totals / np.maximum(finite, 1))),
            *(tuple(x.tolist()) for x in (nan, inf, negative)),
        )

    def _run_histogram(self, handle: ImageHandle, axis: Axis) -> NDArray[np.uint32]:
        return np.ascontiguousarray(self._run_waveform(handle, 1, axis)[:, :, 0])

    def _run_waveform(self, handle: ImageHandle, columns: int, axis: Axis) -> NDArray[np.uint32]:
        from engine.backends.cpu.reductions import waveform_rows

        ends = np.array([axis.start, axis.scale], np.float32)

        def reduce(geometry: NDArray[np.int64]) -> NDArray[np.uint32]:
            counts = np.zeros((4, axis.bins, columns), np.uint32)
            waveform_rows(np.append(geometry, int(axis.log2)), ends, counts)
            return counts

        return sum_of(self._reduce(handle, reduce))

    def _run_vectorscope(self, handle: ImageHandle, size: int, extent: float) -> NDArray[np.uint32]:
        from engine.backends.cpu.reductions import vectorscope_rows

        def reduce(geometry: NDArray[np.int64]) -> NDArray[np.uint32]:
            counts = np.zeros((size, size), np.uint32)
            vectorscope_rows(geometry, np.float32(extent), counts)
            return counts

        return sum_of(self._reduce(handle, reduce))

    def _reduce(self, handle: ImageHandle, reduce: Callable[[NDArray[np.int64]], Any]) -> list[Any]:
        """One answer for each thread's share of the rows."""
        step = -(-handle.height // self.threads)
        ends = [*_layout(handle.buffer), handle.width]
        rows = [(top, min(top + step, handle.height)) for top in range(0, handle.height, step)]
        return list(self._pool.map(lambda part: reduce(np.array([*ends, *part], np.int64)), rows))

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


def sum_of(counts: list[NDArray[np.uint32]]) -> NDArray[np.uint32]:
    """Counts added up."""
    total: NDArray[np.uint32] = np.sum(counts, axis=0, dtype=np.uint32)
    return total


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
