"""The memory of images on a device: handles, their total, and the hooks that a backend implements."""

from __future__ import annotations

import logging
import math
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from engine.compute.handles import ImageHandle, MemoryStats, PlanarImage
from engine.errors import HandleError, OutOfDeviceMemory

if TYPE_CHECKING:
    from engine.compute.planar import PlanarFormat


LOG = logging.getLogger("tessera")
STORAGES = (np.dtype(np.float16), np.dtype(np.float32))
"""Sample types of stored images. Arithmetic is float32 for both."""
AnyImage = TypeVar("AnyImage", ImageHandle, PlanarImage)


class ImageMemory(ABC):
    """Transfers images to and from a device, and counts them. Thread-safe.

    With a `memory_limit` (bytes), an image that would make the total exceed it raises OutOfDeviceMemory.
    """

    name: str
    priority: int
    """The backend with the highest priority is selected; operations between two backends run on the lower one, which is
    the more compatible."""

    def __init__(self, memory_limit: int | None = None) -> None:
        self.memory_limit = memory_limit
        self._lock = threading.RLock()
        self._stats = MemoryStats()

    def upload(self, pixels: NDArray[Any]) -> ImageHandle:
        """Upload (height, width, 3|4) pixels of float16 or float32 and return their handle.

        The CPU backend does not copy: leave the array unchanged while the handle exists.
        """
        if pixels.ndim != 3 or pixels.shape[2] not in (3, 4) or 0 in pixels.shape:
            raise HandleError(f"an image has the shape (height, width, 3 or 4), not {pixels.shape}")
        if pixels.dtype not in STORAGES:
            raise HandleError(f"pixels are float16 or float32, not {pixels.dtype}")
        return self._handle(lambda: self._import(pixels), pixels.shape, pixels.dtype)

    def allocate(self, width: int, height: int, channels: int = 4, dtype: Any = np.float32) -> ImageHandle:
        """Allocate an image with undefined pixels and return its handle."""
        shape, kind = (height, width, channels), np.dtype(dtype)
        return self._handle(lambda: self._new_buffer(shape, kind), shape, kind)

    def download(self, handle: ImageHandle, into: NDArray[Any] | None = None) -> NDArray[Any]:
        """Return the image as an array: `into`, or a new one; without `into` the CPU returns the handle's own array."""
        if into is not None and (into.shape, into.dtype) != (handle.shape, handle.dtype):
            raise HandleError(f"an image of {handle.shape} can't go into an array of {into.shape}")
        return self._export(self._own(handle), into)

    def upload_planes(self, planes: Sequence[NDArray[Any]], format: PlanarFormat) -> PlanarImage:
        """Upload the planes of a frame as they are and return its handle. Rows may have gaps between them.

        The CPU backend does not copy: leave the arrays unchanged while the handle exists. Raises HandleError if the
        planes are not those of the format.
        """
        checked = format.checked(planes)
        size = self._planes_footprint(format)
        return self._counted(size, lambda: PlanarImage(self, self._import_planes(checked, format), format, size))

    def download_planes(self, image: PlanarImage) -> tuple[NDArray[Any], ...]:
        """Return the planes of a frame, (rows, columns) or for Cb with Cr (rows, columns, 2); the CPU's own arrays."""
        planes = self._export_planes(self._own(image))
        return tuple(plane[:, :, 0] if plane.shape[2] == 1 else plane for plane in planes)

    def free(self, handle: ImageHandle | PlanarImage) -> None:
        """Free the memory of an image now. Raises HandleError if it was freed before."""
        self._owned(handle)
        handle.free()

    def reusing_memory(self) -> AbstractContextManager[None]:
        """Return a context in which memory of freed images may be kept for others: never more than was used before."""
        return self._reusing_memory()

    def memory_stats(self) -> MemoryStats:
        return self._stats

    def synchronize(self) -> None:
        """Wait until all work submitted so far is done."""
        self._wait()

    # -- internals

    def _handle(self, make: Callable[[], Any], shape: tuple[int, ...], dtype: np.dtype[Any]) -> ImageHandle:
        height, width, channels = shape
        size = self._footprint((height, width, channels), dtype)
        return self._counted(size, lambda: ImageHandle(self, make(), (height, width, channels), dtype, size))

    def _counted(self, size: int, make: Callable[[], AnyImage]) -> AnyImage:
        """Return the handle that `make` returns, of memory of a size, which is counted before it is allocated."""
        self._count(size, 1)
        try:
            return make()
        except BaseException:
            self._count(-size, -1)
            raise

    def _count(self, size: int, images: int) -> None:
        with self._lock:
            live = self._stats.live + size
            if size > 0 and self.memory_limit is not None and live > self.memory_limit:
                raise OutOfDeviceMemory(f"{self.name}: the limit of {self.memory_limit / 2**20:.3g} MB is reached")
            self._stats = MemoryStats(live, max(live, self._stats.peak), self._stats.count + images)

    def _release(self, buffer: Any, size: int) -> None:
        self._drop_buffer(buffer)
        self._count(-size, -1)

    def _footprint(self, shape: tuple[int, int, int], dtype: np.dtype[Any]) -> int:
        """Return the bytes that an image takes on the device."""
        return math.prod(shape) * dtype.itemsize

    def _planes_footprint(self, format: PlanarFormat) -> int:
        """Return the bytes that a planar frame takes on the device."""
        return format.nbytes

    def _own(self, handle: AnyImage) -> AnyImage:
        """Return a handle that lies here and is not freed. Raises HandleError for others."""
        self._owned(handle)
        _ = handle.buffer
        return handle

    def _owned(self, handle: ImageHandle | PlanarImage) -> None:
        if handle.primitives is not self:
            raise HandleError(f"the image lies on {handle.primitives.name}, not on {self.name}", "use handle.to()")

    def _moved_here(self, handle: AnyImage) -> AnyImage:
        """Return a source on this backend; one on a backend of higher priority is converted and logged."""
        if handle.primitives is self or handle.primitives.priority < self.priority:
            return self._own(handle)
        LOG.info("an image on %s is converted to %s", handle.primitives.name, self.name)
        return handle.to(self)

    # -- hooks

    @abstractmethod
    def _new_buffer(self, shape: tuple[int, int, int], dtype: np.dtype[Any]) -> Any:
        """Allocate memory for an image. Raises OutOfDeviceMemory."""

    @abstractmethod
    def _drop_buffer(self, buffer: Any) -> None:
        """Free the memory of a buffer."""

    @abstractmethod
    def _import(self, pixels: NDArray[Any]) -> Any:
        """Return a buffer with these pixels."""

    @abstractmethod
    def _export(self, handle: ImageHandle, into: NDArray[Any] | None) -> NDArray[Any]:
        """Return the pixels of a handle, in `into` if it is given."""

    @abstractmethod
    def _new_planes(self, format: PlanarFormat) -> Any:
        """Allocate memory for the planes of a frame. Raises OutOfDeviceMemory."""

    @abstractmethod
    def _import_planes(self, planes: Sequence[NDArray[Any]], format: PlanarFormat) -> Any:
        """Return a buffer with these planes, of (rows, columns, samples)."""

    @abstractmethod
    def _export_planes(self, image: PlanarImage) -> Sequence[NDArray[Any]]:
        """Return the planes of a frame, as (rows, columns, samples)."""

    def _reusing_memory(self) -> AbstractContextManager[None]:
        """See `reusing_memory`; by default nothing more is kept."""
        return nullcontext()

    @abstractmethod
    def _wait(self) -> None:
        """Wait for the device."""
