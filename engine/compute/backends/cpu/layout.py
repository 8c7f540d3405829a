"""Constants and geometries shared by compiled functions and their callers. Does not import numba.

A geometry says which pixels a compiled function works on. Its caller passes the address of `int64s(geometry)`; the
function reads it with the function of `geometry_readers` for its type.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

BLOCK = 512
"""Pixels per block: four planes of this length take 8 KB of the L1 cache."""
WORK = 14 * BLOCK
"""Floats of a band's scratch memory: the planes and one packed block; or the planes, a copy of them, and a queue."""
HALF, FLOAT, BYTE = 0, 1, 2
"""Storages of a channel: float16, float32, or 8 bits for display (only for targets)."""


class Buffer(NamedTuple):
    """An image in memory: `stride` is the number of pixels from one row to the next."""

    address: int
    storage: int
    channels: int
    stride: int


class Band(NamedTuple):
    """Pixels `first` to `last` (exclusive) of a region of `width`, counted along its rows, for a run of ops.

    `past_cache` says whether to use non-temporal stores, for a target with 16-byte alignment and no gaps between rows.
    `ops` is the number of ops to run, `all_ops` the number with those that repair pixels.
    """

    source: Buffer
    target: Buffer
    width: int
    first: int
    last: int
    past_cache: int
    ops: int
    all_ops: int


class FilterBand(NamedTuple):
    """Rows `top` to `bottom` (exclusive) of a filter's result, and the number of weights per column and per row."""

    source: Buffer
    target: Buffer
    source_width: int
    target_width: int
    top: int
    bottom: int
    column_weights: int
    row_weights: int


class Rows(NamedTuple):
    """Rows `top` to `bottom` (exclusive) of an image of `width`, for its statistics."""

    source: Buffer
    width: int
    top: int
    bottom: int


class ScopeRows(NamedTuple):
    """Rows for a scope: `bins` along the axis, or the size of a vectorscope, and columns of a waveform."""

    rows: Rows
    bins: int
    columns: int
    in_stops: int


def int64s(geometry: tuple[Any, ...]) -> NDArray[np.int64]:
    """Return the numbers of a geometry in order."""
    return np.array(list(_flat(geometry)), np.int64)


def _flat(geometry: tuple[Any, ...]) -> Iterator[int]:
    for part in geometry:
        if isinstance(part, tuple):
            yield from _flat(part)
        else:
            yield part
