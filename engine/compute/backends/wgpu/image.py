"""The layout of images on the device: RGBA, in one or more buffers of whole rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from engine.compute.backends.base import DISPLAY
from engine.core.geometry import Rect
from engine.core.records import dataclass

PIXEL_BYTES = {np.dtype(np.float32): 16, np.dtype(np.float16): 8, DISPLAY: 4}
SAMPLES = np.dtype(np.uint32)
"""Stands for the storage of a planar frame, as a source: words of samples."""
STORAGE = {np.dtype(np.float32): ("vec4f", "float"), np.dtype(np.float16): ("vec2u", "half"), DISPLAY: ("u32", "bytes")}
"""The WGSL type of a pixel, and the suffix of its functions in storages.wgsl."""


@dataclass(frozen=True)
class Chunk:
    """A buffer with some rows of an image."""

    buffer: Any
    top: int
    bottom: int


@dataclass(frozen=True)
class Image:
    """The rows of an image, from top to bottom."""

    chunks: tuple[Chunk, ...]

    @property
    def buffers(self) -> list[Any]:
        return [chunk.buffer for chunk in self.chunks]

    def within(self, top: int, bottom: int) -> Iterator[tuple[Chunk, int, int]]:
        """Yield the chunks that contain some of these rows, with the range of those rows."""
        for chunk in self.chunks:
            first, last = max(chunk.top, top), min(chunk.bottom, bottom)
            if first < last:
                yield chunk, first, last


def rows_per_chunk(width: int, limit: int) -> int:
    """Return the number of rows that fit in `limit` bytes, 0 if none does.

    The largest storage counts, so that images of all storages are split alike.
    """
    return limit // (width * max(PIXEL_BYTES.values()))


def cuts(width: int, height: int, limit: int) -> list[Rect]:
    """Return the region of each chunk of an image."""
    step = rows_per_chunk(width, limit)
    return [Rect(0, top, width, min(step, height - top)) for top in range(0, height, step)]


def aliases(source: np.dtype[Any], target: np.dtype[Any], packs_halves: bool) -> str:
    """Return the lines of a shader that define how its images are stored; `packs_halves`: by `pack2x16float`."""
    written, writer = STORAGE[target]
    if writer == "half" and packs_halves:
        writer = "half_packed"
    lines = f"alias Target = {written};\nfn packed(pixel: vec4f) -> Target {{ return to_{writer}(pixel); }}\n"
    if source == SAMPLES:
        return lines + "alias Source = u32;\n"
    read, reader = STORAGE[source]
    return f"{lines}alias Source = {read};\nfn unpacked(pixel: Source) -> vec4f {{ return from_{reader}(pixel); }}\n"
