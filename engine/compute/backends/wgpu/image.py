"""How an image lies on the device: RGBA, in one or more buffers of whole rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.compute.backends.base import DISPLAY
from engine.core.geometry import Rect

PIXEL_BYTES = {np.dtype(np.float32): 16, np.dtype(np.float16): 8, DISPLAY: 4}
STORAGE = {np.dtype(np.float32): ("vec4f", "float"), np.dtype(np.float16): ("vec2u", "half"), DISPLAY: ("u32", "bytes")}
"""The type of a pixel in WGSL, and the name of its functions in storages.wgsl."""


@dataclass(frozen=True)
class Chunk:
    """Some rows of an image."""

    buffer: Any
    top: int
    bottom: int


@dataclass(frozen=True)
class Image:
    """The rows of an image, from top to bottom."""

    chunks: tuple[Chunk, ...]

    def within(self, top: int, bottom: int) -> Iterator[tuple[Chunk, int, int]]:
        """The chunks that hold some of these rows, and which."""
        for chunk in self.chunks:
            first, last = max(chunk.top, top), min(chunk.bottom, bottom)
            if first < last:
                yield chunk, first, last


def rows_per_chunk(width: int, limit: int) -> int:
    """As many as fit in `limit` bytes at the largest storage, so that all storages split alike; 0 where none does."""
    return limit // (width * max(PIXEL_BYTES.values()))


def cuts(width: int, height: int, limit: int) -> list[Rect]:
    """The rows of each chunk of an image."""
    step = rows_per_chunk(width, limit)
    return [Rect(0, top, width, min(step, height - top)) for top in range(0, height, step)]


def aliases(source: np.dtype[Any], target: np.dtype[Any], packs_halves: bool) -> str:
    """The lines that tell a shader how its images are stored; halves by the device's own packing if it is right."""
    (read, reader), (written, writer) = STORAGE[source], STORAGE[target]
    if writer == "half" and packs_halves:
        writer = "half_packed"
    return (
        f"alias Source = {read};\n"
        f"alias Target = {written};\n"
        f"fn unpacked(pixel: Source) -> vec4f {{ return from_{reader}(pixel); }}\n"
        f"fn packed(pixel: vec4f) -> Target {{ return to_{writer}(pixel); }}\n"
    )
