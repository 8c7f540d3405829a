"""Reading of EXR chunks as they are packed in the file, for a device that decodes them.

Nothing that the file says is believed: where chunks lie, which part and which pixels they claim to be, and their sizes
are compared with the header, as OpenEXR does. What is unusual is left to the libraries, which say what is wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from engine.compute.chunks import CODED, LARGEST_CHUNK, ChunkPlaces, ChunkTable, LineLayout, block_places
from engine.core.file_errors import AGAIN, reading
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


def read_packed(
    path: Path,
    part: int,
    level: int = 0,
    rows: tuple[int, int] | None = None,
    buffer: Callable[[int], Bytes] = lambda nbytes: np.empty(nbytes, np.uint8),
) -> PackedPart | None:
    """Read the chunks of a level, or those with rows from `rows[0]` up to `rows[1]`; None if `packed_layout` is.

    `buffer` returns the host memory to read into. Levels are numbered as in `RawHeader.level_sizes`. Raises
    UnreadableFile if the chunks are not what the header says, or if the file is cut off.
    """
    with reading(path):
        raw = parse(path)
        layout = packed_layout(raw.headers[part], level)
        if layout is None:
            return None
        with path.open("rb", buffering=0) as file:
            return _read(file, raw, part, level, layout, rows or (0, layout.height), buffer)


def _read(
    file: BinaryIO,
    raw: RawFile,
    part: int,
    level: int,
    layout: LineLayout,
    rows: tuple[int, int],
    buffer: Callable[[int], Bytes],
) -> PackedPart:
    header = raw.headers[part]
    tiles = header.tiles
    across, down = tiles[:2] if tiles else (layout.width, header.chunk_rows)
    places = block_places(layout.width, layout.height, across, down)
    first = sum(-(-w // across) * -(-h // down) for w, h in header.level_sizes()[:level])
    chosen = np.flatnonzero((places.y < rows[1]) & (places.y + places.height > rows[0]))
    places = places.part(chosen)
    everything = [_offsets(file, raw, n) for n in range(len(raw.headers))]
    at = everything[part][first + chosen]
    prefix = (4 if raw.is_multipart else 0) + (20 if tiles else 8)
    if not len(at) or at.min() <= raw.tables[part] or (at > raw.file_size - prefix).any():
        raise _wrong(raw.path)
    if len(np.unique(at)) < len(at):  # else what is read could be larger than the file
        raise _wrong(raw.path)
    data, starts, ends = _read_runs(file, raw, at, prefix + places.sizes(layout), np.concatenate(everything), buffer)
    if (starts + prefix > ends).any():
        raise _wrong(raw.path)
    sizes = _checked(raw, part, level, data, starts, places, (across, down))
    if (sizes < 0).any() or (starts + prefix + sizes > ends).any():
        raise _wrong(raw.path)
    top = int(places.y[0])
    height = int(places.y[-1] + places.height[-1]) - top
    moved = ChunkPlaces(places.x, places.y - np.int32(top), places.width, places.height)
    table = ChunkTable(header.compression, starts + prefix, sizes, moved)
    return PackedPart(data, table, LineLayout(layout.width, height, layout.channels), top)


def _offsets(file: BinaryIO, raw: RawFile, part: int) -> Numbers:
    """Return the offset table of a part."""
    file.seek(raw.tables[part])
    table = np.empty(raw.headers[part].chunk_count(), "<u8")
    _fill(file, raw.path, table.view(np.uint8))
    return np.minimum(table, np.uint64(1 << 62)).astype(np.int64)


def _read_runs(
    file: BinaryIO, raw: RawFile, at: Numbers, most: Numbers, everything: Numbers, buffer: Callable[[int], Bytes]
) -> tuple[Bytes, Numbers, Numbers]:
    """Read chunks that begin at these offsets and have at most so many bytes, those that follow each other at once.

    Return the bytes, where in them each chunk begins, and where what was read of it ends.
    """
    known = np.unique(everything)
    after = np.append(known, raw.file_size)[np.searchsorted(known, at, "right")]
    ends = np.minimum(np.minimum(after, at + most), raw.file_size)
    order = np.argsort(at, kind="stable")
    breaks = np.flatnonzero(ends[order][:-1] != at[order][1:]) + 1
    runs = [(int(at[run[0]]), int(ends[run[-1]]), run) for run in np.split(order, breaks)]
    data = buffer(sum(end - begin for begin, end, _ in runs))
    moved, done = np.empty_like(at), 0
    for begin, end, run in runs:
        file.seek(begin)
        _fill(file, raw.path, data[done : done + end - begin])
        moved[run] = done - begin
        done += end - begin
    return data, at + moved, ends + moved


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
