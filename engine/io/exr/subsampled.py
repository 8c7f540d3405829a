"""Writing of EXRs with subsampled channels, which no Python library writes.

The layout of scanlines and the steps before zlib follow the OpenEXR file layout document and ImfZip.
"""

from __future__ import annotations

import struct
import zlib
from array import array
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from engine.io.encoders import Coding, Encoder, final_preamble
from engine.io.exr.header import RawChannel, RawHeader

Array = NDArray[Any]
Planes = Callable[[], dict[str, Array]]
"""Returns the planes of the subsampled channels, by name."""
CODED = ("none", "zips", "zip")
"""Compressions that this module writes."""
_TYPES = {"half": "<f2", "float": "<f4", "uint": "<u4"}
_LEVEL = 4
"""OpenEXR's default level of zip compression."""


class SubsampledEncoder(Encoder):
    """Writes full-resolution channels, which arrive as rows, and subsampled ones, which arrive as planes."""

    wide = True

    def __init__(self, path: Path, header: RawHeader, coding: Coding, planes: Planes) -> None:
        self._header, self._names, self._planes = header, coding.names, planes
        self._level = int(coding.compression.partition(":")[2] or _LEVEL)
        self._subsampled: dict[str, Array] | None = None
        self.step = header.chunk_rows
        self._offsets = array("Q", bytes(8 * header.chunk_count()))
        self._file: BinaryIO = path.open("xb")
        self._start = self._file.write(final_preamble(header))
        self._file.write(self._offsets.tobytes())

    def write(self, y: int, rows: Array) -> None:
        if self._subsampled is None:
            self._subsampled = self._planes()
        for top in range(0, rows.shape[0], self.step):
            self._write_chunk(y + top, rows[top : top + self.step])

    def _write_chunk(self, y: int, rows: Array) -> None:
        scanline = self._header.box("dataWindow")[1] + y
        raw = b"".join(
            self._samples(channel, y + n, row).tobytes()
            for n, row in enumerate(rows)
            for channel in self._header.channels
            if (scanline + n) % channel.y_sampling == 0
        )
        coded = raw if self._header.compression == "none" else packed(raw, self._level)
        self._offsets[y // self.step] = self._file.tell()
        self._file.write(struct.pack("<2i", scanline, len(coded)) + coded)

    def _samples(self, channel: RawChannel, y: int, row: Array) -> Array:
        assert self._subsampled is not None
        if channel.name in self._subsampled:
            subsampled: Array = self._subsampled[channel.name][y // channel.y_sampling]
            return subsampled.astype(_TYPES[channel.type])
        samples = row[:, self._names.index(channel.name)]
        if channel.type == "uint":
            return np.ascontiguousarray(samples, np.float32).view("<u4")
        with np.errstate(over="ignore", invalid="ignore"):
            return samples.astype(_TYPES[channel.type])

    def close(self) -> None:
        if struct.pack("=H", 1) != struct.pack("<H", 1):
            self._offsets.byteswap()
        self._file.seek(self._start)
        self._file.write(self._offsets.tobytes())
        self._file.close()

    def abandon(self) -> None:
        try:
            self._file.close()
        except OSError:
            return  # the file is discarded anyway


def packed(raw: bytes, level: int) -> bytes:
    """Return a chunk as the zip compressions encode it, or unchanged if that would not make it smaller."""
    samples = np.frombuffer(raw, np.uint8)
    apart = np.concatenate([samples[0::2], samples[1::2]])
    steps = np.empty_like(apart)
    steps[:1] = apart[:1]
    steps[1:] = apart[1:] - apart[:-1] + np.uint8(128)
    coded = zlib.compress(steps.tobytes(), level)
    return coded if len(coded) < len(raw) else raw
