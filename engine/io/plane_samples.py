"""Decoded samples of the planes of mattes: rows of a part's channels, as float32; 32-bit integers keep their bits."""

from __future__ import annotations

import contextlib
from collections import OrderedDict
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.compute.backends.cpu.planes import Run
from engine.core.file_errors import reading
from engine.core.geometry import Rect
from engine.errors import UnreadableFile
from engine.io.description import check_unchanged
from engine.io.exr import luminance_chroma
from engine.io.exr.chunk_samples import is_decodable, read_samples
from engine.io.holes import MissingRegions
from engine.io.info import Channels, PartInfo
from engine.io.reader import Reader, WholeReader
from engine.io.readers import open_reader
from engine.io.whole import planes_of

Floats = NDArray[np.float32]
CLOSE_CHANNELS = 8
"""Channels of a part are decoded together if at most this many others lie between them."""
MOST_READERS = 8
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
            with reading(channels.info.path):
                self._open[key] = _open_reader(channels, MissingRegions() if self._salvage else None, self._threads)
            while len(self._open) > MOST_READERS:
                self._open.popitem(last=False)[1].close()
        self._open.move_to_end(key)
        return self._open[key]


def _open_reader(channels: Channels, holes: MissingRegions | None, threads: int) -> Reader:
    part = channels.part
    if part.is_subsampled and not part.is_deep:
        return _PlainReader(channels.info.path, part, channels.names)
    return open_reader(channels.info.path, part, channels.names, True, holes, threads=threads)


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
