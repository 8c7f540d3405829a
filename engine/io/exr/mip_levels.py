"""Writing of mip and rip levels: each is written to a file of its own, box-filtered from the level before.

Channels that are not graded are copied from the source's levels.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.core.geometry import Rect
from engine.core.records import dataclass
from engine.io.encoders import Encoder
from engine.io.exr.header import RawHeader
from engine.io.exr.level_sizes import level_count
from engine.io.info import PartInfo
from engine.io.reader import Reader
from engine.io.rows import RowBuffer
from engine.kernel.taps import Taps, resize_taps

Array = NDArray[Any]
Place = tuple[int, int]
"""Level in x and in y."""


class Shrinker:
    """Filters the rows of a level to a smaller one; each pixel is the area-weighted mean of the pixels it covers."""

    def __init__(self, before: tuple[int, int], after: tuple[int, int]) -> None:
        self._columns = resize_taps("area", before[0], after[0])
        self._lines = resize_taps("area", before[1], after[1])
        self._rows: Array | None = None
        self._top = self._next = 0

    def put(self, rows: NDArray[np.float32]) -> NDArray[np.float32]:
        """Add rows (n, width, channels) and return the rows of the smaller level that are now complete."""
        shrunk = np.moveaxis(_weighted(np.moveaxis(rows, 1, 0), self._columns, 0, 0, len(self._columns.first)), 0, 1)
        self._rows = shrunk if self._rows is None else np.concatenate([self._rows, shrunk])
        ends = self._lines.first + self._lines.count
        ready = int(np.searchsorted(ends, self._top + len(self._rows), "right"))
        result = _weighted(self._rows, self._lines, self._top, self._next, ready)
        self._next = ready
        keep = int(self._lines.first[ready]) if ready < len(ends) else self._top + len(self._rows)
        self._rows, self._top = self._rows[keep - self._top :], keep
        return result


def _weighted(samples: Array, taps: Taps, origin: int, start: int, stop: int) -> NDArray[np.float32]:
    """Return the filtered rows start..stop along the first axis of `samples`, which begin at row `origin`."""
    first, count, weights = taps.first[start:stop] - origin, taps.count[start:stop], taps.weights[start:stop]
    total = np.zeros((stop - start, *samples.shape[1:]), np.float32)
    if start == stop:
        return total
    with np.errstate(invalid="ignore", over="ignore"):
        for k in range(int(count.max())):
            used = k < count
            weight = weights[:, k].reshape(-1, *[1] * (samples.ndim - 1))
            if used.all():
                total += samples[first + k] * weight
            else:  # zero times infinity would be NaN
                total[used] += samples[(first + k)[used]] * weight[used]
    return total


@dataclass
class Level:
    """A level being written. `graded` are the indices of the channels that are made from the level before.

    `below` are the levels made from this one. `reader` reads the other channels: those at `order` go to `others`.
    """

    encoder: Encoder
    size: tuple[int, int]
    graded: list[int]
    others: list[int]
    reader: Reader | None
    below: list[tuple[Shrinker, Level]]
    order: list[int] = field(default_factory=list)
    buffer: RowBuffer | None = None
    taken: int = 0

    def write(self, y: int, rows: Array) -> None:
        """Write rows of the full level."""
        self.encoder.write(y, rows)
        self._pass_on(rows[..., self.graded].astype(np.float32))

    def _pass_on(self, graded: NDArray[np.float32]) -> None:
        for shrinker, level in self.below:
            level._take(shrinker.put(graded))

    def _take(self, graded: NDArray[np.float32]) -> None:
        """Write rows of a smaller level, which contain only the graded channels."""
        if not len(graded):
            return
        if self.buffer is None:
            self.buffer = RowBuffer(*self.size, self.encoder.step, self._encode)
        self.buffer.put(Rect(0, self.taken, self.size[0], len(graded)), graded)
        self.taken += len(graded)
        self._pass_on(graded)

    def _encode(self, y: int, graded: Array) -> None:
        kind = np.float32 if self.encoder.wide else np.float16
        rows = np.empty((*graded.shape[:2], len(self.graded) + len(self.others)), kind)
        with np.errstate(over="ignore", invalid="ignore"):
            rows[..., self.graded] = graded
        if self.reader is not None:
            wanted = Rect(0, y, self.size[0], graded.shape[0])
            around = self.reader.align(wanted)
            rows[..., self.others] = self.reader.read(around)[wanted.within(around)][..., self.order]
        self.encoder.write(y, rows)


class LevelsEncoder(Encoder):
    """Writes all levels of a part from the full-width rows of the full level."""

    def __init__(self, levels: dict[Place, tuple[Level, Path]]) -> None:
        self._levels = levels
        self._full = levels[0, 0][0]
        self.step = self._full.encoder.step

    @property
    def files(self) -> tuple[tuple[Path, int, int], ...]:
        """The files of the levels, in the order of levels in an EXR."""
        return tuple((path, *place) for place, (_, path) in self._levels.items())

    def write(self, y: int, rows: Array) -> None:
        self._full.write(y, rows)

    def close(self) -> None:
        for level, _ in self._levels.values():
            if level.reader is not None:
                level.reader.close()
            level.encoder.close()

    def abandon(self) -> None:
        for level, _ in self._levels.values():
            if level.reader is not None:
                level.reader.close()
            level.encoder.abandon()


def places(header: RawHeader) -> list[Place]:
    """Return every level of a part, in the order of its chunks and of `level_sizes`."""
    tiles, (width, height) = header.tiles, header.size
    if not tiles or not tiles[2]:
        return [(0, 0)]
    if tiles[2] == 1:
        return [(n, n) for n in range(level_count(max(width, height), tiles[3]))]
    across, down = level_count(width, tiles[3]), level_count(height, tiles[3])
    return [(x, y) for y in range(down) for x in range(across)]


def level_header(header: RawHeader, size: tuple[int, int]) -> RawHeader:
    """Return the header of a file that holds only one level."""
    x, y = header.box("dataWindow")[:2]
    alone = header.with_box("dataWindow", (x, y, x + size[0] - 1, y + size[1] - 1)).without("chunkCount")
    assert header.tiles
    return alone.with_tiles((header.tiles[0], header.tiles[1], 0, header.tiles[3]))


def level_part(part: PartInfo, size: tuple[int, int]) -> PartInfo:
    """Return the description of a source's part at a smaller level."""
    x, y = part.data_window[:2]
    return replace(part, data_window=(x, y, x + size[0] - 1, y + size[1] - 1))


def build_levels(
    header: RawHeader,
    names: tuple[str, ...],
    own: frozenset[str],
    open_level: Callable[[RawHeader], tuple[Encoder, Path]],
    open_reader: Callable[[int, tuple[int, int], tuple[str, ...]], Reader],
) -> LevelsEncoder:
    """Return an encoder of every level for rows of `names`; channels in `own` are copied from the source's levels."""
    graded = [n for n, name in enumerate(names) if name not in own]
    others = [n for n, name in enumerate(names) if name in own]
    made: dict[Place, tuple[Level, Path]] = {}
    for place, size in zip(places(header), header.level_sizes(), strict=True):
        encoder, path = open_level(level_header(header, size))
        level = Level(encoder, size, graded, others, None, [])
        if others and place != (0, 0):
            level.reader = open_reader(place[0], size, tuple(names[n] for n in others))
            level.order = [level.reader.names.index(names[n]) for n in others]
        made[place] = level, path
        if place != (0, 0):
            above = made[_above(place, header)][0]
            above.below.append((Shrinker(above.size, size), level))
    return LevelsEncoder(made)


def _above(place: Place, header: RawHeader) -> Place:
    """Return the level that a level is made from."""
    x, y = place
    if header.tiles and header.tiles[2] == 1:
        return x - 1, y - 1
    return (x - 1, y) if x else (x, y - 1)
