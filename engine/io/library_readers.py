"""Readers that use OpenImageIO and OpenEXR."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import OpenImageIO as oiio
from numpy.typing import NDArray

from engine.core.file_errors import AGAIN, reading, short
from engine.core.geometry import Rect
from engine.core.system import usable_cores
from engine.errors import UnreadableFile
from engine.io.description import open_oiio
from engine.io.exr import chunks as exr_chunks
from engine.io.exr import header as exr_header
from engine.io.exr import luminance_chroma
from engine.io.holes import MissingRegions
from engine.io.info import PartInfo
from engine.io.png_check import PngPixels, is_png
from engine.io.reader import Reader, WholeReader, aligned

Array = NDArray[Any]
MAX_DEEP_BYTES = 1 << 32


def set_threads(count: int) -> None:
    """Set the number of threads of the libraries; 0 is one per usable core.

    With 1 the libraries work in the calling threads only.
    """
    count = count or usable_cores()
    oiio.attribute("threads", count)
    oiio.attribute("exr_threads", -1 if count == 1 else count)


class OiioReader(Reader):
    """Reads scanlines or tiles of one mip level through OpenImageIO; keeps only the file open, no pixels."""

    def __init__(
        self,
        path: Path,
        part: PartInfo,
        names: tuple[str, ...],
        raw_uint: bool = False,
        holes: MissingRegions | None = None,
        level: int = 0,
    ) -> None:
        self.path, self.part, self._holes, self._level = path, part, holes, level
        self._png = PngPixels(path) if part.type == "image" and is_png(path) else None
        with reading(path):
            self._file = open_oiio(path)
            if not self._file.seek_subimage(part.index, level):
                raise UnreadableFile(path, f"part {part.index} can't be read ({short(self._file.geterror())})", AGAIN)
            order = self._channel_order()
        places = [order.index(name) for name in names]
        self._first, self._end = min(places), max(places) + 1
        self.names = tuple(order[self._first : self._end])
        types = [part.channel(name).type for name in self.names]
        self.dtype = np.dtype(np.float16 if set(types) == {"half"} else np.float32)
        self._uint = [n for n, kind in enumerate(types) if kind == "uint"] if raw_uint else []

    def _channel_order(self) -> list[str]:
        """Return the channel names in the library's order, which must agree with the header."""
        spec, mine = self._file.spec(), [channel.name for channel in self.part.channels]
        if self.part.type == "image":
            return mine
        order = list(spec.channelnames)
        if sorted(order) != sorted(mine) or (spec.width, spec.height) != (self.part.width, self.part.height):
            raise UnreadableFile(self.path, "its header is damaged", AGAIN)
        return order

    def align(self, rect: Rect) -> Rect:
        return aligned(self.part, rect)

    def read(self, rect: Rect) -> Array:
        with reading(self.path):
            samples = self._read(rect, self._first, self._end, "half" if self.dtype == np.float16 else "float")
            if self._uint:
                first, end = self._first + self._uint[0], self._first + self._uint[-1] + 1
                exact = self._read(rect, first, end, "uint").view(np.float32)
                samples.setflags(write=True)
                for n in self._uint:
                    samples[..., n] = exact[..., n - self._uint[0]]
        return samples

    def _read(self, rect: Rect, first: int, end: int, kind: str) -> Array:
        samples = self._try(rect, first, end, kind)
        if samples is None and self._holes is not None:
            self._file.geterror()
            return self._read_around_holes(rect, first, end, kind, self._holes)
        if samples is None:
            problem = (self._png.problem if self._png else "") or short(self._file.geterror())
            where = "" if self.part.type == "image" else f" at {self._first_bad(rect)}"
            raise UnreadableFile(self.path, f"is cut off or damaged{where} ({problem})", exr_chunks.SALVAGE)
        return np.asarray(samples).reshape(rect.height, rect.width, end - first)

    def _read_around_holes(self, rect: Rect, first: int, end: int, kind: str, holes: MissingRegions) -> Array:
        types = {"half": np.float16, "float": np.float32, "uint": np.uint32}
        whole = np.zeros((rect.height, rect.width, end - first), types[kind])
        for piece in self._pieces(rect):
            samples = self._try(piece, first, end, kind)
            if samples is not None:
                whole[piece.within(rect)] = np.asarray(samples).reshape(piece.height, piece.width, end - first)
            else:
                holes.add(piece)
            self._file.geterror()
        return whole

    def _pieces(self, rect: Rect) -> Iterator[Rect]:
        """Yield the rectangles that are encoded together, from the top: blocks of scanlines, or single tiles."""
        unit = self.align(Rect(rect.x, rect.y, 1, 1))
        for y in range(rect.y, rect.bottom, unit.height):
            for x in range(rect.x, rect.right, unit.width):
                yield Rect(x, y, min(unit.width, rect.right - x), min(unit.height, rect.bottom - y))

    def _try(self, rect: Rect, first: int, end: int, kind: str) -> Any:
        left, top = self.part.data_window[:2]
        x, y, index = left + rect.x, top + rect.y, self.part.index
        if self.part.tile_size:
            bounds = (x, x + rect.width, y, y + rect.height, 0, 1)
            return self._file.read_tiles(index, self._level, *bounds, first, end, kind)
        if self._png is not None and rect.bottom > self._png.intact:
            return None
        return self._file.read_scanlines(index, 0, y, y + rect.height, 0, first, end, kind)

    def _first_bad(self, rect: Rect) -> str:
        """Return the first scanline or tile of `rect` that can't be read, found by reading piece by piece."""
        piece = rect
        for piece in self._pieces(rect):
            if self._try(piece, self._first, self._end, "half") is None:
                self._file.geterror()
                break
        if self.part.tile_size:
            wide, high = self.part.tile_size
            return f"tile ({piece.x // wide}, {piece.y // high})"
        return f"scanline {self.part.data_window[1] + piece.y}"

    def close(self) -> None:
        self._file.close()


class SubsampledReader(WholeReader):
    """Reads luminance-chroma and other subsampled EXRs, through OpenEXR.

    The channels of a luminance-chroma layer are converted to R, G, B under their own names; other subsampled channels
    are upsampled to the size of the image.
    """

    def __init__(self, path: Path, part: PartInfo, names: tuple[str, ...], raw_uint: bool = False) -> None:
        super().__init__(path, part, names)
        self._raw_uint = raw_uint
        halves = all(part.channel(name).type == "half" for name in names)
        self.dtype = np.dtype(np.float16 if halves else np.float32)

    def _load(self) -> Array:
        from engine.io.whole import planes_of

        size = self.part.height, self.part.width
        planes = planes_of(self.path, self.part.index)
        pixels = np.empty((*size, len(self.names)), self.dtype)
        for n, name in enumerate(self.names):
            plane = (
                planes[name].view(np.float32) if self._raw_uint and planes[name].dtype == np.uint32 else planes[name]
            )
            pixels[..., n] = luminance_chroma.upsample(plane, *size)
        for layer in self.part.layers:
            if layer.is_luminance_chroma and layer.channels[0] in self.names:
                y, ry, by = (planes[name] for name in layer.channels[:3])
                rgb = luminance_chroma.to_rgb(y, ry, by, self._weights())
                first = self.names.index(layer.channels[0])
                pixels[..., first : first + 3] = rgb
        return pixels

    def _weights(self) -> NDArray[np.float32]:
        found = self.part.metadata.get("chromaticities", luminance_chroma.REC709)
        return luminance_chroma.luminance_weights(tuple(float(v) for v in found))


class DeepReader(WholeReader):
    """Reads deep parts, flattened front to back by OpenImageIO, for viewing only."""

    def __init__(self, path: Path, part: PartInfo, names: tuple[str, ...]) -> None:
        super().__init__(path, part, names)
        halves = all(part.channel(name).type == "half" for name in names)
        self.dtype = np.dtype(np.float16 if halves else np.float32)

    def _load(self) -> Array:
        size = self.part.width * self.part.height * 4 * len(self.part.channels)
        if size + exr_chunks.deep_bytes(exr_header.parse(self.path), self.part.index) > MAX_DEEP_BYTES:
            raise UnreadableFile(self.path, "holds more deep samples than fit in memory", "flatten it first")
        deep = oiio.ImageBuf(str(self.path), self.part.index, 0)
        if not deep.read(self.part.index, 0, True):
            raise UnreadableFile(self.path, f"its deep samples are damaged ({short(deep.geterror())})", AGAIN)
        flat = oiio.ImageBufAlgo.flatten(deep)
        if flat.has_error:
            raise UnreadableFile(self.path, f"can't be flattened ({short(flat.geterror())})", AGAIN)
        order = list(flat.spec().channelnames)
        pixels: Any = flat.get_pixels("float")
        return np.ascontiguousarray(pixels[..., [order.index(name) for name in self.names]].astype(self.dtype))
