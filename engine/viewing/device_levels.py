"""Images whose compressed chunks are decoded on the device that shows them: main memory never holds their pixels."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from engine.compute.backends.base import GpuPrimitives
from engine.compute.chunks import ChunkCodec
from engine.compute.handles import ImageHandle
from engine.compute.streaming import Pixels
from engine.core.geometry import Rect
from engine.errors import BackendError
from engine.io.source import FileSource, read_whole
from engine.viewing.device_room import room_of
from engine.viewing.levels import Levels

Decode = Callable[[ChunkCodec], ImageHandle | None]
"""Decodes an image on a device; None if the device can't, or if the file is damaged or has changed."""


class DeviceLevels(Levels):
    """A file that is decoded on the device, on its first use or ahead by `decode_ahead`.

    `open_source` opens the file for reading through main memory: for values of single pixels, and for devices that do
    not decode it. The file is then read with its damaged regions as 0.
    """

    stored = range(1)
    complete = True

    def __init__(
        self, open_source: Callable[[], FileSource], decode: Decode, shape: tuple[int, int, int], dtype: Any
    ) -> None:
        self.height, self.width, self.channels = shape
        self.dtype = np.dtype(dtype)
        self._open, self._decode = open_source, decode
        self._source: FileSource | None = None
        self._pixels: Pixels | None = None
        self._handle: ImageHandle | None = None
        self._on_error: Callable[[str], None] = lambda line: None
        self._device_lock, self._file_lock = threading.Lock(), threading.Lock()
        self._refused = False
        self.resting = False
        """Whether the image was shown before, and is not now."""

    @property
    def used(self) -> int:
        pixels = self._pixels
        return 0 if pixels is None else pixels.nbytes

    def decode_ahead(self, codec: ChunkCodec) -> bool:
        """Decode the image, if there is room on the device; return False if that shows that the host must read it."""
        if not room_of(codec).admit(self, self.device_bytes):
            return True
        with self._device_lock:
            self._handle = self._decode(codec)
            return self._handle is not None

    @property
    def device_bytes(self) -> int:
        """Bytes of the pixels on the device."""
        return self.width * self.height * self.channels * self.dtype.itemsize

    def on_device(self, primitives: GpuPrimitives, level: int) -> tuple[int, ImageHandle] | None:
        codec = primitives.chunk_codec
        if codec is None or self._refused:
            return None
        with self._device_lock:
            handle = self._handle
            if handle is None or handle.primitives is not primitives:
                handle = self._decode(codec)
                self._refused = handle is None
                keeps = handle is not None and room_of(codec).admit(self, self.device_bytes)
                self._handle = handle if keeps else None
            return None if handle is None else (0, handle)

    def leave_device(self) -> None:
        """Give up the pixels on the device; they are decoded again when they are needed."""
        self._handle = None

    def whole(self, level: int) -> Pixels:
        handle = self._handle
        if handle is not None:
            try:
                return handle.primitives.download(handle)
            except BackendError:
                self.leave_device()
        pixels = self._pixels
        if pixels is None:
            pixels = self._pixels = self._read(self._read_whole)
        return pixels

    def _read_whole(self, source: FileSource) -> Pixels:
        pixels = read_whole(source).pixels
        if source.holes.pixels:
            self._on_error(f"{source.path.name} is damaged; only its intact regions are shown")
        return pixels

    def region(self, level: int, rect: Rect) -> tuple[Pixels, bool]:
        return self.exact(rect), True

    def exact(self, rect: Rect) -> Pixels:
        return self._read(lambda source: source.read_region(rect))

    def _read(self, what: Callable[[FileSource], Pixels]) -> Pixels:
        """Return what is read from the file, which stays open until the next `rest`."""
        with self._file_lock:
            if self._source is None:
                self._source = self._open()
            try:
                return what(self._source)
            finally:
                if self.resting:
                    self._close()

    def _close(self) -> None:
        """Close the file. The caller holds its lock."""
        if self._source is not None:
            self._source.close()
        self._source = None

    def watch(self, on_change: Callable[[], None], on_error: Callable[[str], None]) -> None:
        self._on_error, self.resting = on_error, False

    def rest(self, wait_seconds: float = 0.0) -> None:
        """Close the file, or let the thread that reads it do so, and free what can be read again."""
        self._on_error, self.resting, self._refused, self._pixels = (lambda line: None), True, False, None
        if self._file_lock.acquire(blocking=False):
            try:
                self._close()
            finally:
                self._file_lock.release()

    def set_budget(self, budget: int) -> None:
        """Do nothing: the pixels lie on the device."""

    def want(self, level: int, rect: Rect) -> None:
        """Do nothing: the image is complete."""
