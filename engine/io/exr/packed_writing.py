"""Writing of EXR chunks that were encoded elsewhere: header, offset table, and all chunks at once."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.compute.chunks import CODED, LARGEST_CHUNK, ChunkPlaces, LineLayout, PackedChunks, block_places
from engine.core.atomic import create
from engine.errors import HandleError, WriteFailed
from engine.io.encoders import INCOMPLETE, Encoder, final_preamble
from engine.io.exr.header import RawHeader

Array = NDArray[np.uint8]


def chunk_head(header: RawHeader) -> int:
    """Return the bytes before each chunk of a single-part file: its place and its size."""
    return 20 if header.tiles else 8


def packed_shape(header: RawHeader) -> tuple[LineLayout, ChunkPlaces] | None:
    """Return the layout of a part's pixels and its chunks, in the order of its offset table.

    None for parts that are not written from chunks encoded elsewhere: those with mip levels, subsampled channels, deep
    samples, very large chunks or compressions that only the libraries know.
    """
    tiles, (width, height) = header.tiles, header.size
    sampled = any(channel.x_sampling > 1 or channel.y_sampling > 1 for channel in header.channels)
    if header.is_deep or sampled or header.compression not in CODED or (tiles and tiles[2]):
        return None
    across, down = tiles[:2] if tiles else (width, header.chunk_rows)
    layout = LineLayout(width, height, tuple((channel.name, channel.type) for channel in header.channels))
    if min(across, width) * min(down, height) * layout.pixel_bytes > LARGEST_CHUNK:
        return None
    return layout, block_places(width, height, across, down)


class PackedEncoder(Encoder):
    """Writes a single-part file from all of its chunks. The chunks lie in the order of their places.

    Error messages name `target`, the file the user asked for.
    """

    def __init__(self, path: Path, target: Path, header: RawHeader) -> None:
        self._path, self._target, self._header = path, target, header
        self._file = create(path)
        self._size = 0

    def write_chunks(self, packed: PackedChunks) -> None:
        """Write the file. Before each chunk `chunk_head` bytes of `packed.data` are free, and are filled in here."""
        header = self._header
        shape, head = packed_shape(header), chunk_head(header)
        assert shape is not None
        places = shape[1]
        if len(packed.sizes) != len(places):
            raise HandleError(f"{len(packed.sizes)} chunks don't fill an image of {len(places)}")
        columns = _heads(header, places, packed.sizes)
        packed.data[(packed.offsets - head)[:, None] + np.arange(head)] = columns.view(np.uint8)
        preamble = final_preamble(header)
        first = len(preamble) + 8 * len(places)
        table = (packed.offsets - head + first).astype("<u8")
        self._file.write(preamble + table.tobytes())
        self._file.flush()
        end = int(packed.offsets[-1] + packed.sizes[-1])
        self._size = first + end
        view, done = packed.data.data, 0
        while done < end:  # one call writes at most 2 GB
            done += self._file.raw.write(view[done:end])  # type: ignore[attr-defined]

    def write(self, y: int, rows: Array) -> None:
        raise HandleError("rows can't be written to a file of encoded chunks")

    def close(self) -> None:
        self._file.close()
        if self._path.stat().st_size != self._size:
            raise WriteFailed(self._target, *INCOMPLETE)

    def abandon(self) -> None:
        self._file.close()


def _heads(header: RawHeader, places: ChunkPlaces, sizes: NDArray[np.int64]) -> NDArray[np.int32]:
    """Return the place and the size of each chunk as a file has them: (chunks, 2 or 5) numbers."""
    if header.tiles is None:
        columns = [places.y + np.int64(header.box("dataWindow")[1])]
    else:
        level = np.zeros(len(places), np.int64)
        columns = [places.x // header.tiles[0], places.y // header.tiles[1], level, level]
    return np.ascontiguousarray(np.stack([*columns, sizes], 1).astype("<i4"))
