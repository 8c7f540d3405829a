"""Estimates of the disk space that an output needs, made before it is written."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np

from engine.errors import UnreadableFile, WriteFailed
from engine.io.exr.chunks import offsets
from engine.io.exr.header import RawFile, RawHeader

LIKELY = {"none": 1.0, "b44": 0.45, "b44a": 0.45, "dwaa": 0.15, "dwab": 0.15, "lj2k": 0.15}
"""Compressed size of an image as a share of its uncompressed size; `LOSSLESS` for compressions not listed."""
LOSSLESS = 0.6
PLAIN = {".jpg": 0.1, ".jpeg": 0.1, ".dpx": 1.0}
CERTAIN = 0.8
"""The share of the estimate that must be free before writing starts."""
MB = 1 << 20


def exr_estimate(raw: RawFile | None, part: int, header: RawHeader, single_part: bool, twice: bool) -> int:
    """Return the bytes on disk of a file whose part `part` has this header, temporary files included.

    `twice` says that the pixels are written to a temporary file first; `single_part`, that other parts are left out.
    """
    plain = header.pixel_bytes * header.size[0] * header.size[1]
    share = LIKELY.get(header.compression, LOSSLESS)
    others = 0
    if raw is not None:
        coded = _coded(raw)
        before = raw.headers[part]
        if _alike(before.compression, header.compression):
            share = coded[part] / (before.pixel_bytes * before.size[0] * before.size[1])
        others = 0 if single_part else sum(coded) - coded[part]
    return int(plain * share * (2 if twice else 1)) + others


def plain_estimate(suffix: str, width: int, height: int, channels: int) -> int:
    """Return the bytes on disk of an image in a format other than EXR."""
    return int(width * height * channels * 2 * PLAIN.get(suffix, 0.5))


def check_disk_space(target: Path, folder: Path, needed: int) -> None:
    """Raise WriteFailed if the disk clearly has too little free space for `needed` bytes."""
    free = shutil.disk_usage(folder).free
    if needed * CERTAIN > free:
        what = f"needs about {_size(needed)} of disk space, but only {_size(free)} are free"
        raise WriteFailed(target, what, "free some space or choose another disk")


def _size(count: int) -> str:
    return f"{count / MB:.1f} MB" if count < 10 * MB else f"{count // MB} MB"


def _alike(before: str, after: str) -> bool:
    return before == after or (before not in LIKELY and after not in LIKELY)


def _coded(raw: RawFile) -> list[int]:
    """Return the bytes of each part's chunks, from their offsets."""
    count = len(raw.headers)
    try:
        with raw.path.open("rb") as file:
            starts = [np.array(offsets(file, raw, part), np.int64) for part in range(count)]
    except UnreadableFile:
        return [raw.file_size // count] * count
    parts = np.repeat(np.arange(count), [len(each) for each in starts])
    at = np.concatenate(starts)
    order = np.argsort(at, kind="stable")
    lengths = np.diff(at[order], append=raw.file_size)
    return [int(lengths[parts[order] == part].sum()) for part in range(count)]
