"""Search tables of an inverse 3D LUT: the LUT with an extra outer layer, and a tree of boxes around its cells."""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import NDArray

from engine.kernel.op import Table

Array = NDArray[np.float32]

CENTRE, STEEPNESS = 0.5, 4.0
"""The outer layer repeats the faces, STEEPNESS times further from CENTRE."""


def extended(cube: Table) -> Table:
    """Return the 3D LUT with an outer layer that extends it, so that colours beyond its faces have a position."""
    inside = cube.array
    outside = np.pad(inside, ((1, 1), (1, 1), (1, 1), (0, 0)), "edge")
    result = np.float32(CENTRE) + np.float32(STEEPNESS) * (outside - np.float32(CENTRE))
    result[1:-1, 1:-1, 1:-1] = inside
    return Table(result)


def cube_tree(cube: Table) -> Table:
    """Return boxes (nodes, 2, 4) around the cells' colours of an extended 3D LUT: the LUT's, then the outer layer's.

    Both are octrees in Morton order (Morton, 1966): a box around several cells comes before the boxes inside it. Row 0
    is a box's lowest R, G, B and the number of the node to continue with if the box does not contain a colour; row 1 is
    its highest R, G, B and, for a single cell, the entry at the low corner, else -1. Traversal needs no stack.
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
    """Return the nodes of one octree around cells, numbered from 0."""
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
    """Return the smallest and the largest values of the eight corners of each cell."""
    last = array.shape[0] - 1
    corners = [array[i : i + last, j : j + last, k : k + last] for i, j, k in itertools.product((0, 1), repeat=3)]
    return np.fmin.reduce(corners), np.fmax.reduce(corners)


def _interleaved(places: NDArray[np.int64]) -> NDArray[np.int64]:
    """Interleave the bits of b, g, r, the highest first: among several cells, OpenColorIO also prefers the least b."""
    code = np.zeros(len(places), np.int64)
    for bit in range(8):
        for axis in range(3):
            code |= ((places[:, axis] >> bit) & 1) << (3 * bit + axis)
    return code
