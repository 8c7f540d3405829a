"""Parts that the libraries decode, laid out as lines, for a device that does not know their compression."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.compute.chunks import LineLayout
from engine.core.file_errors import reading
from engine.core.records import dataclass
from engine.errors import UnreadableFile
from engine.io.exr.header import RawHeader, parse
from engine.io.whole import planes_of

Bytes = NDArray[np.uint8]
TYPES = {"half": np.dtype("<f2"), "float": np.dtype("<f4"), "uint": np.dtype("<u4")}


@dataclass(frozen=True)
class HostLines:
    """Lines in main memory: (height, line_bytes) bytes, and their layout."""

    samples: Bytes
    layout: LineLayout


def line_layout(header: RawHeader) -> LineLayout | None:
    """Return the layout of a part's full level as lines; None for deep parts and parts with subsampled channels."""
    channels = header.channels
    if header.is_deep or any(channel.x_sampling > 1 or channel.y_sampling > 1 for channel in channels):
        return None
    return LineLayout(*header.size, tuple((channel.name, channel.type) for channel in channels))


def read_lines(path: Path, part: int, buffer: Callable[[int], Bytes]) -> HostLines | None:
    """Decode the full level of a part; return None if `line_layout` is.

    `buffer` returns the host memory to decode into. Raises UnreadableFile if the part can't be decoded.
    """
    with reading(path):
        layout = line_layout(parse(path).headers[part])
        if layout is None:
            return None
        planes = planes_of(path, part)
        lines = buffer(layout.nbytes).reshape(layout.height, layout.line_bytes)
        for (name, kind), start, size in zip(layout.channels, layout.starts, layout.sample_bytes, strict=True):
            plane = planes.pop(name)
            if plane.shape != (layout.height, layout.width) or plane.dtype != TYPES[kind]:
                raise UnreadableFile(path, f"its channel {name} is not what its header says", "write the file again")
            lines[:, start : start + size * layout.width] = np.ascontiguousarray(plane).view(np.uint8)
        return HostLines(lines, layout)
