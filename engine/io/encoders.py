"""Encoders, which write rows of samples to a file in order, top to bottom.

An encoder takes full-width rows in multiples of its `step` (the last block may be shorter). An EXR encoder writes a
single-part file with the final pixels and a placeholder header, as long as the final header that replaces it later.
"""

from __future__ import annotations

import errno
import os
import shutil
from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any

import numpy as np
import OpenEXR
import OpenImageIO as oiio
from numpy.typing import NDArray

from engine.core.file_errors import cannot_write, short, writing
from engine.core.geometry import Rect
from engine.core.records import dataclass
from engine.errors import HandleError, WriteFailed
from engine.io.exr.chunks import header_bytes, version_bytes
from engine.io.exr.header import RawHeader

Array = NDArray[Any]
TYPE_SENSITIVE = ("pxr24", "htj2k256", "htj2k32", "lj2k", "zstd")
"""Compressions that encode a uint sample differently from a float with the same bits."""
DWA_COLOURS = frozenset(("r", "g", "b", "a", "y", "ry", "by", "red", "green", "blue", "alpha"))
"""Channel names for which DWA chooses the encoding by the sample type."""
_MINIMAL = (
    *("channels", "compression", "dataWindow", "displayWindow", "lineOrder", "pixelAspectRatio"),
    *("screenWindowCenter", "screenWindowWidth", "tiles"),
)
INCOMPLETE = ("could not be written completely", "check the disk's free space")
"""What to say of a file that lacks some of its chunks, and what to do."""
_FILLER = len(b"pad\0string\0") + 4
NEARLY_NOTHING = 1 << 20


class Encoder(ABC):
    """A file being written."""

    step = 1
    piece = 0
    """Width of the pieces that `write_piece` takes; 0 if it takes none."""
    wide = False
    """Whether rows are float32, because not all channels are half."""

    @abstractmethod
    def write(self, y: int, rows: Array) -> None:
        """Write rows (n, width, channels), the first of which is row `y` of the image."""

    def write_piece(self, rect: Rect, samples: Array) -> None:
        """Write a rectangle of whole pieces and steps, in order."""
        raise HandleError(f"{rect} is not a full row of an image that is written in rows")

    @abstractmethod
    def close(self) -> None:
        """Complete the file after the last row. Raises WriteFailed if that is impossible."""

    @abstractmethod
    def abandon(self) -> None:
        """Close the file, complete or not."""


class OiioEncoder(Encoder):
    """Writes scanlines or tiles through OpenImageIO. Error messages name `target`, the file the user asked for."""

    def __init__(self, path: Path, target: Path, spec: Any) -> None:
        self._path, self._target, self._spec = path, target, spec
        self.step, self.piece = spec.tile_height or 1, spec.tile_width
        self.wide = "half" not in {str(spec.format), *map(str, spec.channelformats)} or bool(spec.channelformats)
        self._file: Any = oiio.ImageOutput.create(str(path))
        if self._file is None:
            raise WriteFailed(target, f"can't be written ({short(oiio.geterror())})", "choose another format")
        if not self._file.open(str(path), spec):
            raise self._failed()

    def write(self, y: int, rows: Array) -> None:
        spec = self._spec
        top, bottom = spec.y + y, spec.y + y + rows.shape[0]
        rows = np.ascontiguousarray(rows)
        if spec.tile_width:
            self.write_piece(Rect(0, y, spec.width, rows.shape[0]), rows)
            return
        if not self._file.write_scanlines(top, bottom, 0, rows):
            raise self._failed()

    def write_piece(self, rect: Rect, samples: Array) -> None:
        x, y = self._spec.x, self._spec.y
        samples = np.ascontiguousarray(samples)
        if not self._file.write_tiles(x + rect.x, x + rect.right, y + rect.y, y + rect.bottom, 0, 1, samples):
            raise self._failed()

    def close(self) -> None:
        if not self._file.close():
            raise self._failed()

    def abandon(self) -> None:
        self._file.close()
        self._file.geterror()

    def _failed(self) -> WriteFailed:
        problem = short(self._file.geterror())
        folder = self._path.parent
        if shutil.disk_usage(folder).free < NEARLY_NOTHING:
            return cannot_write(self._target, OSError(errno.ENOSPC, ""))
        if not os.access(folder, os.W_OK):
            return cannot_write(self._target, PermissionError(errno.EACCES, ""))
        try:
            with self._path.open("ab") as file:
                file.write(bytes(NEARLY_NOTHING))
        except OSError as refused:
            return cannot_write(self._target, refused)
        return WriteFailed(self._target, f"can't be written ({problem})", "check the disk and its free space")


@dataclass(frozen=True)
class Coding:
    """The channel names in the order of the rows, and the compression with its level."""

    names: tuple[str, ...]
    compression: str


def open_exr(path: Path, target: Path, header: RawHeader, coding: Coding, spill: Path) -> Encoder:
    """Return an encoder for rows of `coding.names`, float16 or float32, with the bits of uint samples in float32.

    `spill` is the path of a temporary file that the encoder may create.
    """
    if needs_whole(header, coding.compression):
        return WholeExrEncoder(path, target, header, coding, spill)
    return OiioEncoder(path, target, _exr_spec(header, coding))


def needs_whole(header: RawHeader, compression: str) -> bool:
    """Return whether only OpenEXR writes these channels exactly, in one call: some combinations with uint channels."""
    name = compression.partition(":")[0]
    sensitive = [c for c in header.channels if c.type == "uint"]
    if name.startswith("dwa"):
        sensitive = [c for c in sensitive if c.name.rpartition(".")[2].lower() in DWA_COLOURS]
    return bool(sensitive) and (name in TYPE_SENSITIVE or name.startswith("dwa"))


def _exr_spec(header: RawHeader, coding: Coding) -> Any:
    """Return the structure of the image, with padding that makes the placeholder header as long as the final one."""
    types = {c.name: "half" if c.type == "half" else "float" for c in header.channels}
    width, height = header.size
    formats = [types[name] for name in coding.names]
    spec = oiio.ImageSpec(width, height, len(formats), formats[0] if len(set(formats)) == 1 else "float")
    spec.channelnames = coding.names
    if len(set(formats)) > 1:
        spec.channelformats = tuple(formats)
    spec.x, spec.y = header.box("dataWindow")[:2]
    spec.full_x, spec.full_y, spec.full_width, spec.full_height = spec.x, spec.y, width, height
    if header.tiles:
        spec.tile_width, spec.tile_height = header.tiles[:2]
    spec.attribute("compression", coding.compression)
    spec.attribute("DateTime", "")  # otherwise the library adds the current time
    missing = len(final_preamble(header)) - len(final_preamble(_minimal(header))) - _FILLER
    if missing > 0:
        spec.attribute("pad", " " * missing)
    return spec


def final_preamble(header: RawHeader) -> bytes:
    """Return the bytes of a single-part file with this header, up to its offset table."""
    return version_bytes(0, [header]) + header_bytes(0, [header])


def _minimal(header: RawHeader) -> RawHeader:
    """Return the header that the library writes if no other attribute is set."""
    return RawHeader({name: header.attributes[name] for name in _MINIMAL if name in header.attributes})


def reserve(path: Path, size: int) -> None:
    """Create a file with `size` bytes allocated on disk: a full disk must be an error here, not a crash in a mmap."""
    with path.open("xb") as file:
        if hasattr(os, "posix_fallocate"):
            os.posix_fallocate(file.fileno(), 0, size)
            return
        for start in range(0, size, NEARLY_NOTHING):
            file.write(bytes(min(NEARLY_NOTHING, size - start)))


class WholeExrEncoder(Encoder):
    """Writes files that only OpenEXR writes exactly: planes are collected in a file beside the target first."""

    wide = True

    def __init__(self, path: Path, target: Path, header: RawHeader, coding: Coding, spill: Path) -> None:
        self._path, self._target, self._header, self._spill = path, target, header, spill
        self._level = coding.compression.partition(":")[2]
        width, height = header.size
        types = {c.name: np.dtype({"half": "<f2", "float": "<f4", "uint": "<u4"}[c.type]) for c in header.channels}
        sizes = [types[name].itemsize * width * height for name in coding.names]
        starts = np.cumsum([0, *(-(-size // 4) * 4 for size in sizes)])
        with writing(target):
            reserve(spill, int(starts[-1]))
            store = np.memmap(spill, np.uint8, "r+")
        self._planes = {
            name: store[start : start + size].view(types[name]).reshape(height, width)
            for name, start, size in zip(coding.names, starts[:-1], sizes, strict=True)
        }

    def write(self, y: int, rows: Array) -> None:
        for n, (_, plane) in enumerate(self._planes.items()):
            samples = rows[..., n]
            if plane.dtype == np.uint32:
                samples = np.ascontiguousarray(samples, np.float32).view(np.uint32)
            with np.errstate(over="ignore", invalid="ignore"):
                plane[y : y + rows.shape[0]] = samples

    def close(self) -> None:
        with writing(self._target):
            channels = {name: OpenEXR.Channel(plane) for name, plane in self._planes.items()}
            OpenEXR.File(self._placeholder(), channels).write(str(self._path))
        self.abandon()

    def _placeholder(self) -> dict[str, Any]:
        """Return the header that OpenEXR needs to encode the pixels."""
        box, tiles, name = self._header.box("dataWindow"), self._header.tiles, self._header.compression
        header: dict[str, Any] = {
            "type": OpenEXR.Storage.tiledimage if tiles else OpenEXR.Storage.scanlineimage,
            "dataWindow": (np.array(box[:2], np.int32), np.array(box[2:], np.int32)),
            "displayWindow": (np.array(box[:2], np.int32), np.array(box[2:], np.int32)),
            "compression": getattr(OpenEXR, f"{name.upper() if name != 'none' else 'NO'}_COMPRESSION"),
        }
        if self._level and name.startswith("dwa"):
            header["dwaCompressionLevel"] = float(self._level)
        if tiles:
            header["tiles"] = OpenEXR.TileDescription()
            header["tiles"].xSize, header["tiles"].ySize = tiles[:2]
        return header

    def abandon(self) -> None:
        self._planes = {}
        self._spill.unlink(missing_ok=True)
