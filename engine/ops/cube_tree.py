"""What an inverse 3D LUT is searched with: the cube with one more layer around it, and boxes around its cells."""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import NDArray

from engine.kernel.op import Table

Array = NDArray[np.float32]

CENTRE, STEEPNESS = 0.5, 4.0
"""The outer layer lies where the faces do, this many times further from the centre."""


def extended(cube: Table) -> Table:
    """The cube with a layer around it that continues it outwards, so that colours beyond its faces have a place."""
    inside = cube.array
    outside = np.pad(inside, ((1, 1), (1, 1), (1, 1), (0, 0)), "edge")
    result = np.float32(CENTRE) + np.float32(STEEPNESS) * (outside - np.float32(CENTRE))
    result[1:-1, 1:-1, 1:-1] = inside
    return Table(result)


def cube_tree(cube: Table) -> Table:
    """Boxes (nodes, 2, 4) around the colours of an extended cube's cells: those of the cube, then those of the layer.

    Both are octrees in the order of Morton (1966): a box around several cells comes before the boxes inside of it. Row
    0 is a box's lowest R, G, B and the number of the node to go on with where it does not hold a colour; row 1 its
    highest and, where it is a single cell's, the entry at the low corner, else -1. So a walk needs no stack.
    """
    side = cube.size - 1
    axis = np.arange(side)
    places = np.stack(np.meshgrid(axis, axis, axis, indexing="ij"), axis=-1).reshape(-1, 3)
    boxes = np.stack([box.reshape(-1, 3) for box in _boxes(cube.array)], axis=1)
    outer = ((places == 0) | (places == side - 1)).any(axis=1)
    inner = _octree(places[~outer], boxes[~outer], cube.size)
    layer = _octree(places[outer], boxes[outer], cube.size)
    layer[:, 0, 3] += len(inner)
    return Table(np.concatenate([inner, layer]))


def _octree(places: NDArray[np.int64], boxes: Array, size: int) -> NDArray[np.float64]:
    """The nodes around cells, with the numbers that they have by themselves."""
    codes = _interleaved(places)
    order = np.argsort(codes)
    codes, boxes, entries = codes[order], boxes[order], places[order] @ (size**2, size, 1)
    parts = []
    for level in range(int(places.max()).bit_length() + 1):
        numbers, first = np.unique(codes >> (3 * level), return_index=True)
        cell = entries[first] if level == 0 else np.full(len(first), -1)
        begin, end = numbers << (3 * level), (numbers + 1) << (3 * level)
        low, high = np.fmin.reduceat(boxes[:, 0], first), np.fmax.reduceat(boxes[:, 1], first)
        parts.append((begin, end, np.full(len(first), -level), cell, low, high))
    begin, end, depth, cell, low, high = (np.concatenate(part) for part in zip(*parts, strict=True))
    order = np.lexsort((depth, begin))
    after = np.searchsorted(begin[order], end[order])
    return np.stack([np.column_stack([low[order], after]), np.column_stack([high[order], cell[order]])], axis=1)


def _boxes(array: Array) -> tuple[Array, Array]:
    """Least and largest of the eight corners of each cell."""
    last = array.shape[0] - 1
    corners = [array[i : i + last, j : j + last, k : k + last] for i, j, k in itertools.product((0, 1), repeat=3)]
    return np.fmin.reduce(corners), np.fmax.reduce(corners)


def _interleaved(places: NDArray[np.int64]) -> NDArray[np.int64]:
    """Bits of b, g, r in turn, the highest first: of several cells OpenColorIO too takes that of the least b."""
    code = np.zeros(len(places), np.int64)
    for bit in range(8):
        for axis in range(3):
            code |= ((places[:, axis] >> bit) & 1) << (3 * bit + axis)
    return code
