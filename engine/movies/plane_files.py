"""Files with the planes of one frame of a movie: made by any thread, process or machine, and mapped by the encoder.

A header of one page is followed by the planes without padding, 8-bit samples as bytes, others as 16-bit words.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.core.atomic import TemporaryFile, create
from engine.core.file_errors import writing
from engine.movies.plane_header import MAGIC, PAGE, PlaneHeader, read_header

SUFFIX = ".planes"

Plane = NDArray[Any]


def write_planes(path: Path, header: PlaneHeader, planes: Sequence[Plane]) -> int:
    """Write a frame, whole or not at all, and return the size of the file."""
    head = json.dumps({"magic": MAGIC, **asdict(header)}).encode().ljust(PAGE)
    temporary = TemporaryFile(path, force=True)
    try:
        with writing(path), create(temporary.path) as file:
            file.write(head)
            for plane in planes:
                file.write(np.ascontiguousarray(plane).data)
        temporary.commit(flush=False)
    finally:
        temporary.discard()
    return PAGE + sum(plane.nbytes for plane in planes)


def map_planes(path: Path) -> tuple[PlaneHeader, list[Plane]]:
    """Return the header and the planes of a frame, mapped into memory. Raises the same errors as `read_header`."""
    header = read_header(path)
    dtype, offset, planes = _dtype(header), PAGE, list[Plane]()
    for shape in header.shapes:
        planes.append(np.memmap(path, dtype, "r", offset, shape))
        offset += shape[0] * shape[1] * dtype.itemsize
    return header, planes


def _dtype(header: PlaneHeader) -> np.dtype[Any]:
    return np.dtype(np.uint8 if header.depth == 8 else np.dtype("<u2"))
