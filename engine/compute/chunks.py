"""Compressed EXR chunks on a device: what a backend that decodes and encodes them works on.

The samples of a part, or of a band of it, lie on the device as *lines*: for each row of pixels from the top, for each
channel in file order, `width` samples of 2 (half) or 4 bytes (float, uint), little-endian, without gaps. That is the
layout of EXR's own uncompressed scanlines, so that channels that nobody touches keep their bits. Tiled parts lie in the
same layout. Which chunks there are, and in which order they are read and written, is decided in `engine.io`.
"""

from __future__ import annotations

import weakref
from abc import ABC, abstractmethod
from enum import IntEnum
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.compute.handles import ImageHandle, Owner
from engine.compute.memory_budget import MemoryBudget
from engine.core.records import dataclass
from engine.errors import HandleError

SAMPLE_BYTES = {"half": 2, "float": 4, "uint": 4}
"""Bytes of a sample of each channel type."""
CODED = ("none", "rle", "zips", "zip")
"""The compressions of chunks that a codec may know."""
LARGEST_CHUNK = 1 << 28
"""The most bytes of a chunk, packed or unpacked: positions of its bits fit 32 bits."""
Place = int | None
"""The channel of the lines that a component of an image is made from; None stands for 0."""


class Verdict(IntEnum):
    """What a codec found out about a chunk. Chunks that are not GOOD have undefined samples."""

    GOOD = 0
    DAMAGED = 1
    """Not a valid stream, or one of another size than the part's header says."""
    WRONG_SUM = 2
    """A valid stream of the right size whose checksum is not that of its bytes."""


@dataclass(frozen=True)
class LineLayout:
    """The layout of lines: size in pixels, and (name, type) of each channel in file order."""

    width: int
    height: int
    channels: tuple[tuple[str, str], ...]

    @cached_property
    def sample_bytes(self) -> tuple[int, ...]:
        """Bytes of a sample of each channel."""
        return tuple(SAMPLE_BYTES[kind] for _, kind in self.channels)

    @cached_property
    def pixel_bytes(self) -> int:
        """Bytes of a pixel in all channels."""
        return sum(self.sample_bytes)

    @cached_property
    def starts(self) -> tuple[int, ...]:
        """The byte in a line at which each channel begins."""
        return tuple(self.width * sum(self.sample_bytes[:n]) for n in range(len(self.channels)))

    @property
    def line_bytes(self) -> int:
        """Bytes of one row of pixels."""
        return self.width * self.pixel_bytes

    @property
    def nbytes(self) -> int:
        """Bytes of all rows."""
        return self.line_bytes * self.height

    def place(self, name: str) -> int:
        """Return the number of the channel with this name. Raises KeyError if there is none."""
        for number, (mine, _) in enumerate(self.channels):
            if mine == name:
                return number
        raise KeyError(name)


@dataclass(frozen=True)
class ChunkPlaces:
    """The pixels of each chunk: its left column and top row in the lines, its width and height. Arrays of int32."""

    x: NDArray[np.int32]
    y: NDArray[np.int32]
    width: NDArray[np.int32]
    height: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.x)

    def part(self, chosen: Any) -> ChunkPlaces:
        """Return some chunks: a slice, or an array of their numbers."""
        return ChunkPlaces(self.x[chosen], self.y[chosen], self.width[chosen], self.height[chosen])

    def sizes(self, layout: LineLayout) -> NDArray[np.int64]:
        """Return the unpacked bytes of each chunk."""
        return self.width.astype(np.int64) * self.height * layout.pixel_bytes

    def inside(self, layout: LineLayout) -> bool:
        """Return whether every chunk has pixels, and only pixels of the lines."""
        wide, high = self.width.astype(np.int64), self.height.astype(np.int64)
        starts = bool((self.x >= 0).all() and (self.y >= 0).all() and (wide > 0).all() and (high > 0).all())
        return starts and bool((self.x + wide <= layout.width).all() and (self.y + high <= layout.height).all())


def check_same(one: LineLayout, other: LineLayout, names: tuple[str, ...]) -> None:
    """Raise HandleError unless both layouts have the same size, and these channels with the same types."""
    types = [dict(layout.channels) for layout in (one, other)]
    same = (one.width, one.height) == (other.width, other.height)
    if not same or any(name not in types[0] or types[0][name] != types[1].get(name) for name in names):
        raise HandleError("these lines don't have the same size and channels")


def block_places(width: int, height: int, across: int, down: int) -> ChunkPlaces:
    """Return an image of these pixels in chunks of `across` x `down`, row by row; the last of each are smaller."""
    x, y = np.arange(0, width, across, dtype=np.int64), np.arange(0, height, down, dtype=np.int64)
    left, top = (grid.ravel() for grid in np.meshgrid(x, y))
    right, bottom = np.minimum(left + across, width), np.minimum(top + down, height)
    return ChunkPlaces(*(each.astype(np.int32) for each in (left, top, right - left, bottom - top)))


@dataclass(frozen=True)
class ChunkTable:
    """Chunks in a buffer of packed bytes: where each begins (any alignment), its packed bytes, and its pixels.

    A chunk whose packed size is its unpacked size is stored raw, whatever the compression.
    """

    compression: str
    offsets: NDArray[np.int64]
    packed_sizes: NDArray[np.int64]
    places: ChunkPlaces

    def __len__(self) -> int:
        return len(self.offsets)

    def part(self, chosen: Any) -> ChunkTable:
        """Return some chunks: a slice, or an array of their numbers."""
        return ChunkTable(self.compression, self.offsets[chosen], self.packed_sizes[chosen], self.places.part(chosen))


@dataclass(frozen=True)
class PackedChunks:
    """Encoded chunks in host memory: chunk n is `data[offsets[n] : offsets[n] + sizes[n]]`, as stored in a file.

    A chunk that would not shrink is stored raw: its size is then its unpacked size.
    """

    data: NDArray[np.uint8]
    offsets: NDArray[np.int64]
    sizes: NDArray[np.int64]


@dataclass(frozen=True)
class _LineMemory:
    """The memory of lines; separate from them, so that it can be released after they are gone."""

    owner: Owner
    buffer: Any
    nbytes: int

    def release(self) -> None:
        self.owner._release(self.buffer, self.nbytes)


class Lines:
    """Samples on a device, (height, line_bytes) bytes of `layout`.

    Like images they are counted, and freed with the last reference, or earlier by `free()`.
    """

    def __init__(self, owner: Owner, buffer: Any, layout: LineLayout) -> None:
        self.owner, self.layout = owner, layout
        self._buffer = buffer
        self._finalizer = weakref.finalize(self, _LineMemory(owner, buffer, layout.nbytes).release)

    @property
    def buffer(self) -> Any:
        """The backend's memory of the lines. Raises HandleError if it was freed."""
        if not self._finalizer.alive:
            raise HandleError("the lines were freed before this use")
        return self._buffer

    def free(self) -> None:
        """Free the memory now. Raises HandleError if it was freed before."""
        if not self._finalizer.alive:
            raise HandleError("the lines were freed twice")
        self._finalizer()
        self._buffer = None


@dataclass(frozen=True)
class DecodedChunks:
    """Lines, and a Verdict for each chunk of the table, as an array of int32."""

    lines: Lines
    verdicts: NDArray[np.int32]

    @property
    def good(self) -> bool:
        """Whether every chunk is good."""
        return not self.verdicts.any()


class ChunkCodec(ABC):
    """Decodes and encodes chunks on a device; the attribute `chunk_codec` of a backend that can. Thread-safe.

    Calls of several threads overlap: each thread works in an order of its own, and a call returns when its work is done
    and the host buffers it was given are free again; `image` and `put` take their turn in the backend's order, so that
    other verbs of the backend may follow at once. Every call raises OutOfDeviceMemory if the device, or the backend's
    memory limit, has no room, and DeviceLost if the device fails.
    """

    def __init__(self, memory: int) -> None:
        self.room = MemoryBudget(memory, 1, 1)
        """The device memory that concurrent frames share."""

    prepared = True
    """Whether chunks are decoded without compiling anything."""

    def prepare(self) -> None:  # noqa: B027 (a codec without kernels has nothing to compile)
        """Compile what decodes chunks, which can take some seconds. Raises KernelError."""

    @abstractmethod
    def host_buffer(self, nbytes: int) -> NDArray[np.uint8]:
        """Return host memory with undefined bytes that moves to and from the device at full speed."""

    @abstractmethod
    def new_lines(self, layout: LineLayout) -> Lines:
        """Return lines with undefined samples."""

    @abstractmethod
    def decode(self, packed: NDArray[np.uint8], table: ChunkTable, layout: LineLayout) -> DecodedChunks:
        """Decode chunks into new lines; pixels that no chunk covers are undefined.

        Nothing that `packed` holds makes the device read or write elsewhere. Raises HandleError if the table does not
        fit the buffer or the layout.
        """

    @abstractmethod
    def image(self, lines: Lines, places: tuple[Place, ...], dtype: Any) -> ImageHandle:
        """Return an image of 3 or 4 components made from channels of the lines, in float16 or float32.

        Samples become the nearest value of `dtype`; those of uint channels are divided by 2**32 - 1.
        """

    @abstractmethod
    def put(self, handle: ImageHandle, lines: Lines, places: tuple[Place, ...]) -> None:
        """Write the components of an image into channels of half or float of lines of the same size.

        A component whose place is None is not written. Values become the nearest of the channel's type.
        """

    @abstractmethod
    def copy(self, source: Lines, target: Lines, names: tuple[str, ...]) -> None:
        """Copy channels, bit for bit, to lines of the same size that have them with the same types."""

    @abstractmethod
    def encode(self, lines: Lines, places: ChunkPlaces, compression: str, gap: int = 0) -> PackedChunks:
        """Encode the chunks at these places, in this order, with `gap` undefined bytes before each."""

    @abstractmethod
    def download(self, lines: Lines, into: NDArray[np.uint8] | None = None) -> NDArray[np.uint8]:
        """Return the samples as (height, line_bytes) bytes in host memory: `into`, or a new array."""

    @abstractmethod
    def upload(self, samples: NDArray[np.uint8], layout: LineLayout) -> Lines:
        """Return lines with these (height, line_bytes) bytes."""

    @abstractmethod
    def decoding_bytes(self, layout: LineLayout, packed: int) -> int:
        """Return the most device memory that `decode` takes for `packed` bytes, lines included."""

    @abstractmethod
    def encoding_bytes(self, layout: LineLayout, places: ChunkPlaces) -> int:
        """Return the most device memory that `encode` takes for chunks, in addition to the lines."""
