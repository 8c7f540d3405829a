"""A codec of EXR chunks in plain NumPy and zlib, for tests without a device: the reference of the devices' codecs."""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.compute.backends.cpu import CpuPrimitives
from engine.compute.chunks import (
    ChunkCodec,
    ChunkPlaces,
    ChunkTable,
    DecodedChunks,
    LineLayout,
    Lines,
    PackedChunks,
    Place,
    Verdict,
    check_same,
)
from engine.compute.handles import ImageHandle

Bytes = NDArray[np.uint8]
_TYPES: dict[str, np.dtype[Any]] = {"half": np.dtype("<f2"), "float": np.dtype("<f4"), "uint": np.dtype("<u4")}


def predicted(raw: bytes) -> bytes:
    """Bytes split into those at even and at odd places, each replaced by its difference from the one before."""
    even = np.frombuffer(raw, np.uint8)
    split = np.concatenate([even[0::2], even[1::2]])
    split[1:] = split[1:] - split[:-1] + np.uint8(128)
    return split.tobytes()


def restored(coded: bytes) -> bytes:
    """What `predicted` was given."""
    bytes_ = np.frombuffer(coded, np.uint8).copy()
    bytes_[1:] -= np.uint8(128)
    split = np.cumsum(bytes_, dtype=np.uint8)
    result = np.empty_like(split)
    half = (len(split) + 1) // 2
    result[0::2], result[1::2] = split[:half], split[half:]
    return result.tobytes()


def run_lengths(data: bytes) -> bytes:
    """Bytes in EXR's run lengths."""
    out, at = bytearray(), 0
    while at < len(data):
        end = at
        while end < len(data) and data[end] == data[at] and end - at < 128:
            end += 1
        if end - at >= 3:
            out += bytes([end - at - 1, data[at]])
        else:
            end = at
            while end < len(data) and end - at < 127 and len(set(data[end : end + 3])) != 1:
                end += 1
            end = max(end, at + 1)
            out += bytes([256 - (end - at)]) + data[at:end]
        at = end
    return bytes(out)


def runs_undone(packed: bytes, size: int) -> bytes | None:
    """What `run_lengths` was given; None if it is damaged, or not `size` bytes."""
    out, at = bytearray(), 0
    while at < len(packed):
        count = packed[at] - 256 if packed[at] > 127 else packed[at]
        piece = packed[at + 1 : at + 1 - count] if count < 0 else packed[at + 1 : at + 2] * (count + 1)
        if len(piece) != (-count if count < 0 else count + 1):
            return None
        out += piece
        at += 1 + (-count if count < 0 else 1)
    return bytes(out) if len(out) == size else None


def unpacked(compression: str, packed: bytes, size: int) -> tuple[Verdict, bytes]:
    """A verdict, and the bytes of a chunk."""
    if len(packed) == size:
        return Verdict.GOOD, packed
    coded: bytes | None = None
    if compression == "rle" and len(packed) < size:
        coded = runs_undone(packed, size)
    elif compression in ("zip", "zips") and len(packed) < size:
        stream = zlib.decompressobj()
        try:
            coded = stream.decompress(packed, size + 1)
        except zlib.error as error:
            return (Verdict.WRONG_SUM if "incorrect data check" in str(error) else Verdict.DAMAGED), b""
        coded = coded if stream.eof and not stream.unused_data and len(coded) == size else None
    return (Verdict.DAMAGED, b"") if coded is None else (Verdict.GOOD, restored(coded))


class HostCodec(ChunkCodec):
    """Works on arrays in main memory; images are those of the CPU backend."""

    def __init__(self, primitives: CpuPrimitives | None = None) -> None:
        super().__init__(1 << 40)
        self.primitives = primitives or CpuPrimitives()
        self.calls: list[str] = []

    def host_buffer(self, nbytes: int) -> Bytes:
        return np.empty(nbytes, np.uint8)

    def new_lines(self, layout: LineLayout) -> Lines:
        self.primitives._count(layout.nbytes, 1)
        return Lines(self.primitives, np.full((layout.height, layout.line_bytes), 0xEE, np.uint8), layout)

    def decode(self, packed: Bytes, table: ChunkTable, layout: LineLayout) -> DecodedChunks:
        self.calls.append("decode")
        lines, verdicts = self.new_lines(layout), np.zeros(len(table), np.int32)
        sizes, places = table.places.sizes(layout), table.places
        for n, (at, size) in enumerate(zip(table.offsets, table.packed_sizes, strict=True)):
            verdict, raw = unpacked(table.compression, packed[at : at + size].tobytes(), int(sizes[n]))
            verdicts[n] = verdict
            if verdict is Verdict.GOOD:
                spread(np.frombuffer(raw, np.uint8), lines.buffer, layout, places, n)
        return DecodedChunks(lines, verdicts)

    def image(self, lines: Lines, places: tuple[Place, ...], dtype: Any) -> ImageHandle:
        self.calls.append("image")
        layout = lines.layout
        pixels = np.zeros((layout.height, layout.width, len(places)), dtype)
        for n, place in enumerate(places):
            if place is not None:
                samples = channel(lines.buffer, layout, place)
                scale = np.float32(2.0**-32)
                pixels[..., n] = samples.astype(np.float32) * scale if samples.dtype == np.uint32 else samples
        return self.primitives.upload(pixels)

    def put(self, handle: ImageHandle, lines: Lines, places: tuple[Place, ...]) -> None:
        self.calls.append("put")
        pixels = self.primitives.download(handle)
        for n, place in enumerate(places):
            if place is not None:
                with np.errstate(over="ignore"):
                    kind = _TYPES[lines.layout.channels[place][1]]
                    write_channel(lines.buffer, lines.layout, place, pixels[..., n].astype(kind))

    def copy(self, source: Lines, target: Lines, names: tuple[str, ...]) -> None:
        self.calls.append("copy")
        check_same(source.layout, target.layout, names)
        for name in names:
            samples = channel(source.buffer, source.layout, source.layout.place(name))
            write_channel(target.buffer, target.layout, target.layout.place(name), samples)

    def encode(self, lines: Lines, places: ChunkPlaces, compression: str, gap: int = 0) -> PackedChunks:
        self.calls.append("encode")
        chunks = [self._encoded(lines, places, n, compression) for n in range(len(places))]
        sizes = np.array([len(chunk) for chunk in chunks], np.int64)
        data = np.frombuffer(bytearray(b"".join(bytes(gap) + chunk for chunk in chunks)), np.uint8)
        return PackedChunks(data, np.cumsum(sizes + gap) - sizes, sizes)

    def _encoded(self, lines: Lines, places: ChunkPlaces, n: int, compression: str) -> bytes:
        raw = collected(lines.buffer, lines.layout, places, n)
        if compression == "none":
            return raw
        coded = predicted(raw)
        packed = run_lengths(coded) if compression == "rle" else zlib.compress(coded, 4)
        return packed if len(packed) < len(raw) else raw

    def download(self, lines: Lines, into: Bytes | None = None) -> Bytes:
        result = np.empty_like(lines.buffer) if into is None else into
        result[...] = lines.buffer
        return result

    def upload(self, samples: Bytes, layout: LineLayout) -> Lines:
        lines = self.new_lines(layout)
        lines.buffer[...] = samples
        return lines

    def decoding_bytes(self, layout: LineLayout, packed: int) -> int:
        return layout.nbytes + packed

    def encoding_bytes(self, layout: LineLayout, places: ChunkPlaces) -> int:
        return layout.nbytes


def _pieces(layout: LineLayout, places: ChunkPlaces, n: int) -> list[tuple[int, int, int]]:
    """Row, first byte and end of each run of samples of chunk `n`, in the order of its bytes."""
    x, y, width, height = (int(each[n]) for each in (places.x, places.y, places.width, places.height))
    runs = list(zip(layout.starts, layout.sample_bytes, strict=True))
    return [(row, s + x * b, s + (x + width) * b) for row in range(y, y + height) for s, b in runs]


def spread(raw: Bytes, lines: Bytes, layout: LineLayout, places: ChunkPlaces, n: int) -> None:
    """Put the bytes of chunk `n` into lines."""
    if places.width[n] == layout.width:
        lines[places.y[n] : places.y[n] + places.height[n]] = raw.reshape(-1, layout.line_bytes)
        return
    at = 0
    for row, begin, end in _pieces(layout, places, n):
        lines[row, begin:end] = raw[at : at + end - begin]
        at += end - begin


def collected(lines: Bytes, layout: LineLayout, places: ChunkPlaces, n: int) -> bytes:
    """The bytes of chunk `n`."""
    if places.width[n] == layout.width:
        return lines[places.y[n] : places.y[n] + places.height[n]].tobytes()
    return b"".join(lines[row, begin:end].tobytes() for row, begin, end in _pieces(layout, places, n))


def channel(lines: Bytes, layout: LineLayout, place: int) -> NDArray[Any]:
    """The samples of a channel: (height, width)."""
    begin, size = layout.starts[place], layout.sample_bytes[place] * layout.width
    return np.ascontiguousarray(lines[:, begin : begin + size]).view(_TYPES[layout.channels[place][1]])


def write_channel(lines: Bytes, layout: LineLayout, place: int, samples: NDArray[Any]) -> None:
    """Write the samples of a channel."""
    begin, size = layout.starts[place], layout.sample_bytes[place] * layout.width
    lines[:, begin : begin + size] = np.ascontiguousarray(samples).view(np.uint8)
