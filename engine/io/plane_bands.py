"""Decoded rows of the planes of mattes: bands of a channel or of a Cryptomatte layer, kept within a budget.

All samples are float32; 32-bit integers keep their bits.
"""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Callable, Container
from functools import lru_cache
from typing import Any

import numpy as np

from engine.compute.backends.cpu import CpuPrimitives
from engine.compute.backends.cpu.planes import Band, Run, packed_ranks
from engine.core.system import total_memory
from engine.io.cryptomatte import CryptomatteLayer
from engine.io.exr.header import CHUNK_ROWS
from engine.io.info import Box, Channels, ImageInfo, PartInfo
from engine.io.plane_samples import FLOAT, UINT, Floats, SampleReader
from engine.kernel.taps import resize_taps

BAND_BYTES = 1 << 26
"""About the bytes of the decoded samples of a band."""
FEWEST_ROWS = 16
BUDGET_SHARE = 8
"""1 / BUDGET_SHARE of the machine's memory is available for decoded planes of all images."""


class Bands(ABC):
    """The source of a plane as bands of full-width rows.

    `key` identifies it in a cache. `box` is where its samples lie, in the pixels of the graded image, whose display
    window may have another corner than that of the file. Bands have `rows` rows each, but for the last one.
    """

    key: tuple[Any, ...]
    box: Box
    rows: int
    channels: tuple[Channels, ...]

    @property
    def width(self) -> int:
        return self.box[2] - self.box[0] + 1

    @property
    def height(self) -> int:
        return self.box[3] - self.box[1] + 1

    @property
    def band_bytes(self) -> int:
        """About the bytes of a band in memory."""
        return 8 * self.width * min(self.rows, self.height)

    @property
    def decoded_bytes(self) -> int:
        """About the bytes of main memory to decode a band: its samples, and what the file holds of them."""
        numbers = sum(len(each.names) for each in self.channels)
        return 8 * numbers * self.width * min(self.rows, self.height)

    def read(self, samples: SampleReader, number: int, run: Run) -> Band:
        """Return a band by its number, decoded now."""
        return self.packed(self.samples(samples, number * self.rows, min((number + 1) * self.rows, self.height)), run)

    @abstractmethod
    def samples(self, samples: SampleReader, top: int, bottom: int) -> Floats:
        """Return decoded rows, (rows, width, channels)."""

    @abstractmethod
    def packed(self, samples: Floats, run: Run) -> Band:
        """Return rows of decoded samples as a band."""


class ValueBands(Bands):
    """The values of a channel; with `ids`, its integers, for comparison with IDs."""

    def __init__(self, channels: Channels, ids: bool = False, shift: tuple[int, int] = (0, 0)) -> None:
        part = channels.part
        self.key = ("values", ids, shift, *channels.key)
        self.box = shifted(part.data_window, *shift)
        self.rows, self.channels = band_rows(part, 1), (channels,)
        self._ids = ids
        self._is_uint = part.channel(channels.names[0]).type == "uint" and part.type != "image"

    def samples(self, samples: SampleReader, top: int, bottom: int) -> Floats:
        return samples.rows(self.channels[0], top, bottom)

    def packed(self, samples: Floats, run: Run) -> Band:
        values = np.ascontiguousarray(samples[..., 0])
        if not self._ids:
            return Band(values.view(UINT).astype(FLOAT) if self._is_uint else values)
        if self._is_uint:
            return Band(np.ones_like(values), values.view(UINT))
        with np.errstate(invalid="ignore"):
            whole = (values == np.floor(values)) & (np.abs(values) <= 2.0**32)
            ids = np.where(whole, values, 0.0).astype(np.int64).astype(UINT)
        return Band(whole.astype(FLOAT), ids)


class RankBands(Bands):
    """The ranks of a Cryptomatte layer, which may lie in several parts."""

    def __init__(self, info: ImageInfo, layer: CryptomatteLayer) -> None:
        of_part: dict[int, list[str]] = {}
        for rank in layer.ranks:
            of_part.setdefault(rank.part, []).extend((rank.id_channel, rank.coverage_channel))
        self.channels = tuple(Channels(info, info.parts[n], tuple(names)) for n, names in of_part.items())
        self.key = ("ranks", *(each.key for each in self.channels))
        part = self.channels[0].part
        self.box = part.data_window
        self.rows = band_rows(part, 2 * len(layer.ranks))
        order = [(n, name) for n, names in of_part.items() for name in names]
        self.places = [
            (order.index((r.part, r.id_channel)), order.index((r.part, r.coverage_channel))) for r in layer.ranks
        ]

    def samples(self, samples: SampleReader, top: int, bottom: int) -> Floats:
        if len(self.channels) == 1:
            return samples.rows(self.channels[0], top, bottom)
        around = shifted((0, top, self.width - 1, bottom - 1), self.box[0], self.box[1])
        return np.concatenate([_rows_in(samples, each, around) for each in self.channels], axis=2)

    def packed(self, samples: Floats, run: Run) -> Band:
        return packed_ranks(samples, self.places, run)


class FittedBands(Bands):
    """The values of a channel of another file, whose display window is resized to that of the graded image."""

    def __init__(self, values: ValueBands, display: Box, cpu: Callable[[], CpuPrimitives]) -> None:
        self._values, self._cpu = values, cpu
        self._from = values.channels[0].part.display_window
        self.channels, self.box = values.channels, display
        self.key = ("fitted", display, *values.key)
        self._columns = _fit(self._from[2] - self._from[0] + 1, self.width)
        self._rows = _fit(self._from[3] - self._from[1] + 1, self.height)
        self.rows = max(1, min(BAND_BYTES // self._bytes(1), self.height))

    @property
    def decoded_bytes(self) -> int:
        part = self.channels[0].part
        return self._bytes(self.rows) + 16 * part.width * min(band_unit(part), part.height)

    def _bytes(self, rows: int) -> int:
        """About the bytes to decode some rows: images of up to three channels, and twice the samples of the source."""
        width, height = self._from[2] - self._from[0] + 1, self._from[3] - self._from[1] + 1
        return 24 * width * -(-rows * height // self.height) + 16 * rows * self.width

    def samples(self, samples: SampleReader, top: int, bottom: int) -> Floats:
        first, end = self._rows.span(top, bottom)
        left, upper, right, _ = self._from
        source = _rows_in(samples, self.channels[0], (left, upper + first, right, upper + end - 1))
        values = self._values.packed(source, lambda work, starts: None).values
        padded = np.zeros((*values.shape, 3), FLOAT)  # images have at least three channels
        padded[..., 0] = values
        result = np.empty((bottom - top, self.width, 3), FLOAT)
        cpu = self._cpu()
        cpu.exec_taps(cpu.upload(padded), cpu.upload(result), self._columns, self._rows.part(top, bottom, first))
        return result

    def packed(self, samples: Floats, run: Run) -> Band:
        return Band(np.ascontiguousarray(samples[..., 0]))


def _fit(before: int, after: int) -> Any:
    """Return the taps that fit a side: areas if it shrinks, else a cubic."""
    return resize_taps("area" if after <= before else "catmull-rom", before, after)


def _rows_in(samples: SampleReader, channels: Channels, box: Box) -> Floats:
    """Return the samples of a part in a box of the file's coordinates; 0 outside its data window."""
    x0, y0, x1, y1 = box
    left, upper, right, lower = channels.part.data_window
    result = np.zeros((y1 - y0 + 1, x1 - x0 + 1, len(channels.names)), FLOAT)
    top, bottom = max(y0, upper), min(y1, lower) + 1
    start, end = max(x0, left), min(x1, right) + 1
    if top < bottom and start < end:
        rows = samples.rows(channels, top - upper, bottom - upper)
        result[top - y0 : bottom - y0, start - x0 : end - x0] = rows[:, start - left : end - left]
    return result


def shifted(box: Box, x: int, y: int) -> Box:
    """Return a box moved by some pixels."""
    return box[0] + x, box[1] + y, box[2] + x, box[3] + y


def band_rows(part: PartInfo, channels: int) -> int:
    """Return the rows of a band: whole chunks, of about BAND_BYTES when decoded."""
    unit = band_unit(part)
    rows = BAND_BYTES // (4 * channels * part.width)
    return min(max(unit, FEWEST_ROWS, rows) // unit * unit, max(part.height, unit))


def band_unit(part: PartInfo) -> int:
    """Return the rows of a part that are decoded together at least."""
    return part.tile_size[1] if part.tile_size else CHUNK_ROWS.get(part.compression.partition(":")[0], 1)


class BandCache:
    """Bands by their source and number, the most recently used within a budget in bytes. Thread-safe."""

    def __init__(self, budget: int) -> None:
        self.budget = budget
        self._bands: OrderedDict[tuple[tuple[Any, ...], int], Band] = OrderedDict()
        self._used = 0
        self._lock = threading.Lock()

    def get(self, bands: Bands, number: int) -> Band | None:
        """Return a band if it is kept."""
        with self._lock:
            found = self._bands.get((bands.key, number))
            if found is not None:
                self._bands.move_to_end((bands.key, number))
            return found

    def put(self, bands: Bands, number: int, band: Band) -> None:
        """Keep a band, and drop others where the budget is used up."""
        with self._lock:
            before = self._bands.pop((bands.key, number), None)
            self._bands[bands.key, number] = band
            self._used += band.nbytes - (before.nbytes if before is not None else 0)
            while self._used > self.budget and len(self._bands) > 1:
                self._used -= self._bands.popitem(last=False)[1].nbytes

    def used(self, keys: Container[tuple[Any, ...]]) -> int:
        """Return the bytes of the bands of these sources."""
        with self._lock:
            return sum(band.nbytes for (key, _), band in self._bands.items() if key in keys)

    def drop(self, keys: Container[tuple[Any, ...]]) -> None:
        """Drop the bands of these sources."""
        with self._lock:
            for place in [place for place in self._bands if place[0] in keys]:
                self._used -= self._bands.pop(place).nbytes


@lru_cache(maxsize=1)
def common_cache() -> BandCache:
    """Return the cache of all readers without a budget of their own."""
    return BandCache(total_memory() // BUDGET_SHARE)
