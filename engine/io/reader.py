"""What a reader of a part is: it decodes rectangles of chosen channels.

A reader returns arrays (height, width, channels) in the order of its `names`; rectangles are relative to the top left
of the data window. Where a part mixes types the array is float32, which represents half exactly; with `raw_uint` it
holds the bits of uint channels, so that they can be passed through.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.core.file_errors import AGAIN, reading
from engine.core.geometry import Rect
from engine.errors import UnreadableFile
from engine.io.exr import header as exr_header
from engine.io.info import PartInfo

Array = NDArray[Any]
LARGE_BYTES = 1 << 29
"""An image that is decoded as a whole may take this many bytes, or 256 times the size of its file."""


def aligned(part: PartInfo, rect: Rect) -> Rect:
    """Return the smallest rectangle around `rect` that consists of whole chunks of a part."""
    if part.tile_size:
        wide, high = part.tile_size
        x, right = rect.x // wide * wide, min(-(-rect.right // wide) * wide, part.width)
    else:
        high = exr_header.CHUNK_ROWS.get(part.compression.partition(":")[0], 1) if part.type == "scanline" else 1
        x, right = 0, part.width
    y, bottom = rect.y // high * high, min(-(-rect.bottom // high) * high, part.height)
    return Rect(x, y, right - x, bottom - y)


class Reader(ABC):
    """Reads one part of one file. Not thread-safe."""

    names: tuple[str, ...]
    dtype: np.dtype[Any]
    in_bands = True
    """Whether a large region is better read in several bands."""

    @property
    def whole_bytes(self) -> int:
        """Bytes of memory needed because the file can't be read in pieces; 0 if it can."""
        return 0

    @abstractmethod
    def align(self, rect: Rect) -> Rect:
        """Return the smallest rectangle around `rect` that consists of whole chunks."""

    @abstractmethod
    def read(self, rect: Rect) -> Array:
        """Return the samples of an aligned rectangle."""

    @abstractmethod
    def close(self) -> None:
        """Close the file."""


class WholeReader(Reader):
    """Base class for files that can't be read in pieces: decodes all pixels on the first read and keeps them."""

    def __init__(self, path: Path, part: PartInfo, names: tuple[str, ...]) -> None:
        self.path, self.part, self.names = path, part, names
        self._pixels: Array | None = None

    def align(self, rect: Rect) -> Rect:
        return rect

    def read(self, rect: Rect) -> Array:
        pixels = self._pixels
        if pixels is None:
            with reading(self.path, "is cut off or damaged"):
                self._check_size()
                pixels = self._pixels = self._load()
        return pixels[rect.y : rect.bottom, rect.x : rect.right].copy()

    def _check_size(self) -> None:
        """Raise UnreadableFile if the header claims implausibly many pixels."""
        size = self.part.width * self.part.height * 4 * len(self.part.channels)
        if size > max(LARGE_BYTES, 256 * self.path.stat().st_size):
            raise UnreadableFile(self.path, f"claims {size >> 20} MB of pixels, but the file is too small", AGAIN)

    @property
    def whole_bytes(self) -> int:
        """Bytes of memory that reading takes: for all samples of the part, and for those of `names`."""
        pixels = self.part.width * self.part.height
        return pixels * (4 * len(self.part.channels) + self.dtype.itemsize * len(self.names))

    @abstractmethod
    def _load(self) -> Array:
        """Decode all pixels of `names`."""

    def close(self) -> None:
        self._pixels = None
