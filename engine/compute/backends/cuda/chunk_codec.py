"""CudaChunkCodec: EXR chunks on a CUDA device, and what lies between lines and images."""

from __future__ import annotations

import threading
from contextlib import AbstractContextManager
from typing import Any, Protocol

import cupy
import numpy as np
from numpy.typing import NDArray

import shaders
from engine.compute.backends.c_texts import lines_of
from engine.compute.backends.cuda.chunk_decoding import ChunkDecoder
from engine.compute.backends.cuda.chunk_encoding import StreamEncoder, deflating_blocks
from engine.compute.backends.cuda.chunk_queues import Queue, Queues
from engine.compute.chunk_encoding import encode, encoding_bytes
from engine.compute.chunks import (
    ChunkCodec,
    ChunkPlaces,
    ChunkTable,
    DecodedChunks,
    LineLayout,
    Lines,
    PackedChunks,
    Place,
    check_same,
)
from engine.compute.handles import ImageHandle, Owner
from engine.core.geometry import GpuLimits
from engine.errors import HandleError

TYPES = {"half": 1, "float": 2, "uint": 3}
"""The numbers of channel types in `exr_images.cu`."""
THREADS = 256
BLOCKS_PER_PROCESSOR = 32
STORAGE = {np.dtype(np.float16): "__half", np.dtype(np.float32): "float"}


class Backend(Owner, Protocol):
    """The interface that the codec needs of the backend of its device."""

    limits: GpuLimits
    _pool: Any
    _stream: Any
    _lock: threading.RLock
    _processors: int

    def allocate(self, width: int, height: int, channels: int = 4, dtype: Any = np.float32) -> ImageHandle: ...

    def _device(self) -> AbstractContextManager[None]: ...

    def _new_buffer(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Any: ...

    def _count(self, size: int, images: int) -> None: ...

    def _compiled(self, file: str, text: str) -> Any: ...


class CudaChunkCodec(ChunkCodec):
    """The codec of one CUDA device."""

    def __init__(self, primitives: Backend) -> None:
        super().__init__(primitives.limits.available_memory)
        self._primitives = primitives
        self.queues = Queues(primitives._device, primitives._pool, primitives._stream)
        self._modules: dict[tuple[Any, ...], Any] = {}
        self._lock = threading.Lock()
        self._decoder = ChunkDecoder(self.module, primitives.limits.available_memory)
        self.prepared = False

    def module(self, name: str, head: dict[str, Any], text: str) -> Any:
        """Return a compiled module, which is kept."""
        key = (name, *head.items())
        with self._lock:
            if key not in self._modules:
                self._modules[key] = self._primitives._compiled(name, lines_of(head) + text)
            return self._modules[key]

    def prepare(self) -> None:
        with self._primitives._device():
            self._decoder.prepare()
            for kind in STORAGE.values():
                for components in (3, 4):
                    self._mover(kind, components)
        self.prepared = True

    def trim(self) -> None:
        """Free memory that is only kept for reuse."""
        self.queues.trim()

    # -- memory

    def host_buffer(self, nbytes: int) -> NDArray[np.uint8]:
        return self.queues.host_buffer(nbytes)

    def new_lines(self, layout: LineLayout) -> Lines:
        primitives = self._primitives
        primitives._count(layout.nbytes, 1)
        try:
            buffer = primitives._new_buffer((layout.nbytes,), np.dtype(np.uint8))
            return Lines(primitives, buffer, layout)
        except BaseException:
            primitives._count(-layout.nbytes, -1)
            raise

    def download(self, lines: Lines, into: NDArray[np.uint8] | None = None) -> NDArray[np.uint8]:
        layout = lines.layout
        result = np.empty((layout.height, layout.line_bytes), np.uint8) if into is None else into
        if result.shape != (layout.height, layout.line_bytes) or not result.flags.c_contiguous:
            raise HandleError(f"lines of {layout.height} x {layout.line_bytes} bytes can't go into {result.shape}")
        with self.queues.queue() as queue:
            queue.copy(result.ctypes.data, lines.buffer.data.ptr, layout.nbytes)
        return result

    def upload(self, samples: NDArray[np.uint8], layout: LineLayout) -> Lines:
        if samples.shape != (layout.height, layout.line_bytes) or samples.dtype != np.uint8:
            raise HandleError(f"{samples.shape} bytes are not lines of {layout.height} x {layout.line_bytes}")
        lines, rows = self.new_lines(layout), np.ascontiguousarray(samples)
        with self.queues.queue() as queue:
            queue.copy(lines.buffer.data.ptr, rows.ctypes.data, layout.nbytes)
        return lines

    # -- chunks

    def decode(self, packed: NDArray[np.uint8], table: ChunkTable, layout: LineLayout) -> DecodedChunks:
        lines = self.new_lines(layout)
        with self.queues.queue() as queue:
            return DecodedChunks(lines, self._decoder.decode(queue, packed, table, layout, lines.buffer))

    def decoding_bytes(self, layout: LineLayout, packed: int) -> int:
        return layout.nbytes + packed + 2 * min(layout.nbytes, self._decoder.batch_bytes)

    def copy(self, source: Lines, target: Lines, names: tuple[str, ...]) -> None:
        self._own(source, target)
        check_same(source.layout, target.layout, names)
        with self.queues.queue() as queue:
            for name in names:
                _copy_channel(queue, (source.buffer, source.layout), (target.buffer, target.layout), name)

    def encode(self, lines: Lines, places: ChunkPlaces, compression: str, gap: int = 0) -> PackedChunks:
        self._own(lines)
        with self.queues.queue() as queue:
            device = StreamEncoder(queue, self.module, self._primitives._processors, self.host_buffer)
            return encode(device, lines.buffer, lines.layout, places, compression, gap)

    def encoding_bytes(self, layout: LineLayout, places: ChunkPlaces) -> int:
        return encoding_bytes(layout, places, deflating_blocks(self._primitives._processors))

    # -- images

    def image(self, lines: Lines, places: tuple[Place, ...], dtype: Any) -> ImageHandle:
        self._own(lines)
        layout = lines.layout
        handle = self._primitives.allocate(layout.width, layout.height, len(places), dtype)
        self._move("gather", lines, handle, places, (lines.buffer, handle.buffer))
        return handle

    def put(self, handle: ImageHandle, lines: Lines, places: tuple[Place, ...]) -> None:
        self._own(lines)
        if handle.primitives is not self._primitives:
            raise HandleError("an image of another device can't be written into lines")
        layout = lines.layout
        if handle.shape != (layout.height, layout.width, len(places)):
            raise HandleError(f"an image of {handle.shape} does not fit lines of {layout.width} x {layout.height}")
        if any(place is not None and layout.channels[place][1] == "uint" for place in places):
            raise HandleError("an image can't be written into channels of integers")
        self._move("scatter", lines, handle, places, (handle.buffer, lines.buffer))

    def _own(self, *all_lines: Lines) -> None:
        """Raise HandleError for lines of another device."""
        if any(lines.owner is not self._primitives for lines in all_lines):
            raise HandleError("the lines lie on another device")

    def _move(
        self, name: str, lines: Lines, handle: ImageHandle, places: tuple[Place, ...], buffers: tuple[Any, Any]
    ) -> None:
        """Run a kernel between lines and an image, in the order of the backend's other work."""
        primitives, layout = self._primitives, lines.layout
        channels = np.zeros((), [("of", [("start", "<u8"), ("type", "<i4"), ("unused", "<i4")], (handle.channels,))])
        for n, place in enumerate(places):
            if place is not None:
                channels["of"][n] = layout.starts[place], TYPES[layout.channels[place][1]], 0
        blocks = -(-layout.width * layout.height // THREADS)
        size = (np.uint32(layout.width), np.uint32(layout.height), np.uint64(layout.line_bytes))
        with primitives._device(), primitives._lock:
            kernel = self._mover(STORAGE[handle.dtype], handle.channels).get_function(name)
            blocks = min(blocks, primitives._processors * BLOCKS_PER_PROCESSOR)
            kernel((blocks,), (THREADS,), (*buffers, *size, channels), stream=primitives._stream)

    def _mover(self, storage: str, components: int) -> Any:
        """Return the kernels between lines and images of this storage."""
        head = {"IMAGE": storage, "COMPONENTS": components}
        return self.module("exr_images.cu", head, shaders.text("exr_images.cu"))


def _copy_channel(queue: Queue, source: tuple[Any, LineLayout], target: tuple[Any, LineLayout], name: str) -> None:
    """Copy a channel between lines of one size, bit for bit."""
    (from_, before), (to, after) = source, target
    mine, other = after.place(name), before.place(name)
    cupy.cuda.runtime.memcpy2DAsync(
        to.data.ptr + after.starts[mine],
        after.line_bytes,
        from_.data.ptr + before.starts[other],
        before.line_bytes,
        after.width * after.sample_bytes[mine],
        after.height,
        cupy.cuda.runtime.memcpyDeviceToDevice,
        queue.stream.ptr,
    )
