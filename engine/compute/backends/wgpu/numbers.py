"""The integers and floats that shaders read beside images: a type for each entry point, its fields in the order in
which the shader reads them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.core.geometry import Place

CONSTANTS = (0x7F800000, 0x7FC00000, 0)
"""Numbers 2 to 4 of every kernel that uses maths.wgsl: the bits of Inf and of NaN, and 0."""


class PointNumbers(NamedTuple):
    """The numbers of `point` in point.wgsl; the offset of each table follows. `row`: workgroups in a row."""

    pixels: int
    row: int
    infinity: int
    nan: int
    zero: int


class PlaceNumbers(NamedTuple):
    """The numbers of `point` in point.wgsl that follow the tables' offsets, if it reads the place of pixels.

    `width` is that of the image, `column` and `row` are its first pixel; the others are those of Place, each followed
    by what float32 loses of it.
    """

    width: int
    column: int
    row: int
    x: float
    x_low: float
    step_x: float
    step_x_low: float
    y: float
    y_low: float
    step_y: float
    step_y_low: float

    @classmethod
    def of(cls, place: Place, width: int) -> PlaceNumbers:
        return cls(width, place.column, place.row, *place.in_halves())


class PlanarNumbers(NamedTuple):
    """The numbers of `point` in point.wgsl that follow those, if it reads a planar frame.

    `width` is that of the region, `column` and `row` are its first pixel; the buffer has the rows `top` to `bottom`
    (exclusive). `packing` is the binary logarithm of the samples in a word. `luma` to `alpha` are the samples of the
    buffer with which planes begin, or would begin if they had all rows of the frame. `across` and `down` say whether
    chroma is subsampled, `phase_x` and `phase_y` by how many half luma samples it is shifted.
    """

    width: int
    column: int
    row: int
    top: int
    bottom: int
    packing: int
    shift: int
    step: int
    luma: int
    cb: int
    cr: int
    alpha: int
    chroma_width: int
    chroma_height: int
    chroma_row: int
    luma_row: int
    across: int
    down: int
    phase_x: int
    phase_y: int
    neutral: int
    has_alpha: int


class SampleNumbers(NamedTuple):
    """The numbers of `samples` in samples.wgsl. `groups`: workgroups in a row; `columns`: samples in a row.

    `noise` says whether noise is added, which is made from the keys of a column's first and second sample.
    """

    samples: int
    groups: int
    word: int
    first: int
    columns: int
    step: int
    top: int
    bottom: int
    channel: int
    packing: int
    shift: int
    low: int
    high: int
    noise: int
    key: int
    next_key: int


class ScopeNumbers(NamedTuple):
    """The numbers of scopes.wgsl. `row`: invocations in a row of workgroups; `start` and `scale` are the axis's."""

    pixels: int
    row: int
    infinity: int
    nan: int
    zero: int
    width: int
    bins: int
    columns: int
    in_stops: int
    start: float
    scale: float


class ExtremeNumbers(NamedTuple):
    """The numbers of `extreme` in extremes.wgsl.

    The buffer of the result has `rows` from `first` on, that of the source has `top` to `bottom` (exclusive). `begins`
    says whether the result begins with this buffer of the source.
    """

    width: int
    height: int
    first: int
    rows: int
    top: int
    bottom: int
    begins: int
    step_x: int
    step_y: int
    largest: int
    nan: int


class StatisticsNumbers(NamedTuple):
    """The numbers of `statistics` in statistics.wgsl."""

    pixels: int
    groups: int


class DownNumbers(NamedTuple):
    """The numbers of `down` in taps.wgsl.

    `first` is the strip's first row in the image. The rows `top` to `bottom` (exclusive) of the source are in the
    buffer. `begins` says whether the sums begin with this buffer. `sets` counts the sets of weights.
    """

    width: int
    rows: int
    first: int
    top: int
    bottom: int
    begins: int
    sets: int


class AlongNumbers(NamedTuple):
    """The numbers of `along` in taps.wgsl. `strip_top`, `top`: the first row in the strip, and in the result's buffer.

    `sets` counts the sets of weights.
    """

    strip_width: int
    width: int
    rows: int
    strip_top: int
    top: int
    sets: int


def words(*numbers: float) -> NDArray[np.uint32]:
    """Return numbers as 32-bit words: integers, and the bits of floats."""
    bits = (np.float32(n).view(np.uint32) if isinstance(n, float) else int(n) & 0xFFFFFFFF for n in numbers)
    return np.array(list(bits), np.uint32)
