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
PLACE, PLANES, STAGING, QUEUE, PLACES, POINTS, SIDES, EDGES, DISTANCES = 4, 8, 16, 20, 24, 26, 30, 31, 32
"""A band's scratch memory, in planes of BLOCK floats: R, G, B, A; from PLACE on x, y and their low-order parts; from
PLANES on the pixel's further planes; one packed block, or a copy of R, G, B, A; a queue of pixels, and their places as
int64; the points of a `path_distance`, the sides that they are on, a choice of edges, and a plane for each result."""
WORK = POINTS * BLOCK
"""Floats of a band's scratch memory for ops without `path_distance`."""
HALF, FLOAT, BYTE = 0, 1, 2
"""Storages of a channel: float16, float32, or 8 bits for display (only for targets)."""
ANY_TEXT, ANY_CHARACTER = -1, -2
"""What stands for `*` and `?` among the characters of a pattern for names."""


CHUNK_FIELDS = 7
"""The numbers of each chunk that `chunk_lines` decodes."""


class ChunkLines(NamedTuple):
    """Chunks to decode, so many `chunks`, of `pixel_bytes` a pixel, and where the samples of the wanted channels go.

    `target` is the address of so many `rows`, of numbers of this `storage`; rows, channels and pixels are as many
    numbers apart as the strides say. `inflate` is the address of the function that inflates chunks, `largest` the bytes
    of the largest one, rounded up to 8.
    """

    chunks: int
    pixel_bytes: int
    wanted: int
    rows: int
    target: int
    storage: int
    row_stride: int
    channel_stride: int
    pixel_stride: int
    inflate: int
    largest: int


class Buffer(NamedTuple):
    """An image in memory: `stride` is the number of pixels from one row to the next."""

    address: int
    storage: int
    channels: int
    stride: int


class Band(NamedTuple):
    """Pixels `first` to `last` (exclusive) of a region of `width`, counted along its rows, for a run of ops.

    `past_cache` says whether to use non-temporal stores, for a target with 16-byte alignment and no gaps between rows.
    `ops` is the number of ops to run, `all_ops` the number with those that repair pixels. `inputs` is the address of
    the Inputs of the ops, 0 if they read none. `planar` is that of the Planar that is read instead of `source`, or 0;
    `unpack` is that of the function that reads it.
    """

    first: int
    last: int
    source: Buffer
    target: Buffer
    width: int
    past_cache: int
    ops: int
    all_ops: int
    inputs: int
    planar: int = 0
    unpack: int = 0


class Inputs(NamedTuple):
    """What ops read beside the channels of a pixel: its place if `placed`, and `images` images of four planes.

    The place of pixel (i, j) of the region is (x + (column + i + .5) * step_x, ...); `numbers` is the address of x, y,
    step_x and step_y as float64.
    """

    placed: int
    numbers: int
    column: int
    row: int
    images: int
    low: Buffer
    high: Buffer


class Samples(NamedTuple):
    """A plane of samples of `bytes` bytes (0: no plane), whose codes are the bits from `shift` on.

    `row` is the number of samples from one row to the next, `step` from one column to the next.
    """

    address: int
    row: int
    bytes: int
    step: int
    shift: int


class Planar(NamedTuple):
    """A planar frame, and the place of a region in it. A chroma width of 0 says that there is no chroma.

    `across` and `down` say whether chroma is subsampled, `phase_x` and `phase_y` how many half luma samples its first
    sample lies right of and below that of luma. `neutral` is the code of no colour.
    """

    luma: Samples
    cb: Samples
    cr: Samples
    alpha: Samples
    chroma_width: int
    chroma_height: int
    across: int
    down: int
    phase_x: int
    phase_y: int
    column: int
    row: int
    neutral: int


class SampleBand(NamedTuple):
    """Rows `top` to `bottom` (exclusive) of codes, for a plane of a frame.

    A pixel of the image `source` (float32) gives as many samples of `target` as that has in a column, from `channel`
    on, clamped to the codes `low` to `high`. `noise` says whether noise is added first, which is made from `key`, and
    for a second sample from `next_key`.
    """

    source: Buffer
    target: Samples
    width: int
    top: int
    bottom: int
    channel: int
    low: int
    high: int
    noise: int
    key: int
    next_key: int


class FilterBand(NamedTuple):
    """Rows `top` to `bottom` (exclusive) of a filter's result, and the number of weights per column and per row.

    `column_places` and `row_places` are the numbers of places of weights that are not 0; 0 if all weights are used. The
    columns `even_first` to `even_last` (exclusive) have the same weights, for source pixels one after the other.
    `fours` says whether pixels have four channels, and all columns four weights that are not 0.
    """

    top: int
    bottom: int
    source: Buffer
    target: Buffer
    source_width: int
    target_width: int
    column_weights: int
    row_weights: int
    column_places: int
    row_places: int
    even_first: int
    even_last: int
    fours: int


class ExtremeLines(NamedTuple):
    """Lines `first` to `last` (exclusive) for one axis of a window's extremes: rows, or strips of columns.

    A line is `groups` groups of `wide` floats, fewer in the last of lines that have `floats` side by side. `*_line` and
    `*_step` are the floats from one line to the next, and from one group to the next, in the images at the addresses
    `source` and `target`. `steps` is the number of steps.
    """

    source: int
    target: int
    source_line: int
    target_line: int
    source_step: int
    target_step: int
    groups: int
    wide: int
    floats: int
    steps: int
    largest: int
    first: int
    last: int


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


def part_of(geometry: NDArray[np.int64], first: int, last: int) -> NDArray[np.int64]:
    """Return the numbers of a geometry that begins with the first and the last (exclusive) of its pixels or rows, for
    others of these."""
    part = geometry.copy()
    part[0], part[1] = first, last
    return part


def _flat(geometry: tuple[Any, ...]) -> Iterator[int]:
    for part in geometry:
        if isinstance(part, tuple):
            yield from _flat(part)
        else:
            yield part
