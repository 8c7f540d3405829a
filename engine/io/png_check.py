"""Checks of PNG files, made before libpng reads them.

libpng prints every problem to stderr, in addition to reporting it. It is therefore only given files in which it finds
no problem: chunks and their order follow the W3C's PNG specification, third edition, 5, and of damaged pixels it reads
only the rows before the damage.
"""

from __future__ import annotations

import os
import struct
import zlib
from collections import deque
from collections.abc import Iterator
from functools import cached_property
from itertools import accumulate
from pathlib import Path
from typing import BinaryIO, NamedTuple

import numpy as np

from engine.core.file_errors import AGAIN, printable
from engine.errors import UnreadableFile

SIGNATURE = b"\x89PNG\r\n\x1a\n"
MAX_SIDE = 1_000_000
"""libpng's own limit."""
CRITICAL = (b"IHDR", b"PLTE", b"IDAT", b"IEND")
DEPTHS = {0: (1, 2, 4, 8, 16), 2: (8, 16), 3: (1, 2, 4, 8), 4: (8, 16), 6: (8, 16)}
SAMPLES = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
"""Valid bits per sample of each colour type, and its samples per pixel."""
PASSES = ((8, 8, 0, 0), (8, 8, 4, 0), (4, 8, 0, 4), (4, 4, 2, 0), (2, 4, 0, 2), (2, 2, 1, 0), (1, 2, 0, 1))
"""Passes of Adam7: column step, row step, first column, first row."""
PIECE, MOST = 1 << 16, 1 << 20
"""Bytes of a file that are read at once, and the limit of what is decompressed at once."""


def is_png(path: Path) -> bool:
    """Return whether a file begins with the PNG signature."""
    try:
        with path.open("rb") as file:
            return file.read(len(SIGNATURE)) == SIGNATURE
    except OSError:
        return False


class Header(NamedTuple):
    width: int
    height: int
    depth: int
    colour: int
    interlaced: bool

    def row_bytes(self, width: int) -> int:
        """Return the bytes of a row of `width` pixels, including its filter byte."""
        return 1 + -(-width * self.depth * SAMPLES[self.colour] // 8)

    def passes(self) -> list[tuple[int, int]]:
        """Return the bytes per row and the number of rows of each pass that has pixels."""
        if not self.interlaced:
            return [(self.row_bytes(self.width), self.height)]
        sizes = [(-(-(self.width - x) // across), -(-(self.height - y) // down)) for across, down, x, y in PASSES]
        return [(self.row_bytes(width), height) for width, height in sizes if width > 0 and height > 0]


def check_png(path: Path) -> Header:
    """Return the header of a PNG. Raises UnreadableFile if it or another chunk before the pixels is damaged."""
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
                raise _damaged(path, "its header is damaged (a misplaced chunk)")
            if name == b"PLTE":
                palette = True
                if len(data) % 3 or not 3 <= len(data) <= 768:
                    raise _damaged(path, "its header is damaged (an invalid palette)")
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
    """Yield the name and content of each chunk, up to the first IDAT, whose content is left unread."""
    while head := file.read(8):
        if len(head) < 8:
            raise _damaged(path, "is cut off")
        size, name = struct.unpack(">I4s", head)
        known = name in CRITICAL if name[:1].isupper() else name.isalpha() and name[2:3].isupper()
        if size >= 1 << 31 or not known:
            raise _damaged(path, "its header is damaged (an unknown chunk)")
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
    """Read `size` bytes piece by piece, so that a false size takes no memory. Return None if there are fewer."""
    pieces = []
    while size and (piece := file.read(min(size, PIECE))):
        pieces.append(piece)
        size -= len(piece)
    return None if size else b"".join(pieces)


class PngPixels:
    """Checks the pixels of a PNG with a valid header, once, on first access."""

    def __init__(self, path: Path) -> None:
        self._path = path

    @property
    def intact(self) -> int:
        """The number of rows, from the top, that libpng reads without a problem."""
        return self._found[0]

    @property
    def problem(self) -> str:
        """A description of the damage; '' if there is none."""
        return self._found[1]

    @cached_property
    def _found(self) -> tuple[int, str]:
        header = check_png(self._path)
        rows = _Rows(header)
        with self._path.open("rb") as file:
            file.seek(len(SIGNATURE))
            problem = _scan(file, rows)
        problem = problem or ("" if rows.complete else "its pixels end too soon")
        if not problem:
            return header.height, ""
        return (0 if header.interlaced else rows.bytes // rows.stride), problem


def _scan(file: BinaryIO, rows: _Rows) -> str:
    """Return the first problem in the chunks of a file, or ''; `rows` counts the bytes of the rows before it."""
    inflate, end_of_file = zlib.decompressobj(), os.fstat(file.fileno()).st_size
    before = deque([0], maxlen=3)  # libpng reads ahead by less than two pieces
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
    """Counts the bytes of rows and stops at a row with an invalid filter."""

    def __init__(self, header: Header) -> None:
        self._passes = header.passes()
        self.stride = self._passes[0][0]
        self.bytes = 0
        self._starts = [0, *accumulate(stride * rows for stride, rows in self._passes)]

    @property
    def complete(self) -> bool:
        return self.bytes >= self._starts[-1]

    def take(self, piece: bytes) -> None:
        """Count more bytes. Raises _BadFilter at a row with an invalid filter."""
        values = np.frombuffer(piece, np.uint8)
        for (stride, _), start, end in zip(self._passes, self._starts, self._starts[1:], strict=False):
            first, last = max(start, self.bytes), min(end, self.bytes + len(values))
            begin = first + (start - first) % stride
            filters = values[begin - self.bytes : last - self.bytes : stride] if begin < last else values[:0]
            bad = np.flatnonzero(filters > 4)
            if len(bad):
                self.bytes = begin + int(bad[0]) * stride
                raise _BadFilter("a row has an invalid filter")
        self.bytes += len(values)


def _damaged(path: Path, what: str) -> UnreadableFile:
    return UnreadableFile(path, what, AGAIN)
