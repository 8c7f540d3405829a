"""The order of work in which a device encodes EXR chunks: tables on the host, bytes on the device.

Chunks are cut into pieces that are compressed independently, so that all of them are made at once. The host then knows
the size of every chunk and where each piece goes, and the device puts them there, so that only compressed bytes leave
it. The kernels are in `deflate.cu` and `exr_chunks.cu`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.compute.chunks import CODED, LARGEST_CHUNK, ChunkPlaces, LineLayout, PackedChunks
from engine.core.records import dataclass
from engine.errors import HandleError

CHUNK = np.dtype(
    [("planes", "<u8"), ("target", "<u8"), ("size", "<u4"), ("raw", "<u4")]
    + [(name, "<i4") for name in ("x", "y", "width", "height")]
)
"""A chunk as the kernels know it, see `exr_chunks.cu`."""
PIECE_BYTES = 1 << 15
"""Bytes of a piece: enough that its codes take a small part of it, few enough that one frame keeps a device busy."""
BATCH_BYTES = 1 << 29
"""The most bytes of chunks that are encoded at a time, unless one has more."""
TOO_LONG = 0xFFFFFFFF
"""The number of bits of a piece that did not fit its slot."""
ADLER = 65521
ZLIB_HEADER = (0x78, 0x5E)
"""RFC 1950: deflate with a window of 32 KB, a fast algorithm."""
WARP, THREADS = 32, 256
"""Threads of the blocks of the kernels."""
FILES = {"deflate": "deflate.cu"}
"""The files of kernels that are not in `exr_chunks.cu`."""


class EncodingDevice(ABC):
    """What encoding needs of a device. Buffers are whatever the device has; work is done in the order of the calls."""

    deflating_blocks: int
    """The useful number of concurrent warps that deflate."""

    @abstractmethod
    def empty(self, nbytes: int) -> Any:
        """Return a buffer with undefined bytes."""

    @abstractmethod
    def zeros(self, nbytes: int) -> Any:
        """Return a buffer of bytes of 0."""

    @abstractmethod
    def sent(self, array: NDArray[Any]) -> Any:
        """Return a buffer with the bytes of an array."""

    @abstractmethod
    def receive(self, buffer: Any, into: NDArray[Any]) -> None:
        """Wait for the work so far, and copy the first bytes of a buffer into an array."""

    @abstractmethod
    def run(self, file: str, kernel: str, blocks: int, threads: int, arguments: tuple[Any, ...]) -> None:
        """Run a kernel of a shader file, compiled with PIECE_BYTES."""

    @abstractmethod
    def host_buffer(self, nbytes: int) -> NDArray[np.uint8]:
        """Return host memory that `receive` fills at full speed."""


@dataclass(frozen=True)
class Pieces:
    """The pieces of chunks of these sizes: the chunk of each, its first byte in it, and its bytes.

    `slots` are the words of 4 bytes at which the compressed bits of each begin, and at last their end.
    """

    counts: NDArray[np.int64]
    streams: NDArray[np.int64]
    starts: NDArray[np.int64]
    sizes: NDArray[np.int64]
    slots: NDArray[np.int64]

    @classmethod
    def of(cls, sizes: NDArray[np.int64], most: int = PIECE_BYTES) -> Pieces:
        """Return the pieces of chunks of these sizes, of at most `most` bytes each."""
        counts = -(-sizes // most)
        streams = np.repeat(np.arange(len(sizes)), counts)
        first = np.cumsum(counts) - counts
        starts = (np.arange(len(streams)) - first[streams]) * most
        lengths = np.minimum(sizes[streams] - starts, most)
        words = (lengths + lengths // 8 + 512) // 4
        return cls(counts, streams, starts, lengths, np.concatenate([[0], np.cumsum(words)]))

    @property
    def firsts(self) -> NDArray[np.int64]:
        """The first piece of each chunk."""
        return np.cumsum(self.counts) - self.counts

    def before(self, values: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the sum of the values of the pieces before each in its chunk."""
        ends = np.cumsum(values)
        return ends - values - (ends - values)[self.firsts][self.streams]

    def totals(self, values: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the sum of the values of each chunk's pieces."""
        return np.add.reduceat(values, self.firsts)

    def checksums(self, sums: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the Adler-32 of each chunk from the two sums of each piece."""
        plain, weighted = sums[:, 0], sums[:, 1]
        earlier = (1 + self.before(plain)) % ADLER
        a = (1 + self.totals(plain)) % ADLER
        b = self.totals((earlier * self.sizes + weighted) % ADLER) % ADLER
        return b << 16 | a


def encode(
    device: EncodingDevice, lines: Any, layout: LineLayout, places: ChunkPlaces, compression: str, gap: int
) -> PackedChunks:
    """Encode the chunks at these places of lines on a device, with `gap` bytes before each. Raises HandleError."""
    sizes = places.sizes(layout)
    if compression not in CODED or not len(places) or not places.inside(layout) or int(sizes.max()) > LARGEST_CHUNK:
        raise HandleError("these chunks can't be encoded on this device")
    groups = list(_batches(sizes))
    if len(groups) == 1:
        return _batch(device, lines, layout, places, compression, gap, None)
    data = device.host_buffer(int(sizes.sum()) + gap * len(sizes))
    made, end = [], 0
    for group in groups:
        packed = _batch(device, lines, layout, places.part(group), compression, gap, data[end:])
        made.append((packed.offsets + end, packed.sizes))
        end += packed.data.size
    offsets, packed_sizes = (np.concatenate(each) for each in zip(*made, strict=True))
    return PackedChunks(data[:end], offsets, packed_sizes)


def encoding_bytes(layout: LineLayout, places: ChunkPlaces, deflating_blocks: int) -> int:
    """Return the most device memory that `encode` takes for chunks of lines."""
    sizes = places.sizes(layout)
    batch = min(int(sizes.sum()), BATCH_BYTES + int(sizes.max()))
    pieces = int((-(-sizes // PIECE_BYTES)).sum())
    return 4 * batch + 1024 * pieces + 4 * PIECE_BYTES * deflating_blocks


def _batches(sizes: NDArray[np.int64]) -> Iterator[slice]:
    """Yield slices of chunks of at most BATCH_BYTES, or of one."""
    groups = (np.cumsum(sizes) - 1) // BATCH_BYTES
    edges = [0, *(np.flatnonzero(np.diff(groups)) + 1).tolist(), len(sizes)]
    yield from (slice(*edge) for edge in pairwise(edges))


def _batch(
    device: EncodingDevice,
    lines: Any,
    layout: LineLayout,
    places: ChunkPlaces,
    compression: str,
    gap: int,
    into: NDArray[np.uint8] | None,
) -> PackedChunks:
    """Encode chunks into the beginning of `into`, or into a buffer of their size."""
    sizes = places.sizes(layout)
    chunks, pieces = _described(places, sizes), Pieces.of(sizes)
    before = device.sent(np.cumsum([0, *layout.sample_bytes]).astype(np.uint32))
    pixels = (lines, before, np.uint32(layout.width), np.uint32(len(layout.channels)))
    tables = tuple(device.sent(array.astype(np.uint32)) for array in (pieces.streams, pieces.starts))
    slots = device.sent(pieces.slots.astype(np.uint64))
    count = len(pieces.streams)
    lengths, packed, ends = np.full(len(sizes), LARGEST_CHUNK, np.int64), device.empty(4), np.empty((0, 6), np.uint8)
    bits = np.zeros(count, np.int64)
    if compression != "none":
        packed, bits, sums = _compressed(device, chunks, pieces, (*tables, slots), pixels, compression)
        lengths, ends = _lengths(pieces, bits, sums, compression)
    raw = lengths >= sizes
    stored = np.where(raw, sizes, lengths)
    chunks["target"] = offsets = np.cumsum(stored + gap) - stored
    chunks["raw"] = raw
    total = int(offsets[-1] + stored[-1])
    head = 0 if compression == "rle" else len(ZLIB_HEADER)
    targets = 8 * (offsets + head)[pieces.streams] + pieces.before(bits)
    output = device.zeros(-(-total // 4) * 4 + 4)
    small = (device.sent(bits.astype(np.uint32)), device.sent(targets.astype(np.uint64)))
    arguments = (device.sent(chunks), *tables, slots, *small, packed, *pixels, output)
    device.run("exr_chunks.cu", "join", count, THREADS, arguments)
    data = device.host_buffer(total) if into is None else into[:total]
    device.receive(output, data)
    if len(ends):
        _put_ends(data, offsets[~raw], stored[~raw], ends[~raw])
    return PackedChunks(data, offsets, stored)


def _described(places: ChunkPlaces, sizes: NDArray[np.int64]) -> NDArray[Any]:
    """Return the chunks as the kernels know them. Words behind the bytes of each may be read."""
    chunks = np.zeros(len(places), CHUNK)
    slots = -(-sizes // 16) * 16 + 16
    chunks["planes"] = np.cumsum(slots) - slots
    chunks["size"] = sizes
    for name in ("x", "y", "width", "height"):
        chunks[name] = getattr(places, name)
    return chunks


def _compressed(
    device: EncodingDevice,
    chunks: NDArray[Any],
    pieces: Pieces,
    tables: tuple[Any, Any, Any],
    pixels: tuple[Any, ...],
    compression: str,
) -> tuple[Any, NDArray[np.int64], NDArray[np.int64]]:
    """Compress all pieces: return the buffer of their slots, the bits of each, and the sums of each for a checksum."""
    count = len(pieces.streams)
    about, number = device.sent(chunks), np.uint32(count)
    planes = device.empty(int(chunks["planes"][-1]) + int(chunks["size"][-1]) + 32)
    device.run("exr_chunks.cu", "predict", count, THREADS, (about, *tables[:2], *pixels, planes))
    packed, bits, sums = device.empty(4 * int(pieces.slots[-1]) + 8), device.empty(4 * count), device.zeros(8 * count)
    if compression == "rle":
        arguments: tuple[Any, ...] = (about, *tables, number, planes, packed, bits)
        device.run("exr_chunks.cu", "pack_runs", -(-count // WARP), WARP, arguments)
    else:
        blocks = min(count, device.deflating_blocks)
        offsets, sizes = device.sent(chunks["planes"].copy()), device.sent(chunks["size"].copy())
        tokens = device.empty(4 * PIECE_BYTES * blocks)
        arguments = (planes, offsets, sizes, *tables, number, tokens, packed, bits, sums)
        device.run("deflate.cu", "deflate", blocks, WARP, arguments)
    found, summed = np.empty(count, np.uint32), np.empty((count, 2), np.uint32)
    device.receive(bits, found)
    device.receive(sums, summed)
    return packed, found.astype(np.int64), summed.astype(np.int64)


def _lengths(
    pieces: Pieces, bits: NDArray[np.int64], sums: NDArray[np.int64], compression: str
) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
    """Return the compressed bytes of each chunk, and for zlib streams its header and checksum."""
    too_long = np.where(bits == TOO_LONG, LARGEST_CHUNK * 8, bits)
    lengths = -(-pieces.totals(too_long) // 8)
    if compression == "rle":
        return lengths, np.empty((0, 6), np.uint8)
    sums_be = pieces.checksums(sums).astype(">u4").view(np.uint8).reshape(-1, 4)
    ends = np.hstack([np.tile(np.array(ZLIB_HEADER, np.uint8), (len(lengths), 1)), sums_be])
    return lengths + ends.shape[1], ends


def _put_ends(
    data: NDArray[np.uint8], offsets: NDArray[np.int64], sizes: NDArray[np.int64], ends: NDArray[np.uint8]
) -> None:
    """Write the header and the checksum of each zlib stream."""
    data[offsets[:, None] + np.arange(2)] = ends[:, :2]
    data[(offsets + sizes - 4)[:, None] + np.arange(4)] = ends[:, 2:]
