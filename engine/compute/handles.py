"""Handles of device images and planar frames, which are counted and freed with their last reference."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from engine.compute.plan import PixelFormat
from engine.core.records import dataclass
from engine.errors import HandleError

if TYPE_CHECKING:
    from engine.compute.planar import PlanarFormat


class Owner(Protocol):
    """The interface that a handle needs of the backend of its image."""

    name: str
    priority: int

    def upload(self, pixels: NDArray[Any]) -> ImageHandle: ...

    def download(self, handle: ImageHandle, into: NDArray[Any] | None = None) -> NDArray[Any]: ...

    def upload_planes(self, planes: Sequence[NDArray[Any]], format: PlanarFormat) -> PlanarImage: ...

    def download_planes(self, image: PlanarImage) -> tuple[NDArray[Any], ...]: ...

    def _release(self, buffer: Any, size: int) -> None: ...


@dataclass(frozen=True)
class MemoryStats:
    """Bytes of all current images, their peak so far, and the number of current images."""

    live: int = 0
    peak: int = 0
    count: int = 0


@dataclass(frozen=True)
class _Allocation:
    """The memory of a handle; separate from the handle, so that it can be released after the handle is gone."""

    primitives: Owner
    buffer: Any
    size: int

    def release(self) -> None:
        self.primitives._release(self.buffer, self.size)


class Handle:
    """Memory on a device. It is freed with its last reference, or earlier by `free()`; later uses raise HandleError."""

    def __init__(self, primitives: Owner, buffer: Any, nbytes: int) -> None:
        self.nbytes = nbytes
        self.primitives = primitives
        self._buffer = buffer
        self._finalizer = weakref.finalize(self, _Allocation(primitives, buffer, nbytes).release)

    @property
    def buffer(self) -> Any:
        """The backend's memory of the image. Raises HandleError if the image was freed."""
        if not self._finalizer.alive:
            raise HandleError("the image was freed before this use")
        return self._buffer

    def free(self) -> None:
        """Free the memory now. Raises HandleError if it was freed before."""
        if not self._finalizer.alive:
            raise HandleError("the image was freed twice")
        self._finalizer()
        self._buffer = None


class ImageHandle(Handle):
    """An image on a device: (height, width, channels) of `dtype`."""

    def __init__(self, primitives: Owner, buffer: Any, shape: tuple[int, int, int], dtype: Any, nbytes: int) -> None:
        self.height, self.width, self.channels = shape
        self.dtype = np.dtype(dtype)
        super().__init__(primitives, buffer, nbytes)

    @property
    def shape(self) -> tuple[int, int, int]:
        return self.height, self.width, self.channels

    @property
    def format(self) -> PixelFormat:
        return PixelFormat(self.dtype, self.channels)

    def to(self, primitives: Owner) -> ImageHandle:
        """Return the image on another backend, or this handle if it is already there."""
        return self if primitives is self.primitives else primitives.upload(self.primitives.download(self))


class PlanarImage(Handle):
    """A frame in planes on a device, as it came from a decoder or goes to an encoder."""

    def __init__(self, primitives: Owner, buffer: Any, format: PlanarFormat, nbytes: int) -> None:
        self.format = format
        super().__init__(primitives, buffer, nbytes)

    def to(self, primitives: Owner) -> PlanarImage:
        """Return the frame on another backend, or this handle if it is already there."""
        if primitives is self.primitives:
            return self
        return primitives.upload_planes(self.primitives.download_planes(self), self.format)
