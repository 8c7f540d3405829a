"""Statistics and scopes of an image: each thread reduces its share of the rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from engine.compute.backends.cpu.buffers import buffer_of
from engine.compute.backends.cpu.kernels import function
from engine.compute.backends.cpu.layout import Rows, ScopeRows, int64s
from engine.compute.backends.cpu.threads import Threads
from engine.compute.handles import ImageHandle

if TYPE_CHECKING:
    from engine.compute.statistics import Axis, Statistics


class Reductions:
    """Computes the reductions of `GpuPrimitives` on a pool of threads."""

    def __init__(self, pool: Threads) -> None:
        self._pool = pool

    def statistics(self, handle: ImageHandle) -> Statistics:
        from engine.compute.statistics import Statistics

        statistics_rows = function("reductions", "statistics_rows", 3)

        def reduce(rows: Rows) -> tuple[NDArray[Any], NDArray[Any]]:
            values = np.tile(np.array([np.inf, -np.inf, 0.0]), (handle.channels, 1))
            counts = np.zeros((handle.channels, 4), np.int64)
            geometry = int64s(rows)
            statistics_rows(geometry.ctypes.data, values.ctypes.data, counts.ctypes.data)
            return values, counts

        values, counts = (np.stack(part) for part in zip(*self._reduce(handle, reduce), strict=True))
        least, largest = values[:, :, 0].min(0), values[:, :, 1].max(0)
        totals, (finite, nan, inf, negative) = values[:, :, 2].sum(0), counts.sum(0).T
        empty = finite == 0
        return Statistics(
            *(tuple(np.where(empty, np.nan, x).tolist()) for x in (least, largest, totals / np.maximum(finite, 1))),
            *(tuple(x.tolist()) for x in (nan, inf, negative)),
        )

    def histogram(self, handle: ImageHandle, axis: Axis) -> NDArray[np.uint32]:
        return np.ascontiguousarray(self.waveform(handle, 1, axis)[:, :, 0])

    def waveform(self, handle: ImageHandle, columns: int, axis: Axis) -> NDArray[np.uint32]:
        waveform_rows = function("reductions", "waveform_rows", 3)
        ends = np.array([axis.start, axis.scale], np.float32)

        def reduce(rows: Rows) -> NDArray[np.uint32]:
            counts = np.zeros((4, axis.bins, columns), np.uint32)
            geometry = int64s(ScopeRows(rows, axis.bins, columns, axis.log2))
            waveform_rows(geometry.ctypes.data, ends.ctypes.data, counts.ctypes.data)
            return counts

        return sum_of(self._reduce(handle, reduce))

    def vectorscope(self, handle: ImageHandle, size: int, extent: float) -> NDArray[np.uint32]:
        vectorscope_rows = function("reductions", "vectorscope_rows", 3)
        ends = np.array([extent], np.float32)

        def reduce(rows: Rows) -> NDArray[np.uint32]:
            counts = np.zeros((size, size), np.uint32)
            geometry = int64s(ScopeRows(rows, size, 0, 0))
            vectorscope_rows(geometry.ctypes.data, ends.ctypes.data, counts.ctypes.data)
            return counts

        return sum_of(self._reduce(handle, reduce))

    def _reduce(self, handle: ImageHandle, reduce: Callable[[Rows], Any]) -> list[Any]:
        """Return one result for each thread's share of the rows."""
        step, source = -(-handle.height // self._pool.count), buffer_of(handle.buffer)
        tops = range(0, handle.height, step)
        rows = [Rows(source, handle.width, top, min(top + step, handle.height)) for top in tops]
        return self._pool.map(reduce, rows)


def sum_of(counts: list[NDArray[np.uint32]]) -> NDArray[np.uint32]:
    """Return the sum of counts."""
    total: NDArray[np.uint32] = np.sum(counts, axis=0, dtype=np.uint32)
    return total
