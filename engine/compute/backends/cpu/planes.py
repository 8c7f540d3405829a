"""Planes of mattes on the CPU: bands of decoded samples, packed, and the rows of planes made from them.

Does not import numba: the functions that it calls are those of `plane_rows`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.compute.backends.cpu.kernels import function
from engine.compute.backends.cpu.layout import int64s
from engine.core.geometry import Rect
from engine.core.records import dataclass

IDS, VALUES, STARTS, COLUMNS, MORE_IDS, MORE_VALUES = range(6)
"""The addresses of a band in the order of `Band.addresses`; 0 for what it does not have."""
BAND_FIELDS = 6
LARGEST_COVERAGE = 1e30
"""Larger coverages, such as Inf, are this."""
HASH_FACTOR, HASH_SHIFT = 0x9E3779B1, 11
"""The hash of an ID in a table: multiplied, shifted right, and masked."""
TASK_SAMPLES = 1 << 18
"""The samples of level 0 of a task, at least."""
Floats = NDArray[np.float32]
Run = Callable[[Callable[[int], None], Iterable[int]], None]
"""Runs a function for each number, on several threads or one."""


class RankRows(NamedTuple):
    """Rows `top` to `bottom` (exclusive) of samples of `ranks`, and the numbers between rows, columns and channels."""

    top: int
    bottom: int
    width: int
    ranks: int
    row_stride: int
    column_stride: int
    channel_stride: int


class PlaneRows(NamedTuple):
    """Rows `top` to `bottom` and columns `left` to `right` (exclusive) of a plane at a mip level.

    `width` and `height` are those of the image at level 0; the part of the plane has `part_width` x `part_height`
    pixels, `across` columns and `down` rows from its corner, in bands of `band_rows`. The address of `target` is that
    of row 0, its rows are `stride` numbers apart and its columns `step`. `mask` is the size of the hash table of IDs
    less 1; `single` the only ID, or -1.
    """

    top: int
    bottom: int
    left: int
    right: int
    level: int
    width: int
    height: int
    across: int
    down: int
    part_width: int
    part_height: int
    band_rows: int
    first_band: int
    stride: int
    step: int
    mask: int
    single: int


@dataclass(frozen=True, eq=False)
class Band:
    """Full-width rows of a plane's source: `values` of a channel, or, with `ids`, the first rank of a layer.

    The samples of other ranks, most of which have no coverage, are in lists: from `starts[y]` to `starts[y + 1]` those
    of row y, with their `columns`, IDs and coverages.
    """

    values: Floats
    ids: NDArray[np.uint32] | None = None
    starts: NDArray[np.int64] | None = None
    columns: NDArray[np.int32] | None = None
    more_ids: NDArray[np.uint32] | None = None
    more_values: Floats | None = None

    @property
    def nbytes(self) -> int:
        return sum(array.nbytes for array in self._arrays if array is not None)

    @property
    def addresses(self) -> list[int]:
        """The addresses that compiled functions take."""
        return [0 if array is None else array.ctypes.data for array in self._arrays]

    @property
    def _arrays(self) -> tuple[NDArray[Any] | None, ...]:
        return self.ids, self.values, self.starts, self.columns, self.more_ids, self.more_values


class PlaneWindow(NamedTuple):
    """Where a plane's part lies in an image: the image's size, the corner of the part, and the part's size."""

    width: int
    height: int
    across: int
    down: int
    part_width: int
    part_height: int


def packed_ranks(samples: Floats, places: Sequence[tuple[int, int]], run: Run) -> Band:
    """Pack the ranks of decoded rows (height, width, channels); `places` are the channels of each ID and coverage."""
    height, width, _ = samples.shape
    strides = [each // samples.itemsize for each in samples.strides]
    of_ranks = np.array(places, np.int64).ravel()
    step = max(1, TASK_SAMPLES // (width * len(of_ranks)))
    counts = np.zeros(height, np.int64)

    def each(name: str, result: int) -> Callable[[int], None]:
        compiled = function("plane_rows", name, 4)

        def rows(top: int) -> None:
            geometry = int64s(RankRows(top, min(top + step, height), width, len(places), *strides))
            compiled(geometry.ctypes.data, samples.ctypes.data, of_ranks.ctypes.data, result)

        return rows

    run(each("count_ranks", counts.ctypes.data), range(0, height, step))
    starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])
    more = int(starts[-1])
    band = Band(
        np.empty((height, width), np.float32),
        np.empty((height, width), np.uint32),
        starts,
        np.empty(more, np.int32),
        np.empty(more, np.uint32),
        np.empty(more, np.float32),
    )
    addresses = np.array(band.addresses, np.int64)
    run(each("pack_ranks", addresses.ctypes.data), range(0, height, step))
    return band


@dataclass(frozen=True, eq=False)
class IdSet:
    """IDs as an open hash table, whose empty places are -1. `mask` is that of the hash, `single` the only ID, or -1.

    An ID lies at the place of its hash or in one of the places after it, none of which is empty.
    """

    table: NDArray[np.int64]
    mask: int
    single: int

    @classmethod
    def of(cls, ids: NDArray[np.uint32]) -> IdSet:
        """Return the set of these IDs, each of which may be repeated."""
        unique = np.unique(ids).astype(np.int64)
        mask = (1 << max(3, (2 * len(unique)).bit_length())) - 1
        homes = (unique * HASH_FACTOR >> HASH_SHIFT) & mask
        order = np.argsort(homes, kind="stable")
        count = np.arange(len(unique))
        places = np.maximum.accumulate(homes[order] - count) + count
        table = np.full(mask + len(unique) + 2, -1, np.int64)
        table[places] = unique[order]
        return cls(table, mask, int(unique[0]) if len(unique) == 1 else -1)


NO_IDS = IdSet.of(np.zeros(0, np.uint32))


def write_plane(
    target: Floats,
    window: PlaneWindow,
    rect: Rect,
    level: int,
    bands: tuple[int, int, Sequence[Band]],
    ids: IdSet,
    run: Run,
) -> None:
    """Fill `target` (height, width) with the rectangle of a plane at a mip level.

    `bands` are the rows of a band, the number of the first band, and the bands that the rectangle needs. Of bands with
    IDs, the plane is the coverage of `ids`.
    """
    compiled = function("plane_rows", "plane_rows", 6)
    band_rows, first, chosen = bands
    addresses = np.array([band.addresses for band in chosen] or [[0] * BAND_FIELDS], np.int64)
    stride, step = (each // 4 for each in target.strides)
    wide, rows = rect.width << level, max(1, (TASK_SAMPLES >> level) // (rect.width << level))

    def task(top: int) -> None:
        ends = rect.y + top, rect.y + min(top + rows, rect.height)
        places = (band_rows, first, stride, step, ids.mask, ids.single)
        geometry = int64s(PlaneRows(*ends, rect.x, rect.right, level, *window, *places))
        work, sums = np.empty(wide, np.float32), np.empty(wide, np.float64)
        compiled(
            *(geometry.ctypes.data, addresses.ctypes.data, ids.table.ctypes.data),
            target.ctypes.data - 4 * stride * rect.y,
            *(work.ctypes.data, sums.ctypes.data),
        )

    run(task, range(0, rect.height, rows))
