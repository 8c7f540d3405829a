"""Decoded rows of the planes of mattes: bands of a channel or of a Cryptomatte layer, kept within a budget.

All samples are float32; 32-bit integers keep their bits.
"""

from __future__ import annotations

import contextlib
import threading
from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Callable, Container, Iterable
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.compute.backends.cpu import CpuPrimitives
from engine.compute.backends.cpu.planes import Band, Run, packed_ranks
from engine.core.file_errors import reading
from engine.core.geometry import Rect
from engine.core.system import total_memory
from engine.errors import UnreadableFile
from engine.io.cryptomatte import CryptomatteLayer
from engine.io.description import check_unchanged
from engine.io.exr import luminance_chroma
from engine.io.exr.chunk_samples import is_decodable, read_samples
from engine.io.exr.header import CHUNK_ROWS
from engine.io.holes import MissingRegions
from engine.io.info import Box, Channels, ImageInfo, PartInfo
from engine.io.readers import Reader, WholeReader, open_reader, set_threads
from engine.io.whole import planes_of
from engine.kernel.taps import resize_taps

Floats = NDArray[np.float32]
BAND_BYTES = 1 << 26
"""About the bytes of the decoded samples of a band."""
FEWEST_ROWS = 16
CLOSE_CHANNELS = 8
"""Channels of a part are decoded together if at most this many others lie between them."""
MOST_READERS = 8
BUDGET_SHARE = 8
"""1 / BUDGET_SHARE of the machine's memory is available for decoded planes of all images."""
FLOAT, UINT = np.dtype(np.float32), np.dtype(np.uint32)


class SampleReader:
    """Decodes rows of channels; keeps the last files open. Not thread-safe.

    Channels that `together` names at the same time are decoded in one pass where they lie close in the file.
    """

    def __init__(self, run: Run, threads: int = 0, salvage: bool = False) -> None:
        self._run, self._threads, self._salvage = run, threads, salvage
        self._open: OrderedDict[tuple[Any, ...], Reader] = OrderedDict()
        self._groups: dict[tuple[Any, ...], tuple[str, ...]] = {}
        self._last: dict[tuple[Any, ...], tuple[Rect, Floats]] = {}

    def together(self, wanted: Iterable[Channels]) -> None:
        """Set which channels are going to be asked for, row by row; an empty list frees what was decoded for them."""
        self._last.clear()
        self._groups.clear()
        by_part: dict[tuple[Any, ...], list[Channels]] = {}
        for each in wanted:
            by_part.setdefault(each.key[:-1], []).append(each)
        for several in by_part.values():
            names = tuple(dict.fromkeys(name for each in several for name in each.names))
            if len(several) > 1 and _are_close(several[0].part, names):
                self._groups |= {each.key: names for each in several}

    def rows(self, channels: Channels, top: int, bottom: int) -> Floats:
        """Return rows of a part (rows, width, names). Raises UnreadableFile if they can't be read."""
        names = self._groups.get(channels.key, channels.names)
        key = (*channels.key[:-1], names)
        rect = Rect(0, top, channels.part.width, bottom - top)
        known = self._last.get(key)
        if known is None or known[0] != rect:
            known = rect, self._decoded(Channels(channels.info, channels.part, names), key, rect)
            if names != channels.names:
                self._last[key] = known
        if names == channels.names:
            return known[1]
        lines = np.stack([known[1][..., names.index(name)] for name in channels.names], axis=1)
        return np.moveaxis(lines, 1, 2)

    def close(self) -> None:
        """Close all files."""
        self.together(())
        while self._open:
            self._open.popitem()[1].close()

    def _decoded(self, channels: Channels, key: tuple[Any, ...], rect: Rect) -> Floats:
        info, part = channels.info, channels.part
        if info.format == "openexr" and is_decodable(part) and not self._salvage:
            check_unchanged(info)
            with contextlib.suppress(UnreadableFile):  # the libraries say what is wrong with it
                found = read_samples(info.path, part, channels.names, (rect.y, rect.bottom), self._run)
                if found is not None:
                    return found
        reader = self._reader(channels, key)
        around = reader.align(rect)
        samples = reader.read(around)[rect.within(around)]
        chosen: Floats = samples[..., [reader.names.index(name) for name in channels.names]].astype(FLOAT, copy=False)
        return chosen

    def _reader(self, channels: Channels, key: tuple[Any, ...]) -> Reader:
        if key not in self._open:
            check_unchanged(channels.info)
            set_threads(self._threads)
            with reading(channels.info.path):
                self._open[key] = _open_reader(channels, MissingRegions() if self._salvage else None)
            while len(self._open) > MOST_READERS:
                self._open.popitem(last=False)[1].close()
        self._open.move_to_end(key)
        return self._open[key]


def _open_reader(channels: Channels, holes: MissingRegions | None) -> Reader:
    part = channels.part
    if part.is_subsampled and not part.is_deep:
        return _PlainReader(channels.info.path, part, channels.names)
    return open_reader(channels.info.path, part, channels.names, True, holes)


class _PlainReader(WholeReader):
    """Reads a part with subsampled channels, upsampled to the size of the image: luminance and chroma as they are."""

    dtype = FLOAT

    def _load(self) -> NDArray[Any]:
        size = self.part.height, self.part.width
        planes = planes_of(self.path, self.part.index)
        pixels = np.empty((*size, len(self.names)), FLOAT)
        for n, name in enumerate(self.names):
            plane = planes[name]
            if plane.dtype == UINT:
                pixels[..., n] = _repeated(plane, *size).view(FLOAT)
            else:
                pixels[..., n] = luminance_chroma.upsample(plane, *size)
        return pixels


def _repeated(plane: NDArray[Any], height: int, width: int) -> NDArray[Any]:
    """Return a plane of IDs at the size of the image: IDs are repeated, not filtered."""
    rows = np.arange(height) * plane.shape[0] // height
    columns = np.arange(width) * plane.shape[1] // width
    return np.ascontiguousarray(plane[rows][:, columns])


def _are_close(part: PartInfo, names: tuple[str, ...]) -> bool:
    """Return whether few other channels lie between these in the file."""
    places = [n for n, channel in enumerate(part.channels) if channel.name in names]
    return max(places) - min(places) + 1 - len(places) <= CLOSE_CHANNELS


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
