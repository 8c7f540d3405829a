"""Division of a large file for viewing: units that are decoded separately, sparse samples, and the decoding order.

All numbers are integers. Units are whole chunks of the file, and their sides are multiples of 2**COARSEST_LEVEL, so
that a unit covers whole pixels of every level up to that one.
"""

from __future__ import annotations

import math

from engine.core.geometry import Rect
from engine.core.records import dataclass

COARSEST_LEVEL = 4
"""The last level that is made while decoding; coarser ones are made from it at little cost."""
LEAST_PIXELS = 1 << 17
"""The fewest pixels of a unit, so that the overhead of calls is small."""
SAMPLE_SHARE = 16
"""At most one chunk in this many is sampled."""
MOST_BANDS, MOST_TILES = 256, 48
"""The most samples: bands of scanlines, and tiles along an axis."""


@dataclass(frozen=True)
class Grid:
    """An image of `width` x `height` in units of `across` x `down` pixels; the last of a row or column are smaller."""

    width: int
    height: int
    across: int
    down: int

    @property
    def columns(self) -> int:
        return -(-self.width // self.across)

    @property
    def rows(self) -> int:
        return -(-self.height // self.down)

    def __len__(self) -> int:
        return self.columns * self.rows

    def rect(self, unit: int) -> Rect:
        """Return the region of a unit; units are numbered row by row."""
        row, column = divmod(unit, self.columns)
        return Rect(column * self.across, row * self.down, self.across, self.down).clipped(self.width, self.height)

    def touching(self, rect: Rect) -> list[int]:
        """Return the units that contain some of these pixels, those nearest to the middle first."""
        columns = range(rect.x // self.across, -(-rect.right // self.across))
        rows = range(rect.y // self.down, -(-rect.bottom // self.down))
        x, y = (columns[0] + columns[-1]) / 2, (rows[0] + rows[-1]) / 2
        places = [(max(abs(row - y), abs(column - x)), row, column) for row in rows for column in columns]
        return [row * self.columns + column for _, row, column in sorted(places)]


def grid_for(width: int, height: int, chunk: tuple[int, int]) -> Grid:
    """Return the units of an image whose chunks are (width, height) pixels, with width 0 for whole scanlines."""
    step = 1 << COARSEST_LEVEL
    down = math.lcm(chunk[1], step)
    across = math.lcm(chunk[0], step) if chunk[0] else width
    while chunk[0] and across * down < LEAST_PIXELS:
        across, down = 2 * across, 2 * down
    if not chunk[0]:
        down *= max(1, LEAST_PIXELS // (across * down))
    return Grid(width, height, across, down)


def samples_of(width: int, height: int, chunk: tuple[int, int]) -> list[list[Rect]]:
    """Return rows of single chunks, evenly spread over the image: few enough to decode at once for a first look."""
    lines = _spread(-(-height // chunk[1]), MOST_TILES if chunk[0] else MOST_BANDS, 4 if chunk[0] else SAMPLE_SHARE)
    columns = _spread(-(-width // chunk[0]), MOST_TILES, 4) if chunk[0] else [0]
    wide = chunk[0] or width
    return [
        [Rect(column * wide, line * chunk[1], wide, chunk[1]).clipped(width, height) for column in columns]
        for line in lines
    ]


def _spread(count: int, most: int, share: int) -> list[int]:
    """Return evenly spaced numbers below `count`: at most `most`, and at most one in `share`."""
    wanted = max(1, min(most, count // share))
    return [(2 * n + 1) * count // (2 * wanted) for n in range(wanted)]


def interleaved(grid: Grid) -> list[int]:
    """Return all units in an order in which those decoded so far are always evenly spread over the image."""
    bits = max(grid.columns, grid.rows, 2).bit_length()

    def key(unit: int) -> tuple[int, int]:
        row, column = divmod(unit, grid.columns)
        return _reversed(row, bits) | _reversed(column, bits), _reversed(row, bits)

    return sorted(range(len(grid)), key=key)


def _reversed(number: int, bits: int) -> int:
    return int(f"{number:0{bits}b}"[::-1], 2)
