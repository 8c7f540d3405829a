"""PNGs looked through before libpng reads them.

libpng prints whatever it finds wrong to the error output of the process, on top of telling it. Therefore it is only
given what it will find nothing wrong with: chunks and their order as in the W3C's PNG specification, third edition, 5,
and of damaged pixels the rows before the damage.
"""

from __future__ import annotations

import os
import struct
import zlib
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from pathlib import Path
from typing import BinaryIO

import numpy as np

from engine.core.file_errors import AGAIN, printable
from engine.errors import UnreadableFile

SIGNATURE = b"\x89PNG\r\n\x1a\n"
MAX_SIDE = 1_000_000
"""libpng's own limit."""
CRITICAL = (b"IHDR", b"PLTE", b"IDAT", b"IEND")
DEPTHS = {0: (1, 2, 4, 8, 16), 2: (8, 16), 3: (1, 2, 4, 8), 4: (8, 16), 6: (8, 16)}
SAMPLES = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
"""Bits of a sample that a colour type may have, and its samples."""
PASSES = ((8, 8, 0, 0), (8, 8, 4, 0), (4, 8, 0, 4), (4, 4, 2, 0), (2, 4, 0, 2), (2, 2, 1, 0), (1, 2, 0, 1))
"""Of Adam7: every so many columns and rows, from the first on."""
PIECE, MOST = 1 << 16, 1 << 20
"""Bytes of a file that are looked at at once, and of what they expand to."""


def is_png(path: Path) -> bool:
    """Whether a file begins as a PNG does."""
    try:
        with path.open("rb") as file:
            return file.read(len(SIGNATURE)) == SIGNATURE
    except OSError:
        return False


@dataclass(frozen=True)
class Header:
    width: int
    height: int
    depth: int
    colour: int
    interlaced: bool

    def row_bytes(self, width: int) -> int:
        """Of a row of so many pixels, with the byte that names its filter."""
        return 1 + -(-width * self.depth * SAMPLES[self.colour] // 8)

    def passes(self) -> list[tuple[int, int]]:
        """Bytes of a row, and how many rows, of each pass that has pixels."""
        if not self.interlaced:
            return [(self.row_bytes(self.width), self.height)]
        sizes = [(-(-(self.width - x) // across), -(-(self.height - y) // down)) for across, down, x, y in PASSES]
        return [(self.row_bytes(width), height) for width, height in sizes if width > 0 and height > 0]


def check_png(path: Path) -> Header:
    """The header of a PNG; UnreadableFile where it, or a chunk before the pixels, is damaged."""
    with path.open("rb") as file:
        file.seek(len(SIGNATURE))
        chunks = _chunks(path, file)
        header = _header(path, next(chunks, (b"", b"")))
        palette = False
        for name, data in chunks:
            if name == b"IDAT":
                if header.colour == 3 and not palette:
                    raise _damaged(path, "its header is damaged (no palette)")
                return header
            if name == b"IEND" or name == b"IHDR" or (name == b"PLTE" and palette):
                raise _damaged(path, "its header is damaged (a chunk out of place)")
            if name == b"PLTE":
                palette = True
                if len(data) % 3 or not 3 <= len(data) <= 768:
                    raise _damaged(path, "its header is damaged (a palette that is none)")
    raise _damaged(path, "is cut off in its header")


def _header(path: Path, chunk: tuple[bytes, bytes]) -> Header:
    name, data = chunk
    if name != b"IHDR" or len(data) != 13:
        raise _damaged(path, "its header is damaged")
    width, height, depth, colour, compression, filtering, interlaced = struct.unpack(">2I5B", data)
    known = depth in DEPTHS.get(colour, ()) and (compression, filtering) == (0, 0) and interlaced <= 1
    if not known or not 0 < width <= MAX_SIDE or not 0 < height <= MAX_SIDE:
        raise _damaged(path, "its header is damaged")
    return Header(width, height, depth, colour, bool(interlaced))


def _chunks(path: Path, file: BinaryIO) -> Iterator[tuple[bytes, bytes]]:
    """Name and content of each chunk, for IDAT the name alone, after which it is still to be read."""
    while head := file.read(8):
        if len(head) < 8:
            raise _damaged(path, "is cut off")
        size, name = struct.unpack(">I4s", head)
        known = name in CRITICAL if name[:1].isupper() else name.isalpha() and name[2:3].isupper()
        if size >= 1 << 31 or not known:
            raise _damaged(path, "its header is damaged (a chunk that does not exist)")
        if name == b"IDAT":
            yield name, b""
            return
        data = _content(file, size)
        end = file.read(4)
        if data is None or len(end) < 4:
            raise _damaged(path, "is cut off in its header")
        if struct.unpack(">I", end)[0] != zlib.crc32(data, zlib.crc32(name)):
            raise _damaged(path, f"its header is damaged (the checksum of {name.decode()})")
        yield name, data


def _content(file: BinaryIO, size: int) -> bytes | None:
    """So many bytes, read piece by piece: a claim takes no memory; None where there are fewer."""
    pieces = []
    while size and (piece := file.read(min(size, PIECE))):
        pieces.append(piece)
        size -= len(piece)
    return None if size else b"".join(pieces)


class PngPixels:
    """The pixels of a PNG whose header is sound, looked through once, when that is first asked."""

    def __init__(self, path: Path) -> None:
        self._path = path

    @property
    def intact(self) -> int:
        """Rows, from the top, that libpng reads without finding anything wrong."""
        return self._found[0]

    @property
    def problem(self) -> str:
        """What is wrong with the rest; '' if nothing."""
        return self._found[1]

    @cached_property
    def _found(self) -> tuple[int, str]:
        header = check_png(self._path)
        rows = _Rows(header)
        with self._path.open("rb") as file:
            file.seek(len(SIGNATURE))
            problem = _look_through(file, rows)
        problem = problem or ("" if rows.complete else "its pixels end too soon")
        if not problem:
            return header.height, ""
        return (0 if header.interlaced else rows.bytes // rows.stride), problem


def _look_through(file: BinaryIO, rows: _Rows) -> str:
    """What is wrong with the chunks of a file, '' if nothing; `rows` counts the pixels before it."""
    inflate, end_of_file = zlib.decompressobj(), os.fstat(file.fileno()).st_size
    before = deque([0], maxlen=3)  # libpng reads ahead, but not by two pieces
    while True:
        head = file.read(8)
        size, name = struct.unpack(">I4s", head) if len(head) == 8 else (0, b"")
        start, sum_ = rows.bytes, zlib.crc32(name)
        while size and (piece := file.read(min(size, PIECE))):
            size, sum_ = size - len(piece), zlib.crc32(piece, sum_)
            before.append(rows.bytes)
            try:
                while name == b"IDAT" and piece and not inflate.eof:
                    rows.take(inflate.decompress(piece, MOST))
                    piece = inflate.unconsumed_tail
            except (zlib.error, _BadFilter) as error:
                if file.seek(size, 1) > end_of_file:
                    rows.bytes = min(rows.bytes, before[0])
                return str(error).removeprefix("Error -3 while decompressing data: ")
        end = file.read(4)
        if size or len(end) < 4:
            rows.bytes = before[0]
            return "it is cut off"
        if struct.unpack(">I", end)[0] != sum_:
            rows.bytes = start
            return f"the checksum of {printable(name.decode('latin-1'))} is wrong"
        if name == b"IEND":
            return ""


class _BadFilter(Exception):
    pass


class _Rows:
    """Counts the bytes of rows, and stops at a row whose filter does not exist."""

    def __init__(self, header: Header) -> None:
        self._passes = header.passes()
        self.stride = self._passes[0][0]
        self.bytes = 0
        self._starts = [0, *accumulate(stride * rows for stride, rows in self._passes)]

    @property
    def complete(self) -> bool:
        return self.bytes >= self._starts[-1]

    def take(self, piece: bytes) -> None:
        """More bytes; _BadFilter at a row that has none."""
        values = np.frombuffer(piece, np.uint8)
        for (stride, _), start, end in zip(self._passes, self._starts, self._starts[1:], strict=False):
            first, last = max(start, self.bytes), min(end, self.bytes + len(values))
            begin = first + (start - first) % stride
            filters = values[begin - self.bytes : last - self.bytes : stride] if begin < last else values[:0]
            bad = np.flatnonzero(filters > 4)
            if len(bad):
                self.bytes = begin + int(bad[0]) * stride
                raise _BadFilter("a row has a filter that does not exist")
        self.bytes += len(values)


def _damaged(path: Path, what: str) -> UnreadableFile:
    return UnreadableFile(path, what, AGAIN)
