"""Image files as streaming sources."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.compute.plan import PixelFormat
from engine.compute.streaming import RegionPixels, StreamingSource
from engine.core.file_errors import reading
from engine.core.geometry import Rect
from engine.core.records import dataclass
from engine.errors import UnreadableFile
from engine.io.band_rows import band_rows
from engine.io.description import describe
from engine.io.exr.coding_memory import decoding_bytes
from engine.io.holes import MissingRegions
from engine.io.id_pixels import id_pixels
from engine.io.info import Channels, ImageInfo, LayerInfo, PartInfo
from engine.io.reader import Reader
from engine.io.readers import open_reader
from engine.io.selection import choose_layers, choose_part
from engine.mattes.planes import Plane

if TYPE_CHECKING:
    from engine.io.file_planes import FilePlanes
    from engine.io.planes import PlaneOptions

Array = NDArray[Any]


class SourceOptions(NamedTuple):
    """How an image is read.

    `threads` 0 is one per core. With `salvage`, regions that can't be read are 0 and listed in `holes`. `level` is a
    mip level. With `as_float`, pixels are float32, whatever the file holds: for results that are stored as float. With
    `as_ids`, 32-bit integer layers are ID pixels (`engine.io.id_pixels`). With `passthrough`, regions also have all
    channels of the part, for an output that copies some of them. The last `again` images are the first layer once more.
    """

    threads: int = 0
    salvage: bool = False
    level: int = 0
    as_float: bool = False
    as_ids: bool = False
    passthrough: bool = False
    again: int = 0


DEFAULTS = SourceOptions()


@dataclass
class _Block:
    """Decoded samples of an aligned rectangle."""

    rect: Rect
    samples: Array

    def holds(self, rect: Rect) -> bool:
        mine = self.rect
        return mine.x <= rect.x and rect.right <= mine.right and mine.y <= rect.y and rect.bottom <= mine.bottom

    def crop(self, rect: Rect) -> Array:
        return self.samples[rect.within(self.rect)]


class FileSource(StreamingSource):
    """Reads one or several layers of one part of a file.

    Regions are (height, width, 3|4) float16 if all channels of the layer are half, else float32; integers of other
    formats are scaled to 0..1, grey becomes R = G = B, and the components of a vector become R, G, B. Rectangles are
    relative to the data window's top left. `layer`, `channels` and `dtype` are those of the first layer. At a smaller
    mip level, `part` has the size of that.
    """

    def __init__(
        self,
        info: ImageInfo,
        part: PartInfo,
        layers: tuple[LayerInfo, ...],
        options: SourceOptions = DEFAULTS,
    ) -> None:
        self.info, self.part, self.layers, self.options = info, part, layers, options
        self.layer, self.path = layers[0], info.path
        self.width, self.height = part.width, part.height
        self._types = [self._type(layer) for layer in self.layers]
        self._types += self._types[:1] * options.again
        self.holes = MissingRegions()
        self._lock = threading.RLock()
        self._block: _Block | None = None
        self._planes: FilePlanes | None = None
        kinds = {part.channel(name).type for layer in self.layers for name in layer.channels}
        self._as_ids = options.as_ids and kinds == {"uint"} and not part.is_deep
        self._reader: Reader | None = self._opened()

    def _type(self, layer: LayerInfo) -> np.dtype[Any]:
        halves = all(self.part.channel(name).type == "half" for name in layer.channels)
        return np.dtype(np.float16 if halves and not self.options.as_float else np.float32)

    def _opened(self) -> Reader:
        options = self.options
        chosen = tuple(dict.fromkeys(name for layer in self.layers for name in layer.channels))
        others = tuple(c.name for c in self.part.channels if c.name not in chosen) if options.passthrough else ()
        holes = self.holes if options.salvage else None
        raw = options.passthrough or self._as_ids
        return open_reader(self.path, self.part, chosen + others, raw, holes, options.level, options.threads)

    @property
    def dtype(self) -> np.dtype[Any]:  # type: ignore[override]
        return self._types[0]

    @property
    def channels(self) -> int:  # type: ignore[override]
        return self.components[0]

    @property
    def components(self) -> list[int]:
        """The number of channels of each image: 3, or 4 with alpha."""
        found = [4 if layer.has_alpha and not self._as_ids else 3 for layer in self.layers]
        return found + found[:1] * self.options.again

    @property
    def formats(self) -> list[PixelFormat]:
        return [PixelFormat(*each) for each in zip(self._types, self.components, strict=True)]

    @property
    def block(self) -> tuple[int, int]:
        return (self.part.tile_size or (0, 1))[0], self.chunk_rows

    @property
    def graded_bytes(self) -> int:
        return sum(n * kind.itemsize for n, kind in zip(self.components, self._types, strict=True))

    @property
    def pixel_bytes(self) -> int:
        reader = self._live()
        spare = self.options.passthrough or len(reader.names) > len(self.layer.channels)
        mattes = self._planes.pixel_bytes if self._planes else 0
        return mattes + (len(reader.names) * reader.dtype.itemsize if spare else 0)

    @property
    def is_whole(self) -> bool:
        """Whether the file can't be read in pieces and is kept in memory."""
        return self._live().whole_bytes > 0

    @property
    def fixed_bytes(self) -> int:
        return self._live().whole_bytes or decoding_bytes(self.part, self.options.threads)

    @property
    def chunk_rows(self) -> int:
        """The number of rows that are decoded together: bands of a multiple of it are cheapest."""
        return self._live().align(Rect(0, 0, 1, 1)).height

    @property
    def samples_per_pixel(self) -> int:
        """The number of samples decoded per pixel, other channels included."""
        return len(self._live().names)

    @property
    def passthrough_names(self) -> tuple[str, ...]:
        """The channels of a region's `passthrough`, in order; () if it has none."""
        return self._live().names if self.options.passthrough else ()

    def read_region(self, rect: Rect) -> Array:
        """Return the pixels of `rect` of the first layer, contiguous. Raises UnreadableFile if the file is damaged."""
        return self.read(rect).graded[0]

    def read(self, rect: Rect) -> RegionPixels:
        """Return the pixels of `rect` of every image, as `read_region` does, and the samples that are passed through.

        These are (height, width, channels) as decoded: float32 where types are mixed, with the bits of uint channels.
        Do not modify them: they may be shared.
        """
        if rect.clipped(self.width, self.height) != rect or not rect.pixels:
            raise UnreadableFile(self.path, f"has no pixels at {rect}", "ask for a part of the image")
        with self._lock:
            samples = self._samples(rect)
            graded = tuple(self._pixels(samples, *each) for each in zip(self.layers, self._types, strict=False))
            graded += graded[:1] * self.options.again
            if self._planes is not None:
                self._planes.read_with(rect)
            return RegionPixels(rect, graded, samples if self.options.passthrough else None)

    def close(self) -> None:
        with self._lock:
            if self._reader is not None:
                self._reader.close()
            if self._planes is not None:
                self._planes.close()
            self._reader, self._block, self._planes = None, None, None

    def plane_source(self, planes: tuple[Plane, ...], options: PlaneOptions | None = None) -> FilePlanes:
        """Return the source of planes that mattes read: from now on they are read with each region.

        Samples that are decoded for the region anyway are used for them.
        """
        from engine.io.file_planes import FilePlanes  # takes long to load, and most images are opened without mattes
        from engine.io.planes import PlaneOptions, PlaneReader

        whole = self.info.parts[self.part.index] if self.options.level else self.part
        options = options or PlaneOptions()
        options = replace(options, salvage=options.salvage or self.options.salvage)
        reader = PlaneReader(self.info, whole, None if self.options.level else self, options)
        self._planes = FilePlanes(reader, planes, self.options.level)
        return self._planes

    @property
    def shared(self) -> Channels | None:
        """The channels whose samples `samples` returns; None if these are not as stored in the file."""
        part, names = self.part, self._live().names
        raw = self.options.passthrough or self._as_ids or all(part.channel(each).type != "uint" for each in names)
        stored = raw and not (part.is_deep or part.is_subsampled or self.options.level)
        return Channels(self.info, part, names) if stored else None

    def samples(self, rect: Rect) -> Array:
        """Return the samples of the channels of `shared` in a region, (height, width, channels). Do not modify them."""
        with self._lock:
            return self._samples(rect)

    def _live(self) -> Reader:
        if self._reader is None:
            raise UnreadableFile(self.path, "was closed", "open it again")
        return self._reader

    def _samples(self, rect: Rect) -> Array:
        """Return the samples of `rect`, decoding what the last block does not contain."""
        reader, block = self._live(), self._block
        if block and block.holds(rect):
            return block.crop(rect)
        wanted = reader.align(rect)
        fresh = self._continued(reader, block, wanted) if block else None
        if fresh is None:
            self._block = block = None
            fresh = _Block(wanted, reader.read(wanted))
        if wanted == rect and self._planes is None:
            return fresh.samples
        self._block = fresh
        return fresh.crop(rect)

    def _continued(self, reader: Reader, block: _Block, wanted: Rect) -> _Block | None:
        """Return `wanted` from the bottom of `block` and newly read rows, or None if they don't overlap that way."""
        old = block.rect
        if (old.x, old.width) != (wanted.x, wanted.width) or not old.y <= wanted.y < old.bottom < wanted.bottom:
            return None
        rest = Rect(wanted.x, old.bottom, wanted.width, wanted.bottom - old.bottom)
        if reader.align(rest) != rest:
            return None
        samples = np.empty((wanted.height, wanted.width, len(reader.names)), reader.dtype)
        known = old.bottom - wanted.y
        samples[:known] = block.samples[wanted.y - old.y :]
        samples[known:] = reader.read(rest)
        return _Block(wanted, samples)

    def _pixels(self, samples: Array, layer: LayerInfo, dtype: np.dtype[Any]) -> Array:
        """Return the 3 or 4 channels of the layer, contiguous, not sharing memory with the kept block."""
        names = self._live().names
        places = [names.index(name) for name in layer.channels]
        if self._as_ids:
            return id_pixels(np.ascontiguousarray(samples[..., places[0]]).view(np.uint32))
        if layer.is_vector:
            return _gathered(samples, places, dtype, 3)
        if layer.is_grey:
            places = [places[0]] * 3 + places[1:]
        shared = self._block is not None and np.may_share_memory(samples, self._block.samples)
        own = not self.options.passthrough and not shared
        if places == list(range(len(names))) and own and samples.flags.c_contiguous and samples.flags.writeable:
            return samples.astype(dtype, copy=False)
        first = places[0]
        if places == list(range(first, first + len(places))):
            return np.array(samples[..., first : first + len(places)], dtype, order="C")
        return _gathered(samples, places, dtype, len(places))


def _gathered(samples: Array, places: list[int], dtype: np.dtype[Any], components: int) -> Array:
    """Return channels as the first components of pixels; the others are 0."""
    pixels = np.zeros((*samples.shape[:2], components), dtype)
    for n, place in enumerate(places):
        pixels[..., n] = samples[..., place]
    return pixels


@dataclass(frozen=True)
class Image:
    """A whole layer in memory: pixels (height, width, 3|4), float16 or float32.

    `damage` describes the problem of a file that could only be read in part; the other pixels are then 0.
    """

    pixels: Array
    info: ImageInfo
    part: PartInfo
    layer: LayerInfo
    damage: str = ""


def open_source(
    path: str | Path,
    part: int | str | None = None,
    layer: str | tuple[str, ...] | None = None,
    options: SourceOptions = DEFAULTS,
) -> FileSource:
    """Open one or several layers for reading; by default the main layer of the first flat part with RGB.

    `part` is an index or a name, `layer` one or several names of PartInfo.layers. Raises UnreadableFile if the file is
    missing or damaged, UnsupportedFile if there is no such part or layer.
    """
    info = describe(path, options.salvage)
    chosen = choose_part(info, part)
    layers = choose_layers(info, chosen, layer)
    with reading(info.path):
        return FileSource(info, chosen, layers, options)


def read_image(path: str | Path, part: int | str | None = None, layer: str | None = None, threads: int = 0) -> Image:
    """Read all pixels of one layer; arguments and errors are those of `open_source`."""
    source = open_source(path, part, layer, SourceOptions(threads))
    try:
        return read_whole(source)
    finally:
        source.close()


def read_whole(source: FileSource) -> Image:
    """Read all pixels of a source's first layer."""
    with reading(source.path):
        return Image(_read_all(source), source.info, source.part, source.layer)


def _read_all(source: FileSource) -> Array:
    """Read an image in bands, so that neither false sizes nor other channels take memory.

    The library clears the memory of what it returns, while no other thread can run Python: that of a whole image is
    cleared in 0.1 s or more, that of a band is used again for the next one. Readers of our own need no bands.
    """
    row_samples = source.width * source.samples_per_pixel
    rows = band_rows(row_samples, source.chunk_rows, source.options.threads)
    if rows >= source.height or not source._live().in_bands:
        return source.read_region(Rect(0, 0, source.width, source.height))
    pixels = np.empty((source.height, source.width, source.channels), source.dtype)
    for y in range(0, source.height, rows):
        band = Rect(0, y, source.width, min(rows, source.height - y))
        pixels[y : band.bottom] = source.read_region(band)
    return pixels
