"""Reading of EXR chunks as they are packed in the file, for a device that decodes them.

Nothing that the file says is believed: where chunks lie, which part and which pixels they claim to be, and their sizes
are compared with the header, as OpenEXR does. What is unusual is left to the libraries, which say what is wrong.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from engine.compute.chunks import CODED, LARGEST_CHUNK, ChunkPlaces, ChunkTable, LineLayout, block_places
from engine.core.file_errors import AGAIN, reading
from engine.core.geometry import Rect
from engine.core.records import dataclass
from engine.errors import UnreadableFile
from engine.io.exr.header import RawFile, RawHeader, parse

Bytes = NDArray[np.uint8]
Numbers = NDArray[np.int64]


@dataclass(frozen=True)
class PackedPart:
    """Chunks of one level of a part: packed bytes, what is in them, and the layout of their pixels.

    The first row of the layout is row `top` of the level.
    """

    data: Bytes
    table: ChunkTable
    layout: LineLayout
    top: int = 0


def packed_layout(header: RawHeader, level: int = 0) -> LineLayout | None:
    """Return the layout of a level's pixels; None for parts whose chunks only the libraries decode."""
    channels, tiles = header.channels, header.tiles
    names = [channel.name.encode() for channel in channels]
    plain = header.storage in ("", "scanlineimage", "tiledimage") and (header.storage == "tiledimage") == bool(tiles)
    sampled = any(channel.x_sampling > 1 or channel.y_sampling > 1 for channel in channels)
    sizes = header.level_sizes()
    if not plain or sampled or header.compression not in CODED or sorted(set(names)) != names or level >= len(sizes):
        return None
    layout = LineLayout(*sizes[level], tuple((channel.name, channel.type) for channel in channels))
    across, down = tiles[:2] if tiles else (layout.width, header.chunk_rows)
    chunk = min(across, layout.width) * min(down, layout.height) * layout.pixel_bytes
    return layout if chunk <= LARGEST_CHUNK else None


def _new_buffer(nbytes: int) -> Bytes:
    return np.empty(nbytes, np.uint8)


def read_packed(
    path: Path,
    part: int,
    level: int = 0,
    rows: tuple[int, int] | None = None,
    buffer: Callable[[int], Bytes] = _new_buffer,
) -> PackedPart | None:
    """Read the chunks of a level, or those with rows from `rows[0]` up to `rows[1]`; None if `packed_layout` is.

    `buffer` returns the host memory to read into. Levels are numbered as in `RawHeader.level_sizes`. Raises
    UnreadableFile if the chunks are not what the header says, or if the file is cut off.
    """
    packed = open_packed(path, part, level)
    if packed is None:
        return None
    with packed:
        top, bottom = rows or (0, packed.layout.height)
        return packed.read_chunks(packed.chunks_in(Rect(0, top, packed.layout.width, bottom - top)), buffer)


def open_packed(path: Path, part: int, level: int = 0) -> PackedFile | None:
    """Open a level of a part for reading its chunks; None if `packed_layout` is.

    Raises UnreadableFile if the chunks are not where the header says, or if the file is cut off.
    """
    with reading(path):
        raw = parse(path)
        layout = packed_layout(raw.headers[part], level)
        return None if layout is None else PackedFile(raw, part, level, layout)


class PackedFile:
    """The chunks of one level of a part, in an open file. Any thread may read them.

    `close()` closes the file, as the end of the last reference does.
    """

    def __init__(self, raw: RawFile, part: int, level: int, layout: LineLayout) -> None:
        self.raw, self.layout = raw, layout
        self._part, self._level, self._lock = part, level, threading.Lock()
        self._file = file = raw.path.open("rb", buffering=0)
        self.close = weakref.finalize(self, file.close)
        self._find_chunks()

    def __enter__(self) -> PackedFile:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _find_chunks(self) -> None:
        """Compare the offset tables with the header and the file."""
        raw, layout, header = self.raw, self.layout, self.raw.headers[self._part]
        tiles = header.tiles
        self._block = tiles[:2] if tiles else (layout.width, header.chunk_rows)
        self.places = places = block_places(layout.width, layout.height, *self._block)
        across, down = self._block
        first = sum(-(-w // across) * -(-h // down) for w, h in header.level_sizes()[: self._level])
        everything = [_offsets(self._file, raw, n) for n in range(len(raw.headers))]
        self._at = at = everything[self._part][first : first + len(places)]
        self._prefix = (4 if raw.is_multipart else 0) + (20 if tiles else 8)
        known = np.sort(np.concatenate(everything))
        self._after = np.append(known, raw.file_size)[np.searchsorted(known, at, "right")]

    def chunks_in(self, rect: Rect) -> Numbers:
        """Return the numbers of the chunks that have pixels in a rectangle of the level, row by row."""
        x, y = self.places.x, self.places.y
        across = (x < rect.right) & (x + self.places.width > rect.x)
        return np.flatnonzero(across & (y < rect.bottom) & (y + self.places.height > rect.y))

    def read_chunks(self, chosen: Numbers, buffer: Callable[[int], Bytes] = _new_buffer) -> PackedPart:
        """Read chunks, in rising order of their numbers, as `read_packed` does."""
        with reading(self.raw.path):
            return self._read(chosen, buffer)

    def _read(self, chosen: Numbers, buffer: Callable[[int], Bytes]) -> PackedPart:
        raw, places, at = self.raw, self.places.part(chosen), self._at[chosen]
        prefix = self._prefix
        if not len(at) or at.min() <= raw.tables[self._part] or (at > raw.file_size - prefix).any():
            raise _wrong(raw.path)
        if (np.diff(np.sort(at)) == 0).any():  # else what is read could be larger than the file
            raise _wrong(raw.path)
        most = prefix + places.sizes(self.layout)
        ends = np.minimum(np.minimum(self._after[chosen], at + most), raw.file_size)
        data, starts, ends = self._read_runs(at, ends, buffer)
        if (starts + prefix > ends).any():
            raise _wrong(raw.path)
        sizes = _checked(raw, self._part, self._level, data, starts, places, self._block)
        if (sizes < 0).any() or (starts + prefix + sizes > ends).any():
            raise _wrong(raw.path)
        top = int(places.y[0])
        height = int(places.y[-1] + places.height[-1]) - top
        moved = ChunkPlaces(places.x, places.y - np.int32(top), places.width, places.height)
        table = ChunkTable(raw.headers[self._part].compression, starts + prefix, sizes, moved)
        return PackedPart(data, table, LineLayout(self.layout.width, height, self.layout.channels), top)

    def _read_runs(self, at: Numbers, ends: Numbers, buffer: Callable[[int], Bytes]) -> tuple[Bytes, Numbers, Numbers]:
        """Read chunks from one offset to another, those that follow each other at once.

        Return the bytes, where in them each chunk begins, and where what was read of it ends.
        """
        order = np.argsort(at, kind="stable")
        breaks = np.flatnonzero(ends[order][:-1] != at[order][1:]) + 1
        runs = [(int(at[run[0]]), int(ends[run[-1]]), run) for run in np.split(order, breaks)]
        data = buffer(sum(end - begin for begin, end, _ in runs))
        moved, done = np.empty_like(at), 0
        for begin, end, run in runs:
            with self._lock:
                self._file.seek(begin)
                _fill(self._file, self.raw.path, data[done : done + end - begin])
            moved[run] = done - begin
            done += end - begin
        return data, at + moved, ends + moved


def _offsets(file: BinaryIO, raw: RawFile, part: int) -> Numbers:
    """Return the offset table of a part."""
    file.seek(raw.tables[part])
    table = np.empty(raw.headers[part].chunk_count(), "<u8")
    _fill(file, raw.path, table.view(np.uint8))
    return np.minimum(table, np.uint64(1 << 62)).astype(np.int64)


def _fill(file: BinaryIO, path: Path, target: Bytes) -> None:
    """Fill an array from the file's position. Raises UnreadableFile if the file ends before."""
    view, done = memoryview(target.data), 0
    while done < len(view):
        count = file.readinto(view[done:])  # type: ignore[attr-defined]
        if not count:
            raise UnreadableFile(path, "was cut off while it was read", "close the program that writes it")
        done += count


def _checked(
    raw: RawFile, part: int, level: int, data: Bytes, starts: Numbers, places: ChunkPlaces, block: tuple[int, int]
) -> Numbers:
    """Return the packed sizes of chunks, after comparing what each says of itself with the pixels it should have."""
    header, count = raw.headers[part], len(starts)
    if header.tiles:
        position = np.stack([places.x // block[0], places.y // block[1], *_level_numbers(header, level, count)], 1)
    else:
        position = places.y[:, None] + np.int64(header.box("dataWindow")[1])
    wanted = np.concatenate([np.full((count, 1 if raw.is_multipart else 0), part), position], 1)
    columns = wanted.shape[1] + 1
    found = data[starts[:, None] + np.arange(4 * columns)].view("<i4")
    if (found[:, :-1] != wanted).any():
        raise _wrong(raw.path)
    return found[:, -1].astype(np.int64)


def _level_numbers(header: RawHeader, level: int, count: int) -> Iterator[Numbers]:
    """Yield the level in x and y that the tiles of a level name."""
    tiles = header.tiles
    across = len({width for width, _ in header.level_sizes()}) if tiles and tiles[2] == 2 else 0
    x, y = (level % across, level // across) if across else (level, level)
    yield np.full(count, x)
    yield np.full(count, y)


def _wrong(path: Path) -> UnreadableFile:
    return UnreadableFile(path, "is cut off or damaged (its chunks are not where its header says)", AGAIN)
