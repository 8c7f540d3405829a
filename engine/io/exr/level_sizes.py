"""Sizes of mip and rip levels, as in the OpenEXR file layout document."""

from __future__ import annotations


def level_count(side: int, rounding: int) -> int:
    """Return the number of levels that reduce a side of `side` pixels to one; `rounding` is 0 for down, 1 for up."""
    return (side - 1 if rounding else side).bit_length() + (1 if rounding else 0)


def level_side(side: int, level: int, rounding: int) -> int:
    """Return the length of a side after `level` halvings."""
    return max(1, -(-side // (1 << level)) if rounding else side >> level)


def level_sizes(width: int, height: int, mode: int, rounding: int) -> list[tuple[int, int]]:
    """Return width and height of every level, rip levels with x fastest; `mode` is 0 for one level, 1 mip, 2 rip."""
    if mode == 0:
        return [(width, height)]
    if mode == 1:
        levels = range(level_count(max(width, height), rounding))
        return [(level_side(width, n, rounding), level_side(height, n, rounding)) for n in levels]
    across = [level_side(width, x, rounding) for x in range(level_count(width, rounding))]
    down = [level_side(height, y, rounding) for y in range(level_count(height, rounding))]
    return [(x, y) for y in down for x in across]
