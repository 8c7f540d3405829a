"""Statistics and scopes of an image, computed on the device."""

from __future__ import annotations

import threading
from contextlib import AbstractContextManager
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from engine.compute.backends.cuda.kernel_texts import LUMA_HEAD, STORAGE
from engine.compute.handles import ImageHandle
from engine.compute.statistics import Axis, Statistics

THREADS = 256
BLOCKS_PER_PROCESSOR = 8
SHARED_BYTES = 48 * 1024
"""Shared memory available to every block without opting in."""


class Backend(Protocol):
    """The interface that reductions need of the backend of their device."""

    _stream: Any
    _lock: threading.RLock
    _processors: int

    def _device(self) -> AbstractContextManager[None]: ...

    def _small(self, array: NDArray[Any]) -> Any: ...

    def _kernel(self, file: str, name: str, head: dict[str, Any]) -> Any: ...


class Reductions:
    """Computes the reductions of `GpuPrimitives` on one device."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend

    def statistics(self, handle: ImageHandle) -> Statistics:
        backend, channels = self._backend, handle.channels
        with backend._device(), backend._lock:
            extremes = backend._small(np.array([[0x7FFFFFFF, -0x80000000]] * channels, np.int32))
            sums, counts = backend._small(np.zeros(channels)), backend._small(np.zeros((channels, 4), np.uint64))
            self._reduce("statistics", handle, (extremes, sums, counts))
            with backend._stream:
                least, largest = extremes.get().T
                totals, (finite, nan, inf, negative) = sums.get(), counts.get().astype(np.int64).T
        empty = finite == 0
        values = (_from_ordered(least), _from_ordered(largest), totals / np.maximum(finite, 1))
        return Statistics(
            *(tuple(np.where(empty, np.nan, x).tolist()) for x in values),
            *(tuple(x.tolist()) for x in (nan, inf, negative)),
        )

    def histogram(self, handle: ImageHandle, axis: Axis) -> NDArray[np.uint32]:
        if 16 * axis.bins > SHARED_BYTES:
            return np.ascontiguousarray(self.waveform(handle, 1, axis)[:, :, 0])
        return self._counts("histogram", handle, (4, axis.bins), _axis_numbers(axis), 16 * axis.bins)

    def waveform(self, handle: ImageHandle, columns: int, axis: Axis) -> NDArray[np.uint32]:
        numbers = (np.uint32(handle.width), np.uint32(columns), *_axis_numbers(axis))
        return self._counts("waveform", handle, (4, axis.bins, columns), numbers)

    def vectorscope(self, handle: ImageHandle, size: int, extent: float) -> NDArray[np.uint32]:
        return self._counts("vectorscope", handle, (size, size), (np.int32(size), np.float32(extent)))

    def _counts(
        self, name: str, handle: ImageHandle, shape: tuple[int, ...], numbers: tuple[Any, ...], shared: int = 0
    ) -> NDArray[np.uint32]:
        backend = self._backend
        with backend._device(), backend._lock:
            counts = backend._small(np.zeros(shape, np.uint32))
            self._reduce(name, handle, (*numbers, counts), shared)
            with backend._stream:
                result: NDArray[np.uint32] = counts.get()
        return result

    def _reduce(self, name: str, handle: ImageHandle, arguments: tuple[Any, ...], shared: int = 0) -> None:
        backend = self._backend
        head = {"SOURCE": STORAGE[handle.dtype], "CHANNELS": handle.channels}
        kernel = backend._kernel("reductions.cu", name, head | LUMA_HEAD)
        pixels = handle.width * handle.height
        blocks = min(-(-pixels // THREADS), backend._processors * BLOCKS_PER_PROCESSOR)
        kernel(
            (blocks,),
            (THREADS,),
            (handle.buffer, np.uint64(pixels), *arguments),
            shared_mem=shared,
            stream=backend._stream,
        )


def _axis_numbers(axis: Axis) -> tuple[Any, ...]:
    return np.int32(axis.bins), np.float32(axis.start), np.float32(axis.scale), np.int32(axis.log2)


def _from_ordered(ordered: NDArray[np.int32]) -> NDArray[np.float64]:
    """Convert ordered integers back to floats."""
    bits = np.where(ordered < 0, ordered ^ 0x7FFFFFFF, ordered).astype(np.int32)
    return bits.view(np.float32).astype(np.float64)
