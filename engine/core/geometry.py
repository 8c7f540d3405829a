"""Rectangles and tiles, places in the display window, device limits, and the strategy that follows from them.

Pixel coordinates start at the top left of the image's data window; a Rect is half-open in both axes. All are integers
but for those of a Place.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from engine.core.records import dataclass

VRAM_SAFETY_MARGIN = 0.4
"""Share of a device's memory that Tessera leaves unused."""
VRAM_TILE_OVERHEAD = 3.0
"""Images in memory at once while one is processed: source, result, intermediate."""
DEFAULT_VRAM_BYTES = 2 * 1024**3
"""Assumed memory of a device that does not report it."""
DEFAULT_MAX_TEXTURE_DIM = 16384
"""Assumed longest side of a tile, in pixels, for a device that does not report it."""
STREAMING_THRESHOLD_BYTES = 8 * 1024**3
"""Images larger than this are streamed rather than kept in main memory."""
MIN_TILE = 64
"""Smallest side of a tile, in pixels."""
BYTES_PER_SAMPLE = 4


@dataclass(frozen=True)
class Rect:
    """A half-open rectangle of pixels: columns x .. x+width, rows y .. y+height."""

    x: int
    y: int
    width: int
    height: int

    @property
    def right(self) -> int:
        return self.x + self.width

    @property
    def bottom(self) -> int:
        return self.y + self.height

    @property
    def pixels(self) -> int:
        return self.width * self.height

    def within(self, outer: Rect) -> tuple[slice, slice]:
        """Return the rows and columns of this rectangle as slices of an array that holds `outer`."""
        top, left = self.y - outer.y, self.x - outer.x
        return slice(top, top + self.height), slice(left, left + self.width)

    def clipped(self, width: int, height: int) -> Rect:
        """Return the part inside an image of the given size (possibly empty)."""
        left, top = min(max(self.x, 0), width), min(max(self.y, 0), height)
        right, bottom = min(max(self.right, left), width), min(max(self.bottom, top), height)
        return Rect(left, top, right - left, bottom - top)


@dataclass(frozen=True)
class Place:
    """Where the pixels of an image are in the display window, in its pixels at level 0, from its top left corner.

    The centre of pixel (i, j) of the image is (x + (column + i + .5) * step_x, y + (row + j + .5) * step_y). `column`
    and `row` are the first pixel of a part, such as a tile: they are whole numbers of their own, so that a pixel has
    the same bits of x and y in any tile.
    """

    x: float = 0.0
    y: float = 0.0
    step_x: float = 1.0
    step_y: float = 1.0
    column: int = 0
    row: int = 0

    def part(self, column: int, row: int) -> Place:
        """Return the place of the part that begins at a pixel of this image."""
        return replace(self, column=self.column + column, row=self.row + row)

    def in_halves(self) -> list[float]:
        """Return x, step_x, y and step_y as float32, each followed by what float32 loses of it."""
        exact = (self.x, self.step_x, self.y, self.step_y)
        return [half for n in exact for half in (float(np.float32(n)), float(np.float32(n - float(np.float32(n)))))]

    def centres(self, width: int, height: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return x, (1, width), and y, (height, 1), of an image's pixels."""
        columns = self.x + (self.column + np.arange(width, dtype=np.float64) + 0.5) * self.step_x
        rows = self.y + (self.row + np.arange(height, dtype=np.float64) + 0.5) * self.step_y
        return columns[None, :], rows[:, None]


def around(rects: Iterable[Rect]) -> Rect:
    """Return the smallest rectangle that holds all of these; at least one."""
    held = list(rects)
    x, y = min(rect.x for rect in held), min(rect.y for rect in held)
    return Rect(x, y, max(rect.right for rect in held) - x, max(rect.bottom for rect in held) - y)


def tiles(width: int, height: int, tile_width: int, tile_height: int = 0) -> Iterator[Rect]:
    """Cut an image into tiles, row by row; the last ones are smaller if the sides do not divide evenly."""
    tile_height = tile_height or tile_width
    for y in range(0, height, tile_height):
        for x in range(0, width, tile_width):
            yield Rect(x, y, min(tile_width, width - x), min(tile_height, height - y))


@dataclass(frozen=True)
class GpuLimits:
    """The memory limits of a device. Sizes in bytes; `max_tile_dim` in pixels.

    `available_memory` is the share of `total_memory` that Tessera uses (60 %); `detected` is False if the sizes are
    defaults rather than readings.
    """

    max_tile_dim: int = DEFAULT_MAX_TEXTURE_DIM
    max_buffer_bytes: int = DEFAULT_VRAM_BYTES
    total_memory: int = DEFAULT_VRAM_BYTES
    available_memory: int = int(DEFAULT_VRAM_BYTES * (1.0 - VRAM_SAFETY_MARGIN))
    detected: bool = False

    @classmethod
    def with_vram(cls, total: int, max_tile_dim: int = DEFAULT_MAX_TEXTURE_DIM, max_buffer: int = 0) -> GpuLimits:
        """Return the limits of a device with a known amount of memory."""
        return cls(max_tile_dim, max_buffer or total, total, int(total * (1.0 - VRAM_SAFETY_MARGIN)), True)

    def fits(self, width: int, height: int, channels: int) -> bool:
        """Return whether a float32 image can be processed in one piece."""
        image = width * height * channels * BYTES_PER_SAMPLE
        return (
            image * VRAM_TILE_OVERHEAD <= self.available_memory
            and image <= self.max_buffer_bytes
            and max(width, height) <= self.max_tile_dim
        )

    def optimal_tile_size(self, width: int, height: int, channels: int, halo: int = 0) -> int:
        """Return the largest power of two whose square tile, halo included, fits; at least MIN_TILE.

        The tile is no larger than needed to cover the image's longer side.
        """
        size = MIN_TILE
        while size < max(width, height) and self.fits(2 * size + 2 * halo, 2 * size + 2 * halo, channels):
            size *= 2
        return size


class StrategyKind(Enum):
    """The three ways to process an image."""

    SINGLE_PASS = "single pass"
    TILED = "tiled"
    STREAMING = "streaming"


@dataclass(frozen=True)
class ProcessingStrategy:
    """How an image is processed; `tile_size` and `num_tiles` are 0 in a single pass."""

    kind: StrategyKind
    tile_size: int = 0
    num_tiles: int = 0

    @classmethod
    def recommend(cls, width: int, height: int, channels: int, limits: GpuLimits, halo: int = 0) -> ProcessingStrategy:
        """Choose streaming if the image exceeds main memory, a single pass if it fits the device, else tiles."""
        if width * height * channels * BYTES_PER_SAMPLE > STREAMING_THRESHOLD_BYTES:
            kind = StrategyKind.STREAMING
        elif limits.fits(width, height, channels):
            return cls(StrategyKind.SINGLE_PASS)
        else:
            kind = StrategyKind.TILED
        size = limits.optimal_tile_size(width, height, channels, halo)
        return cls(kind, size, -(-width // size) * -(-height // size))
