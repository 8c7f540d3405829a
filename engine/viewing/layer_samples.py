"""Small samples of many layers of a file, for thumbnails and ranges of values, from few of its chunks."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from engine.compute.streaming import Pixels
from engine.core.file_errors import reading
from engine.core.geometry import Rect
from engine.io.exr.mip_levels import level_part
from engine.io.info import ImageInfo, PartInfo
from engine.io.selection import choose_layers
from engine.io.source import FileSource, SourceOptions
from engine.movies.images import file_source
from engine.viewing.opening import mip_sizes

MOST_SAMPLES = 1 << 28
"""The most samples that are decoded for one call: a quarter of a second to a few seconds of one core."""
LEAST_CHUNKS = 3
"""The fewest chunks that are decoded, however large they are."""
MOST_WHOLE = 1 << 26
"""The most samples of a part that can't be read in pieces; larger ones are not sampled."""
Indices = NDArray[np.intp]


def sample_layers(
    info: ImageInfo,
    part: int,
    layers: tuple[str, ...],
    width: int,
    height: int,
    stop: Callable[[], bool] = lambda: False,
) -> list[Pixels]:
    """Return pixels of each layer, at most `width` x `height`, evenly spread over the image: (rows, columns, 3|4).

    Pixels are picked, not averaged, so that their range is that of the image, or within it; those that can't be read
    are 0. Chunks hold all layers: several layers cost little more than one. Returns [] if the part is too large to be
    decoded as a whole and can't be read in pieces, or if `stop()` returned True.
    """
    level, found = _coarse_part(info, info.parts[part], width, height)
    with reading(info.path):
        chosen = choose_layers(info, info.parts[part], layers)
        source = file_source(info, found, chosen, SourceOptions(salvage=True, level=level))
    try:
        samples = found.width * found.height * len(found.channels)
        if source.is_whole and samples > MOST_WHOLE:
            return []
        chunk = found.height if source.is_whole else source.chunk_rows
        affordable = max(LEAST_CHUNKS, MOST_SAMPLES * found.height // max(1, samples * chunk))
        rows, columns = _rows(found.height, height, chunk, affordable), _spread(found.width, width)
        return _picked(source, rows, columns, chunk, stop)
    finally:
        source.close()


def _coarse_part(info: ImageInfo, part: PartInfo, width: int, height: int) -> tuple[int, PartInfo]:
    """Return the coarsest mip level of the file with enough pixels, and the part at that level."""
    sizes = mip_sizes(info.path, part)
    enough = [n for n, size in enumerate(sizes) if size[0] >= width and size[1] >= height]
    level = enough[-1] if enough else 0
    return level, level_part(part, sizes[level]) if level else part


def _spread(length: int, count: int) -> Indices:
    """Return at most `count` evenly spaced numbers below `length`."""
    count = min(length, count)
    return (2 * np.arange(count) + 1) * length // (2 * count)


def _rows(height: int, count: int, chunk: int, most: int) -> Indices:
    """Return evenly spaced rows that lie in at most `most` chunks of `chunk` rows; some may be the same."""
    rows = _spread(height, count)
    chunks = np.unique(rows // chunk)
    if len(chunks) <= most:
        return rows
    kept = chunks[_spread(len(chunks), most)]
    nearest = kept[np.abs(rows[:, None] // chunk - kept).argmin(axis=1)]
    return np.clip(rows, nearest * chunk, np.minimum((nearest + 1) * chunk, height) - 1)


def _picked(source: FileSource, rows: Indices, columns: Indices, chunk: int, stop: Callable[[], bool]) -> list[Pixels]:
    """Return the pixels of each layer at these rows and columns."""
    pixels = [np.zeros((len(rows), len(columns), count), np.float32) for count in source.components]
    for number in np.unique(rows // chunk):
        if stop():
            return []
        top = int(number) * chunk
        region = source.read(Rect(0, top, source.width, min(chunk, source.height - top)))
        here = np.flatnonzero(rows // chunk == number)
        for layer, values in zip(pixels, region.graded, strict=True):
            layer[here] = values[rows[here] - top][:, columns]
    return pixels
