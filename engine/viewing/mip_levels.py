"""Sizes and regions of the mip levels that views are made from."""

from __future__ import annotations

import math

from engine.core.geometry import Rect


def level_size(width: int, height: int, level: int) -> tuple[int, int]:
    """Return the size of a level. A pixel of level n covers 2**n x 2**n of level 0, fewer at the right and bottom."""
    return -(-width >> level), -(-height >> level)


def level_for(shrink: float) -> int:
    """Return the coarsest level with enough pixels for a view whose pixels show `shrink` pixels of level 0."""
    return max(0, int(shrink).bit_length() - 1)


def needed(region: tuple[float, float, float, float], level: int, size: tuple[int, int]) -> Rect:
    """Return the pixels of a level that a region of level 0 needs, including those that filters read beyond it."""
    x, y, width, height = (v / (1 << level) for v in region)
    left, top = math.floor(x) - 2, math.floor(y) - 2
    return Rect(left, top, math.ceil(x + width) + 2 - left, math.ceil(y + height) + 2 - top).clipped(*size)
