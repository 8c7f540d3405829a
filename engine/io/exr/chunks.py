"""Copying of EXR chunks: encoded pixels are copied, never decoded.

This preserves deep parts, IDs, mip levels and subsampled channels exactly, in constant memory. A graded part, written
to a file of its own, replaces the part that it was made from.
"""

from __future__ import annotations

import struct
from array import array
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

import numpy as np

from engine.core.records import dataclass
from engine.errors import UnreadableFile, WriteFailed
from engine.io.exr.header import (
    DEEP_FLAG,
    LONG_NAMES_FLAG,
    MAGIC,
    MULTIPART_FLAG,
    TILED_FLAG,
    RawFile,
    RawHeader,
    parse,
)

COPY_BYTES = 1 << 22
SALVAGE = "write or copy it again, or export what is left with --salvage"


@dataclass(frozen=True)
class PartSource:
    """The part `index` of the file `path`, to be written with `header`.

    With `levels` the part is assembled from files of one mip level each: their paths, and the level in x and y.
    """

    path: Path
    index: int
    header: RawHeader
    levels: tuple[tuple[Path, int, int], ...] = ()

    @property
    def paths(self) -> tuple[Path, ...]:
        return (self.path, *(path for path, _, _ in self.levels))


def offsets(file: BinaryIO, raw: RawFile, part: int) -> array[int]:
    """Return the file offset of each chunk of a part. Raises UnreadableFile if the file is incomplete."""
    table = _table(file, raw, part)
    found = np.frombuffer(table, np.uint64)
    bad = np.flatnonzero((found <= raw.tables[part]) | (found >= raw.file_size))
    if bad.size:
        raise _cut_off(raw.path, raw.headers[part], int(bad[0]))
    return table


def _table(file: BinaryIO, raw: RawFile, part: int) -> array[int]:
    file.seek(raw.tables[part])
    table = array("Q", file.read(8 * raw.headers[part].chunk_count()))
    if struct.pack("=H", 1) != struct.pack("<H", 1):
        table.byteswap()
    return table


def _cut_off(path: Path, header: RawHeader, chunk: int) -> UnreadableFile:
    return UnreadableFile(path, f"is cut off at {chunk_name(header, chunk)}", SALVAGE)


def chunk_name(header: RawHeader, chunk: int) -> str:
    """Return a description of a chunk: its first scanline, or its tile."""
    if header.tiles:
        return tile_name(header, chunk)
    return f"scanline {header.box('dataWindow')[1] + chunk * header.chunk_rows}"


def tile_name(header: RawHeader, chunk: int) -> str:
    """Return a description of a chunk of a tiled part: its column and row, and its mip level."""
    tiles = header.tiles or (1, 1, 0, 0)
    for level, (width, height) in enumerate(header.level_sizes()):
        columns, rows = -(-width // tiles[0]), -(-height // tiles[1])
        if chunk < columns * rows:
            return f"tile ({chunk % columns}, {chunk // columns})" + (f" of mip level {level}" if level else "")
        chunk -= columns * rows
    return "its end"


def _body_length(file: BinaryIO, header: RawHeader) -> int:
    """Return the bytes of the chunk at the file's position, coordinates included, without moving the position."""
    start = file.tell()
    coordinates = 16 if header.tiles else 4
    if header.is_deep:
        _, table, samples, _ = struct.unpack(f"<{coordinates}s3Q", file.read(coordinates + 24))
        length = coordinates + 24 + int(table) + int(samples)
    else:
        _, packed = struct.unpack(f"<{coordinates}si", file.read(coordinates + 4))
        length = coordinates + 4 + int(packed)
    file.seek(start)
    return length


def deep_bytes(raw: RawFile, part: int) -> int:
    """Return the bytes of a decoded deep part, as stated by its chunks. Raises UnreadableFile if they can't be true."""
    header = raw.headers[part]
    skip = (4 if raw.is_multipart else 0) + (16 if header.tiles else 4)
    width, height = header.size
    total = 0
    with raw.path.open("rb") as file:
        for at in offsets(file, raw, part):
            file.seek(at + skip)
            counts, samples, unpacked = struct.unpack("<3Q", file.read(24))
            if at + counts + samples > raw.file_size or unpacked > 1100 * samples + 64:
                raise UnreadableFile(raw.path, "its deep samples are damaged", "write or copy the file again")
            total += unpacked
    return total + 4 * width * height


def assemble(target: Path, flags: int, parts: list[PartSource]) -> None:
    """Write `target` from the chunks of `parts`, with the version flags of the file that it replaces."""
    parsed = {path: parse(path) for path in {path for part in parts for path in part.paths}}
    headers = [part.header for part in parts]
    preamble = version_bytes(flags, headers) + header_bytes(flags, headers)
    with target.open("xb") as out:
        out.write(preamble)
        at = [len(preamble)]
        for header in headers:
            at.append(at[-1] + 8 * header.chunk_count())
        out.seek(at[-1])
        tables = [_copy_part(out, flags, n, part, parsed) for n, part in enumerate(parts)]
        out.seek(len(preamble))
        for table in tables:
            if struct.pack("=H", 1) != struct.pack("<H", 1):
                table.byteswap()
            out.write(table.tobytes())


def version_bytes(flags: int, headers: list[RawHeader]) -> bytes:
    """Return the magic number and version field of a file with these headers."""
    flags &= MULTIPART_FLAG
    if any(len(name) > 31 for header in headers for name in _names(header)):
        flags |= LONG_NAMES_FLAG
    if any(header.is_deep for header in headers):
        flags |= DEEP_FLAG
    elif not flags & MULTIPART_FLAG and headers[0].tiles:
        flags |= TILED_FLAG
    return MAGIC + struct.pack("<I", 2 | flags)


def _names(header: RawHeader) -> Iterator[bytes]:
    for name, attribute in header.attributes.items():
        yield name.encode()
        yield attribute.type.encode()
    for channel in header.channels:
        yield channel.name.encode()


def header_bytes(flags: int, headers: list[RawHeader]) -> bytes:
    """Return the bytes of all headers, which lie between the version field and the offset tables."""
    return b"".join(header.to_bytes() for header in headers) + (b"\0" if flags & MULTIPART_FLAG else b"")


def _copy_part(out: BinaryIO, flags: int, number: int, part: PartSource, parsed: dict[Path, RawFile]) -> array[int]:
    """Append the chunks of a part and return their offsets."""
    prefix = struct.pack("<i", number) if flags & MULTIPART_FLAG else b""
    placed = array("Q")
    for path, x, y in part.levels or ((part.path, -1, -1),):
        level = struct.pack("<2i", x, y) if part.levels else b""
        placed += _copy_chunks(out, prefix, parsed[path], part.index, level)
    if len(placed) != part.header.chunk_count():
        raise WriteFailed(part.path, "its parts don't match the image", "export to a new file")
    return placed


def _copy_chunks(out: BinaryIO, prefix: bytes, raw: RawFile, part: int, level: bytes) -> array[int]:
    """Append the chunks of a part of a file and return their offsets.

    Each chunk is preceded by `prefix`; tiles get the mip level `level` unless it is empty.
    """
    header, skip = raw.headers[part], 4 if raw.is_multipart else 0
    with raw.path.open("rb") as file:
        found = offsets(file, raw, part)
        placed = array("Q", bytes(8 * len(found)))
        position = out.tell()
        for n in writing_order(header, len(found)):
            file.seek(found[n] + skip)
            length = _body_length(file, header)
            if not 0 <= length <= raw.file_size - found[n] - skip:
                raise _cut_off(raw.path, header, n)
            placed[n] = position
            out.write(prefix)
            if level:
                out.write(file.read(8) + level)
                file.seek(8, 1)
            _copy_bytes(file, out, length - (16 if level else 0))
            position += len(prefix) + length
    return placed


def writing_order(header: RawHeader, count: int) -> Iterable[int]:
    """Return the chunks in file order: a part of decreasing line order starts with its last scanlines or tiles."""
    if header.line_order != "decreasing":
        return range(count)
    tiles = header.tiles
    if not tiles:
        return range(count - 1, -1, -1)
    order, first = list[int](), 0
    for width, height in header.level_sizes():
        columns, rows = -(-width // tiles[0]), -(-height // tiles[1])
        order += [first + row * columns + x for row in range(rows - 1, -1, -1) for x in range(columns)]
        first += columns * rows
    return order


def _copy_bytes(file: BinaryIO, out: BinaryIO, length: int) -> None:
    while length:
        piece = file.read(min(length, COPY_BYTES))
        if not piece:
            raise UnreadableFile(file.name, "was cut off while it was read", "close the program that writes it")
        out.write(piece)
        length -= len(piece)


def check_complete(raw: RawFile) -> None:
    """Raise UnreadableFile unless the file contains every chunk of every part completely."""
    skip = 4 if raw.is_multipart else 0
    with raw.path.open("rb") as file:
        for part, header in enumerate(raw.headers):
            start = skip + (16 if header.tiles else 4) + (24 if header.is_deep else 4)
            for n, at in enumerate(_table(file, raw, part)):
                if not raw.tables[part] < at <= raw.file_size - start:
                    raise _cut_off(raw.path, header, n)
                file.seek(at + skip)
                if not 0 <= _body_length(file, header) <= raw.file_size - at - skip:
                    raise _cut_off(raw.path, header, n)
