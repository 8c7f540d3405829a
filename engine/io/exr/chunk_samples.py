"""Decoding of some channels of a part on all cores, for parts that are compressed by ZIP or not at all.

The libraries restore the bytes of every channel of a chunk, whichever are wanted, and ZIP's differences byte by byte
through memory. Here the library only inflates chunks, and the bytes of the wanted channels are restored from them, in
half of the time.
"""

from __future__ import annotations

import ctypes
import threading
import zlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import OpenEXR
from numpy.typing import NDArray

from engine.compute.backends.cpu.kernels import function, is_ready
from engine.compute.backends.cpu.layout import CHUNK_FIELDS, FLOAT, HALF, ChunkLines, int64s
from engine.core.file_errors import AGAIN
from engine.core.geometry import Rect
from engine.core.system import usable_cores
from engine.errors import UnreadableFile
from engine.io.exr.packed_chunks import PackedFile, open_packed
from engine.io.info import PartInfo

DECODED = ("none", "zips", "zip")
COMPILED = "chunk_lines", "chunk_lines"
GROUP_BYTES = 1 << 20, 16 << 20
"""The fewest and the most bytes of chunks that are decoded together."""
GROUPS_PER_CORE = 4
"""Groups enough to balance the load: between two of them, a thread waits for Python's lock."""
Bytes = NDArray[np.uint8]
Floats = NDArray[np.float32]
Run = Callable[[Callable[[int], None], range], None]
"""Runs a function for each number, on several threads or one."""


def is_decodable(part: PartInfo) -> bool:
    """Return whether `read_samples` knows the storage and compression of a part."""
    return part.type in ("scanline", "tiled") and part.compression in DECODED and not part.is_subsampled


def read_samples(path: Path, part: PartInfo, names: tuple[str, ...], rows: tuple[int, int], run: Run) -> Floats | None:
    """Return rows of channels, (rows, width, names) of float32 with the bits of integers, each channel contiguous.

    The part is one that `is_decodable`. Returns None if only the libraries can decode it. Raises UnreadableFile if the
    file is damaged.
    """
    samples = open_samples(path, part, names)
    if samples is None:
        return None
    with samples.packed:
        lines = np.empty((rows[1] - rows[0], len(names), part.width), np.float32)
        pixels = np.moveaxis(lines, 1, 2)
        samples.read(Rect(0, rows[0], part.width, rows[1] - rows[0]), pixels, run)
        return pixels


def open_samples(path: Path, part: PartInfo, names: tuple[str, ...]) -> ChunkSamples | None:
    """Open a part that `is_decodable`, for reading these channels; None if only the libraries can decode it.

    Raises UnreadableFile if the file is damaged.
    """
    packed = open_packed(path, part.index)
    if packed is not None and (packed.layout.width, packed.layout.height) != (part.width, part.height):
        packed.close()
        packed = None
    return None if packed is None else ChunkSamples(packed, names)


class ChunkSamples:
    """Decodes channels of the full level of a part. `packed` is its file, which the caller closes."""

    def __init__(self, packed: PackedFile, names: tuple[str, ...]) -> None:
        self.packed = packed
        layout, count = packed.layout, len(names)
        order = sorted((layout.place(name), n) for n, name in enumerate(names))
        kinds = [HALF if layout.channels[place][1] == "half" else FLOAT for place, _ in order]
        before = [sum(layout.sample_bytes[:place]) for place, _ in order]
        self._channels = np.array([before, kinds, [n for _, n in order]], np.int64).T.copy()
        self._sizes = packed.places.sizes(layout)
        largest = int(self._sizes.max()) + 7 & -8
        self._pixel_bytes, self._count, self._largest = layout.pixel_bytes, count, largest
        self._work_bytes = 8 + largest + 4 * layout.width
        self._scratch = threading.local()

    def read(self, rect: Rect, target: NDArray[Any], run: Run) -> None:
        """Write the pixels of a rectangle, whose columns are those of whole chunks, into (height, width, channels).

        The target is float16, if all channels are half, or float32, which represents half and has the bits of
        integers. Raises UnreadableFile if one of the chunks can't be decoded.
        """
        chosen = self.packed.chunks_in(rect)
        sizes, (least, most) = self._sizes[chosen], GROUP_BYTES
        together = min(max(int(sizes.sum()) // (GROUPS_PER_CORE * usable_cores()), least), most)
        groups = (np.cumsum(sizes) - 1) // together
        parts = np.split(chosen, np.flatnonzero(np.diff(groups)) + 1)
        size = target.itemsize
        row_stride, pixel_stride, channel_stride = (stride // size for stride in target.strides)
        geometry = ChunkLines(
            chunks=0,  # of each group
            pixel_bytes=self._pixel_bytes,
            wanted=self._count,
            rows=rect.height,
            target=target.ctypes.data,
            storage=HALF if size == 2 else FLOAT,
            row_stride=row_stride,
            channel_stride=channel_stride,
            pixel_stride=pixel_stride,
            inflate=_inflate_address(),
            largest=self._largest,
        )
        run(lambda number: self._decode(parts[number], rect, geometry), range(len(parts)))

    def _decode(self, chosen: NDArray[np.int64], rect: Rect, geometry: ChunkLines) -> None:
        packed = self.packed.read_chunks(chosen)
        table, places = packed.table, packed.table.places
        x, y = places.x - rect.x, places.y + (packed.top - rect.y)
        good = np.zeros(len(table), np.int64)
        columns = (table.offsets, table.packed_sizes, x, y, places.width, places.height, good)
        chunks = np.stack([column.astype(np.int64, copy=False) for column in columns], 1)
        numbers, work = int64s(geometry._replace(chunks=len(table))), self._work()
        function(*COMPILED, 5)(*(each.ctypes.data for each in (numbers, chunks, packed.data, self._channels, work)))
        if not chunks[:, CHUNK_FIELDS - 1].all():
            path = self.packed.raw.path
            raise UnreadableFile(path, "is cut off or damaged (a chunk can't be decompressed)", AGAIN)

    def _work(self) -> Bytes:
        """Return the scratch memory of this thread."""
        if not hasattr(self._scratch, "work"):
            self._scratch.work = np.empty(self._work_bytes, np.uint8)
        work: Bytes = self._scratch.work
        return work


def compiled_in_time() -> bool:
    """Return whether chunks can be decoded at once; the first time ever, the function for it is compiled meanwhile."""
    return has_library() and is_ready(*COMPILED)


@cache
def _inflate_address() -> int:
    """Return the address of OpenEXR's exr_uncompress_buffer (openexr_compression.h), which uses libdeflate.

    Where the module does not export it, as on Windows, it is that of a function that calls zlib, which takes several
    times as long.
    """
    inflate = _library() or _BY_ZLIB
    return int(ctypes.cast(inflate, ctypes.c_void_p).value or 0)


def has_library() -> bool:
    """Return whether chunks are inflated by OpenEXR's library."""
    return _library() is not None


@cache
def _library() -> Any:
    try:
        return ctypes.CDLL(OpenEXR.__file__).exr_uncompress_buffer
    except (AttributeError, OSError):
        return None


def _by_zlib(context: int, source: int, packed: int, target: int, size: int, count: int) -> int:
    try:
        plain = zlib.decompressobj().decompress(ctypes.string_at(source, packed), size + 1)
    except zlib.error:
        return 1
    ctypes.memmove(target, plain, min(len(plain), size))
    ctypes.c_size_t.from_address(count).value = len(plain)
    return 0


_BY_ZLIB = ctypes.CFUNCTYPE(ctypes.c_int32, *[ctypes.c_int64] * 6)(_by_zlib)
