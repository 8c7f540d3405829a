"""Rectangles and tiles, device limits, and the processing strategy that follows from them. Integers only.

Pixel coordinates start at the top left of the image's data window; a Rect is half-open in both axes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

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
