"""Statistics and scopes of an image, computed on the device."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.compute.backends.base import ImageHandle
from engine.compute.backends.wgpu.device import Batch, Device, spread, whole
from engine.compute.backends.wgpu.kernels import KernelStore
from engine.compute.backends.wgpu.numbers import CONSTANTS, ScopeNumbers, StatisticsNumbers, words
from engine.compute.backends.wgpu.transfers import Transfers
from engine.compute.statistics import PART_SHAPE, Axis, Statistics, statistics_of

THREADS, STATISTICS_THREADS = 256, 128
PER_THREAD, MOST_GROUPS = 64, 4096
"""Pixels per invocation, and the limit of workgroups, beyond which invocations take more pixels."""
LOCAL_BINS = 1024
"""A histogram of up to this many bins is counted in each workgroup first."""


class Reductions:
    """Computes the reductions of `GpuPrimitives` on one device."""

    def __init__(self, device: Device, kernels: KernelStore, transfers: Transfers) -> None:
        self._device, self._kernels, self._transfers = device, kernels, transfers

    def statistics(self, handle: ImageHandle) -> Statistics:
        kernel = self._kernels.fixed("statistics", handle.dtype)
        found = []
        for chunk in handle.buffer.chunks:
            pixels = (chunk.bottom - chunk.top) * handle.width
            groups = _few_groups(pixels, STATISTICS_THREADS)
            parts = self._zeros(groups * math.prod(PART_SHAPE))
            batch = Batch(self._device)
            numbers = batch.values(words(*StatisticsNumbers(pixels, groups)))
            batch.add(kernel, (groups, 1), whole(chunk.buffer), whole(parts), numbers)
            batch.submit()
            found.append(self._transfers.fetch(parts).reshape(-1, *PART_SHAPE))
            parts.destroy()
        return statistics_of(np.concatenate(found)[:, :, : handle.channels])

    def histogram(self, handle: ImageHandle, axis: Axis) -> NDArray[np.uint32]:
        if axis.bins > LOCAL_BINS:
            return np.ascontiguousarray(self.waveform(handle, 1, axis)[:, :, 0])
        return self._count("histogram", handle, (4, axis.bins), 1, axis)

    def waveform(self, handle: ImageHandle, columns: int, axis: Axis) -> NDArray[np.uint32]:
        return self._count("waveform", handle, (4, axis.bins, columns), columns, axis)

    def vectorscope(self, handle: ImageHandle, size: int, extent: float) -> NDArray[np.uint32]:
        scale = np.float32(size) / (np.float32(2.0) * np.float32(extent))
        return self._count("vectorscope", handle, (size, size), 0, None, (size, -extent, float(scale)))

    def _count(
        self,
        entry: str,
        handle: ImageHandle,
        shape: tuple[int, ...],
        columns: int,
        axis: Axis | None,
        place: tuple[int, float, float] | None = None,
    ) -> NDArray[np.uint32]:
        """Return counts of this shape; `place` is (bins, start, scale) if they are not those of an axis."""
        bins, start, scale = place or (axis.bins, axis.start, axis.scale)  # type: ignore[union-attr]
        total = int(np.prod(shape))
        counts = self._zeros(total)
        kernel = self._kernels.fixed(entry, handle.dtype)
        batch = Batch(self._device)
        in_stops = axis is not None and axis.log2
        for chunk in handle.buffer.chunks:
            pixels = (chunk.bottom - chunk.top) * handle.width
            groups = (_few_groups(pixels, THREADS), 1) if entry == "histogram" else spread(pixels, THREADS)
            invocations = pixels, groups[0] * THREADS, *CONSTANTS
            numbers = ScopeNumbers(*invocations, handle.width, bins, columns, in_stops, float(start), float(scale))
            batch.add(kernel, groups, whole(chunk.buffer), whole(counts), batch.values(words(*numbers)))
        batch.submit()
        result = self._transfers.fetch(counts)[:total].reshape(shape)
        counts.destroy()
        return result

    def _zeros(self, count: int) -> Any:
        """Allocate `count` words, rounded up to whole vec4."""
        return self._device.buffer(-(-count // 4) * 16, "STORAGE|COPY_SRC")


def _few_groups(pixels: int, threads: int) -> int:
    return min(-(-pixels // (threads * PER_THREAD)), MOST_GROUPS)
