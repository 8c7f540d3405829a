"""Images on a device, counted, and freed with their last reference."""

from __future__ import annotations

import weakref
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from engine.compute.plan import PixelFormat
from engine.errors import HandleError


class Owner(Protocol):
    """What a handle needs of the backend that its image lies on."""

    name: str
    priority: int

    def upload(self, pixels: NDArray[Any]) -> ImageHandle: ...

    def download(self, handle: ImageHandle, into: NDArray[Any] | None = None) -> NDArray[Any]: ...

    def _release(self, buffer: Any, size: int) -> None: ...


@dataclass(frozen=True)
class MemoryStats:
    """Bytes of images alive now, the most there ever were at once, and how many images are alive."""

    live: int = 0
    peak: int = 0
    count: int = 0


@dataclass(frozen=True)
class _Holding:
    """What a handle holds; apart from the handle, so that it can be released when the handle is gone."""

    primitives: Owner
    buffer: Any
    size: int

    def release(self) -> None:
        self.primitives._release(self.buffer, self.size)


class ImageHandle:
    """An image on a device: (height, width, channels) of `dtype`.

    It is freed with the last reference to it, or before by `free()`; using it afterwards is a HandleError.
    """

    def __init__(self, primitives: Owner, buffer: Any, shape: tuple[int, int, int], dtype: Any, nbytes: int) -> None:
        self.height, self.width, self.channels = shape
        self.dtype = np.dtype(dtype)
        self.nbytes = nbytes
        self.primitives = primitives
        self._buffer = buffer
        self._finalizer = weakref.finalize(self, _Holding(primitives, buffer, nbytes).release)

    @property
    def shape(self) -> tuple[int, int, int]:
        return self.height, self.width, self.channels

    @property
    def format(self) -> PixelFormat:
        return PixelFormat(self.dtype, self.channels)

    @property
    def buffer(self) -> Any:
        """What the backend keeps the image in."""
        if not self._finalizer.alive:
            raise HandleError("the image was freed before this use")
        return self._buffer

    def free(self) -> None:
        """Give the memory back now."""
        if not self._finalizer.alive:
            raise HandleError("the image was freed twice")
        self._finalizer()
        self._buffer = None

    def to(self, primitives: Owner) -> ImageHandle:
        """The same image on another backend; this handle where it is there already."""
        return self if primitives is self.primitives else primitives.upload(self.primitives.download(self))
