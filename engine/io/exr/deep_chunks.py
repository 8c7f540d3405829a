"""Deep parts, chunk by chunk: where the samples of each pixel lie, and those of each channel as an array.

A deep chunk has a place, three sizes, a table with the number of samples up to and including each pixel of its lines,
and the samples: line by line, in each line channel by channel. The layout follows the OpenEXR file layout document.
Nothing that the file says is believed: places, sizes and counts are compared with the header and with each other.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from engine.core.file_errors import AGAIN
from engine.core.records import dataclass
from engine.errors import UnreadableFile
from engine.io.exr.chunks import chunk_name, offsets, writing_order
from engine.io.exr.deep_coding import Bytes, decode, encode
from engine.io.exr.header import RawChannel, RawFile, RawHeader

Samples = NDArray[Any]
TYPES: dict[str, np.dtype[Any]] = {"half": np.dtype("<f2"), "float": np.dtype("<f4"), "uint": np.dtype("<u4")}
EXPANSION = 1100
"""The largest compression ratio of a chunk that is believed: deflate reaches 1032."""


@dataclass(frozen=True)
class DeepBlock:
    """A chunk's coordinates as stored, (y) or (column, row, level x, level y), and its size in pixels.

    `whole` is the number of pixels of a tile that does not reach beyond the image.
    """

    place: tuple[int, ...]
    width: int
    height: int
    whole: int

    @property
    def table_bytes(self) -> int:
        """The bytes of its sample counts."""
        return 4 * self.width * self.height


@dataclass(frozen=True)
class PackedDeepChunk:
    """A chunk as stored: the table of its sample counts, its samples, and the bytes of these when unpacked."""

    number: int
    block: DeepBlock
    counts: bytes
    samples: bytes
    unpacked: int


@dataclass(frozen=True)
class DeepChunk:
    """The samples of a chunk, by channel: each an array of all samples, line by line.

    `ends` (height, width) is the number of samples of a line up to and including each pixel.
    """

    number: int
    block: DeepBlock
    ends: NDArray[np.int32]
    channels: Mapping[str, Samples]

    @property
    def count(self) -> int:
        """The number of samples of each channel."""
        return int(self.ends[:, -1].sum(dtype=np.int64))

    def with_channels(self, channels: Mapping[str, Samples]) -> DeepChunk:
        """Return the chunk with other channels, which have as many samples."""
        return DeepChunk(self.number, self.block, self.ends, channels)


class DeepPart:
    """The deep part `index` of an EXR, read from `file`. Not thread-safe, but for `decoded`.

    `numbers` are the chunks in the order in which they are stored, `sizes` the bytes of each chunk when unpacked.
    Raises UnreadableFile if the file is damaged or cut off.
    """

    def __init__(self, file: BinaryIO, raw: RawFile, index: int) -> None:
        self._file, self._raw, self._index = file, raw, index
        self.header = header = raw.headers[index]
        self._channels = header.channels
        names = {channel.name for channel in self._channels}
        if len(names) < len(self._channels) or any((c.x_sampling, c.y_sampling) != (1, 1) for c in self._channels):
            raise UnreadableFile(raw.path, "its deep channels are damaged", AGAIN)
        self._blocks = list(blocks(header))
        self._offsets = offsets(file, raw, index)
        self._heads = [self._head(number) for number in range(len(self._blocks))]
        self.numbers = list(writing_order(header, len(self._blocks)))
        self.sizes = [head[2] + block.table_bytes for head, block in zip(self._heads, self._blocks, strict=True)]

    def _head(self, number: int) -> tuple[int, int, int]:
        """Return the bytes of a chunk's table, of its samples, and of these when unpacked."""
        raw, place = self._raw, self._blocks[number].place
        wanted = (self._index, *place) if raw.is_multipart else place
        start = self._offsets[number]
        layout = f"<{len(wanted)}i3Q"
        self._file.seek(start)
        data = self._file.read(struct.calcsize(layout))
        if len(data) < struct.calcsize(layout):
            raise self.damaged(number, "cut off")
        *found, counts, samples, unpacked = struct.unpack(layout, data)
        end = start + len(data) + counts + samples
        table = self._blocks[number].table_bytes
        impossible = unpacked > EXPANSION * samples + 64 or table > EXPANSION * counts + 64
        if tuple(found) != wanted or end > raw.file_size or impossible:
            raise self.damaged(number, "its sizes or its place are wrong")
        return counts, samples, unpacked

    def read(self, number: int) -> PackedDeepChunk:
        """Read a chunk."""
        counts, samples, unpacked = self._heads[number]
        block = self._blocks[number]
        skip = 4 * len(block.place) + (4 if self._raw.is_multipart else 0) + 24
        self._file.seek(self._offsets[number] + skip)
        data = self._file.read(counts + samples)
        if len(data) < counts + samples:
            raise self.damaged(number, "cut off")
        return PackedDeepChunk(number, block, data[:counts], data[counts:], unpacked)

    def decoded(self, packed: PackedDeepChunk) -> DeepChunk:
        """Decode a chunk."""
        try:
            return _decoded(packed, self._channels, self.header.compression)
        except ValueError as problem:
            raise self.damaged(packed.number, str(problem)) from problem

    def damaged(self, number: int, why: str) -> UnreadableFile:
        """Return the error for a chunk that can't be read."""
        where = chunk_name(self.header, number)
        return UnreadableFile(self._raw.path, f"its deep samples are damaged at {where} ({why})", AGAIN)


def blocks(header: RawHeader) -> Iterator[DeepBlock]:
    """Yield the place and size of each chunk of a part, in the order of its offset table."""
    tiles = header.tiles
    if not tiles:
        top, rows = header.box("dataWindow")[1], header.chunk_rows
        for y in range(0, header.size[1], rows):
            height = min(rows, header.size[1] - y)
            yield DeepBlock((top + y,), header.size[0], height, header.size[0] * height)
        return
    sizes = header.level_sizes()
    across = len({width for width, _ in sizes}) if tiles[2] == 2 else 0
    for n, (width, height) in enumerate(sizes):
        level = (n % across, n // across) if across else (n, n)
        for y in range(0, height, tiles[1]):
            for x in range(0, width, tiles[0]):
                place = (x // tiles[0], y // tiles[1], *level)
                yield DeepBlock(place, min(tiles[0], width - x), min(tiles[1], height - y), tiles[0] * tiles[1])


def _decoded(packed: PackedDeepChunk, channels: Sequence[RawChannel], compression: str) -> DeepChunk:
    """Decode a chunk. Raises ValueError if its parts contradict each other."""
    ends = _sample_ends(packed, compression, sum(channel.size for channel in channels))
    data = decode(packed.samples, packed.unpacked, compression)
    pieces: dict[str, list[Bytes]] = {channel.name: [] for channel in channels}
    at = 0
    for total in ends[:, -1].tolist():
        for channel in channels:
            end = at + total * channel.size
            pieces[channel.name].append(data[at:end])
            at = end
    columns = {c.name: _joined(pieces[c.name]).view(TYPES[c.type]) for c in channels}
    return DeepChunk(packed.number, packed.block, ends, columns)


def _sample_ends(packed: PackedDeepChunk, compression: str, pixel_bytes: int) -> NDArray[np.int32]:
    """Return the table of a chunk's sample counts. Raises ValueError if it is damaged or does not fit the samples.

    Without compression, OpenEXR writes the table of a clipped tile as long as that of a whole one.
    """
    block, counts = packed.block, packed.counts
    plain = compression == "none" and len(counts) == 4 * block.whole
    table = decode(counts[: block.table_bytes] if plain else counts, block.table_bytes, compression)
    ends = table.view("<i4").reshape(block.height, block.width)
    if (ends[:, 0] < 0).any() or (ends[:, 1:] < ends[:, :-1]).any():
        raise ValueError("its sample counts are wrong")
    if int(ends[:, -1].sum(dtype=np.int64)) * pixel_bytes != packed.unpacked:
        raise ValueError("its sample counts don't fit its samples")
    return ends


def _joined(pieces: list[Bytes]) -> Bytes:
    return np.ascontiguousarray(pieces[0]) if len(pieces) == 1 else np.concatenate(pieces)


def chunk_bytes(chunk: DeepChunk, channels: Sequence[RawChannel], compression: str, level: int) -> bytes:
    """Return a chunk as it is stored in a single-part file with these channels."""
    block, stops = chunk.block, np.cumsum(chunk.ends[:, -1], dtype=np.int64).tolist()
    columns = [(np.ascontiguousarray(chunk.channels[c.name]).view(np.uint8), c.size) for c in channels]
    lines = zip([0, *stops[:-1]], stops, strict=True)
    samples = np.concatenate([data[a * size : b * size] for a, b in lines for data, size in columns])
    table = np.ascontiguousarray(chunk.ends).view(np.uint8).reshape(-1)
    if compression == "none":  # as long as that of a whole tile, as OpenEXR writes it
        table = np.pad(table, (0, 4 * block.whole - table.size))
    counts, coded = encode(table, compression, level), encode(samples, compression, level)
    head = struct.pack(f"<{len(block.place)}i3Q", *block.place, len(counts), len(coded), samples.size)
    return b"".join((head, counts, coded))


def bands(numbers: Sequence[int], size: Callable[[int], int], most: int) -> Iterator[list[int]]:
    """Yield chunks in bands of at most `most` bytes, or of one chunk."""
    band, held = list[int](), 0
    for number in numbers:
        if band and held + size(number) > most:
            yield band
            band, held = [], 0
        band.append(number)
        held += size(number)
    if band:
        yield band
