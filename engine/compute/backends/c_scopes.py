"""Scopes of an image, counted on the device by scopes.cu."""

from __future__ import annotations

import math
import threading
from contextlib import AbstractContextManager
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from engine.compute.backends.c_texts import LUMA_HEAD, Language
from engine.compute.handles import ImageHandle
from engine.compute.statistics import Axis

THREADS = 256
SHARE = 8
"""Threads take so many times the pixels of other kernels, since they count together."""
LOCAL_BYTES = 48 * 1024
"""Local memory that blocks have on every device without opting in."""


class Backend(Protocol):
    """The interface that scopes need of the backend of their device."""

    language: ClassVar[Language]
    _lock: threading.RLock
    _most_blocks: int

    def _device(self) -> AbstractContextManager[None]: ...

    def _small(self, array: NDArray[Any]) -> Any: ...

    def _read(self, buffer: Any, into: NDArray[Any]) -> NDArray[Any]: ...

    def _kernel(self, file: str, name: str, head: dict[str, Any]) -> Any: ...

    def _launch(
        self, kernel: Any, blocks: int, threads: int, arguments: tuple[Any, ...], local_bytes: int = 0
    ) -> None: ...


class Scopes:
    """Computes the scopes of `GpuPrimitives` on one device."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend

    def histogram(self, handle: ImageHandle, axis: Axis) -> NDArray[np.uint32]:
        if 16 * axis.bins > LOCAL_BYTES:
            return np.ascontiguousarray(self.waveform(handle, 1, axis)[:, :, 0])
        return self._counts("histogram", handle, (4, axis.bins), _axis_numbers(axis), 16 * axis.bins)

    def waveform(self, handle: ImageHandle, columns: int, axis: Axis) -> NDArray[np.uint32]:
        numbers = (np.uint32(handle.width), np.uint32(columns), *_axis_numbers(axis))
        return self._counts("waveform", handle, (4, axis.bins, columns), numbers)

    def vectorscope(self, handle: ImageHandle, size: int, extent: float) -> NDArray[np.uint32]:
        return self._counts("vectorscope", handle, (size, size), (np.int32(size), np.float32(extent)))

    def _counts(
        self, name: str, handle: ImageHandle, shape: tuple[int, ...], numbers: tuple[Any, ...], local_bytes: int = 0
    ) -> NDArray[np.uint32]:
        backend, pixels = self._backend, handle.width * handle.height
        blocks = min(-(-pixels // THREADS), max(backend._most_blocks // SHARE, 1))
        with backend._device(), backend._lock:
            counts = backend._small(np.zeros((math.prod(shape), 1, 1), np.uint32))
            kernel = backend._kernel("scopes.cu", name, backend.language.image_head(handle) | LUMA_HEAD)
            arguments = (handle.buffer, np.uint32(pixels), *numbers, counts)
            backend._launch(kernel, blocks, THREADS, arguments, local_bytes)
            return backend._read(counts, np.empty((math.prod(shape), 1, 1), np.uint32)).reshape(shape)


def _axis_numbers(axis: Axis) -> tuple[Any, ...]:
    return np.int32(axis.bins), np.float32(axis.start), np.float32(axis.scale), np.int32(axis.log2)
