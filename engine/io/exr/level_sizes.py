"""Sizes of the levels of mip-maps and rip-maps, as the OpenEXR file layout document gives them."""

from __future__ import annotations


def level_count(side: int, rounding: int) -> int:
    """Levels until a side of `side` pixels is down to one."""
    return (side - 1 if rounding else side).bit_length() + (1 if rounding else 0)


def level_side(side: int, level: int, rounding: int) -> int:
    """A side's length `level` halvings down."""
    return max(1, -(-side // (1 << level)) if rounding else side >> level)


def level_sizes(width: int, height: int, mode: int, rounding: int) -> list[tuple[int, int]]:
    """Width and height of every level, a rip-map's with x fastest; `mode` is 0 for one level, 1 for mip, 2 for rip."""
    if mode == 0:
        return [(width, height)]
    if mode == 1:
        levels = range(level_count(max(width, height), rounding))
        return [(level_side(width, n, rounding), level_side(height, n, rounding)) for n in levels]
    across = [level_side(width, x, rounding) for x in range(level_count(width, rounding))]
    down = [level_side(height, y, rounding) for y in range(level_count(height, rounding))]
    return [(x, y) for y in down for x in across]
