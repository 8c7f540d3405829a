"""How a large file is cut for viewing: units that are decoded alone, sparse samples, and the order they come in.

Pure integers. Units are whole chunks of the file, and their sides are multiples of 2**COARSEST_LEVEL, so that a unit is
whole pixels of every level up to that one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from engine.core.geometry import Rect

COARSEST_LEVEL = 4
"""The last level that is made while decoding; coarser ones follow from it at little cost."""
LEAST_PIXELS = 1 << 17
"""A unit has at least so many pixels, so that calls cost little beside decoding."""
SAMPLE_SHARE = 16
"""Samples are at most one chunk in so many."""
MOST_BANDS, MOST_TILES = 256, 48
"""Samples: bands of lines, and tiles along an axis."""


@dataclass(frozen=True)
class Grid:
    """An image of `width` x `height` in units of `across` x `down` pixels, the last of a row or column smaller."""

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
        """The pixels of a unit, counted row by row."""
        row, column = divmod(unit, self.columns)
        return Rect(column * self.across, row * self.down, self.across, self.down).clipped(self.width, self.height)

    def touching(self, rect: Rect) -> list[int]:
        """The units that hold some of these pixels, those nearest to their middle first."""
        columns = range(rect.x // self.across, -(-rect.right // self.across))
        rows = range(rect.y // self.down, -(-rect.bottom // self.down))
        x, y = (columns[0] + columns[-1]) / 2, (rows[0] + rows[-1]) / 2
        places = [(max(abs(row - y), abs(column - x)), row, column) for row in rows for column in columns]
        return [row * self.columns + column for _, row, column in sorted(places)]


def grid_for(width: int, height: int, chunk: tuple[int, int]) -> Grid:
    """The units of an image whose chunks are (width, height) pixels, the width 0 for whole lines."""
    step = 1 << COARSEST_LEVEL
    down = math.lcm(chunk[1], step)
    across = math.lcm(chunk[0], step) if chunk[0] else width
    while chunk[0] and across * down < LEAST_PIXELS:
        across, down = 2 * across, 2 * down
    if not chunk[0]:
        down *= max(1, LEAST_PIXELS // (across * down))
    return Grid(width, height, across, down)


def samples_of(width: int, height: int, chunk: tuple[int, int]) -> list[list[Rect]]:
    """Rows of single chunks, evenly over the image: enough for a first look, few enough to be decoded at once."""
    lines = _spread(-(-height // chunk[1]), MOST_TILES if chunk[0] else MOST_BANDS, 4 if chunk[0] else SAMPLE_SHARE)
    columns = _spread(-(-width // chunk[0]), MOST_TILES, 4) if chunk[0] else [0]
    wide = chunk[0] or width
    return [
        [Rect(column * wide, line * chunk[1], wide, chunk[1]).clipped(width, height) for column in columns]
        for line in lines
    ]


def _spread(count: int, most: int, share: int) -> list[int]:
    """Numbers below `count`, evenly apart: at most `most`, and one in `share`."""
    wanted = max(1, min(most, count // share))
    return [(2 * n + 1) * count // (2 * wanted) for n in range(wanted)]


def interleaved(grid: Grid) -> list[int]:
    """All units, so that those at any stage lie evenly over the image."""
    bits = max(grid.columns, grid.rows, 2).bit_length()

    def key(unit: int) -> tuple[int, int]:
        row, column = divmod(unit, grid.columns)
        return _reversed(row, bits) | _reversed(column, bits), _reversed(row, bits)

    return sorted(range(len(grid)), key=key)


def _reversed(number: int, bits: int) -> int:
    return int(f"{number:0{bits}b}"[::-1], 2)
