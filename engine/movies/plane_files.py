"""Files with the planes of one frame of a movie: made by any thread, process or machine, and mapped by the encoder.

A header of one page is followed by the planes without padding, 8-bit samples as bytes, others as 16-bit words.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.core.atomic import TemporaryFile, create
from engine.core.file_errors import writing
from engine.errors import UnreadableFile
from engine.movies.codecs import Pixels

SUFFIX = ".planes"
_PAGE = 4096
_MAGIC = "tessera planes 1"

Plane = NDArray[Any]


@dataclass(frozen=True)
class PlaneHeader:
    """The format of a frame, a digest of how it was made, and its light: the highest and the mean luminance of the
    largest component, in candelas per square metre; zeros if it was not measured."""

    chroma: str
    depth: int
    width: int
    height: int
    digest: str = ""
    highest: float = 0.0
    mean: float = 0.0

    @property
    def pixels(self) -> Pixels:
        return Pixels(self.chroma, self.depth)


def write_planes(path: Path, header: PlaneHeader, planes: Sequence[Plane]) -> int:
    """Write a frame, whole or not at all, and return the size of the file."""
    head = json.dumps({"magic": _MAGIC, **asdict(header)}).encode().ljust(_PAGE)
    temporary = TemporaryFile(path, force=True)
    try:
        with writing(path), create(temporary.path) as file:
            file.write(head)
            for plane in planes:
                file.write(np.ascontiguousarray(plane).data)
        temporary.commit(flush=False)
    finally:
        temporary.discard()
    return _PAGE + sum(plane.nbytes for plane in planes)


def read_header(path: Path) -> PlaneHeader:
    """Return the header of a frame. Raises UnreadableFile if the file is missing, damaged or cut off."""
    try:
        with path.open("rb") as file:
            about = json.loads(file.read(_PAGE))
        if about.pop("magic") != _MAGIC:
            raise ValueError("of another kind")
        header = PlaneHeader(**about)
        if path.stat().st_size != _PAGE + sum(map(_size, _shapes(header))) * _dtype(header).itemsize:
            raise ValueError("cut off")
    except OSError as problem:
        raise UnreadableFile(path, problem.strerror or "can't be read", "export again") from problem
    except (ValueError, TypeError, KeyError, AttributeError) as problem:
        raise UnreadableFile(path, "is not a complete frame", "delete it and export again") from problem
    return header


def map_planes(path: Path) -> tuple[PlaneHeader, list[Plane]]:
    """Return the header and the planes of a frame, mapped into memory. Raises the same errors as `read_header`."""
    header = read_header(path)
    dtype, offset, planes = _dtype(header), _PAGE, list[Plane]()
    for shape in _shapes(header):
        planes.append(np.memmap(path, dtype, "r", offset, shape))
        offset += _size(shape) * dtype.itemsize
    return header, planes


def frame_bytes(pixels: Pixels, width: int, height: int) -> int:
    """Return the size of the file of a frame."""
    samples = sum(map(_size, pixels.planes(width, height)))
    return _PAGE + samples * (1 if pixels.depth == 8 else 2)


def _shapes(header: PlaneHeader) -> tuple[tuple[int, int], ...]:
    return header.pixels.planes(header.width, header.height)


def _size(shape: tuple[int, int]) -> int:
    return shape[0] * shape[1]


def _dtype(header: PlaneHeader) -> np.dtype[Any]:
    return np.dtype(np.uint8 if header.depth == 8 else np.dtype("<u2"))
