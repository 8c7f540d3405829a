"""Decoding of some channels of a part on all cores, for parts with many channels that are compressed by ZIP or not.

The libraries restore the bytes of every channel of a chunk, whichever are wanted. Here the library only inflates the
chunk, and the bytes of the wanted channels are restored from it.
"""

from __future__ import annotations

import ctypes
import threading
import zlib
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import OpenEXR
from numpy.typing import NDArray

from engine.compute.backends.cpu.kernels import function
from engine.compute.backends.cpu.layout import FLOAT, HALF
from engine.core.file_errors import AGAIN
from engine.errors import UnreadableFile
from engine.io.exr.packed_chunks import PackedPart, read_packed
from engine.io.info import PartInfo

DECODED = ("none", "zips", "zip")
Bytes = NDArray[np.uint8]
Floats = NDArray[np.float32]
Run = Callable[[Callable[[int], None], Iterable[int]], None]


def is_decodable(part: PartInfo) -> bool:
    """Return whether `read_samples` knows the storage and compression of a part."""
    return part.type in ("scanline", "tiled") and part.compression in DECODED and not part.is_subsampled


def read_samples(path: Path, part: PartInfo, names: tuple[str, ...], rows: tuple[int, int], run: Run) -> Floats | None:
    """Return rows of channels, (rows, width, names) of float32 with the bits of integers, each channel contiguous.

    The part is one that `is_decodable`. Returns None if only the libraries can decode it. Raises UnreadableFile if the
    file is damaged.
    """
    packed = read_packed(path, part.index, 0, rows)
    if packed is None or (packed.layout.width, part.height) < (part.width, rows[1]):
        return None
    places = [packed.layout.place(name) for name in names]
    order = np.argsort(places, kind="stable")
    samples = np.empty((packed.layout.height, len(names), part.width), np.float32)
    decode = _decoder(path, packed, [places[n] for n in order], samples)
    run(decode, range(len(packed.table.places)))
    lines = samples[rows[0] - packed.top : rows[1] - packed.top]
    return np.moveaxis(lines, 1, 2) if places == sorted(places) else np.moveaxis(lines[:, np.argsort(order)], 1, 2)


def _decoder(path: Path, packed: PackedPart, places: list[int], samples: NDArray[np.float32]) -> Callable[[int], None]:
    """Return a function that decodes a chunk by its number."""
    layout, table = packed.layout, packed.table
    compiled, inflated = function("chunk_lines", "chunk_lines", 5), threading.local()
    sizes = table.places.sizes(layout)
    kinds = [HALF if layout.channels[n][1] == "half" else FLOAT for n in places]
    before = [sum(layout.sample_bytes[:n]) for n in places]
    largest, sides = int(sizes.max()), (table.places.x, table.places.y, table.places.width, table.places.height)

    def decode(number: int) -> None:
        if not hasattr(inflated, "bytes"):
            inflated.bytes, inflated.line = np.empty(largest, np.uint8), np.empty(4 * layout.width, np.uint8)
        x, y, width, height = (int(side[number]) for side in sides)
        start, size = int(table.offsets[number]), int(sizes[number])
        data = packed.data[start : start + int(table.packed_sizes[number])]
        coded = len(data) < size
        if coded:
            _inflate(path, data, inflated.bytes[:size])
        else:
            inflated.bytes[:size] = data[:size]
        channels = np.array([[width * b, kind] for b, kind in zip(before, kinds, strict=True)], np.int64)
        strides = samples.strides[0] // 4, samples.strides[1] // 4
        geometry = np.array([coded, width, height, width * layout.pixel_bytes, len(places), *strides], np.int64)
        target = samples.ctypes.data + y * samples.strides[0] + 4 * x
        compiled(
            *(geometry.ctypes.data, inflated.bytes.ctypes.data, channels.ctypes.data),
            *(target, inflated.line.ctypes.data),
        )

    return decode


def _inflate(path: Path, data: Bytes, target: Bytes) -> None:
    """Inflate a chunk, by OpenEXR's library where it has the function, which is several times as fast as zlib."""
    inflate = _library()
    if inflate is None:
        try:
            plain = zlib.decompressobj().decompress(data.data, len(target) + 1)
        except zlib.error:
            plain = b""
        if len(plain) == len(target):
            target[:] = np.frombuffer(plain, np.uint8)
            return
    else:
        count = ctypes.c_size_t()
        given = data.ctypes.data, len(data), target.ctypes.data, len(target)
        if inflate(None, *given, ctypes.byref(count)) == 0 and count.value == len(target):
            return
    raise UnreadableFile(path, "is cut off or damaged (a chunk can't be decompressed)", AGAIN)


@cache
def _library() -> Any:
    """Return OpenEXR's exr_uncompress_buffer (openexr_compression.h), or None where the module does not export it."""
    try:
        inflate = ctypes.CDLL(OpenEXR.__file__).exr_uncompress_buffer
    except (AttributeError, OSError):
        return None
    sizes = ctypes.c_size_t, ctypes.POINTER(ctypes.c_size_t)
    inflate.argtypes = [ctypes.c_void_p] * 2 + [sizes[0], ctypes.c_void_p, *sizes]
    inflate.restype = ctypes.c_int32
    return inflate
