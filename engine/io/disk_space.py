"""How much disk an output will take, before it is begun."""

from __future__ import annotations

import shutil
from pathlib import Path

from engine.errors import UnreadableFile, WriteFailed
from engine.io.exr.chunks import offsets
from engine.io.exr.header import RawFile, RawHeader

LIKELY = {"none": 1.0, "b44": 0.45, "b44a": 0.45, "dwaa": 0.15, "dwab": 0.15, "lj2k": 0.15}
"""Share of its plain size that an image takes in each compression; `LOSSLESS` where not named."""
LOSSLESS = 0.6
PLAIN = {".jpg": 0.1, ".jpeg": 0.1, ".dpx": 1.0}
CERTAIN = 0.8
"""Share of the estimate without which there is no use in beginning."""
MB = 1 << 20


def exr_estimate(raw: RawFile | None, part: int, header: RawHeader, single_part: bool, twice: bool) -> int:
    """Bytes on disk of a file with this header in place of `part`, and of what is written on the way there."""
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
    """Bytes on disk of an image in another format."""
    return int(width * height * channels * 2 * PLAIN.get(suffix, 0.5))


def check_disk_space(target: Path, folder: Path, needed: int) -> None:
    """WriteFailed if the disk clearly has no room for so many bytes."""
    free = shutil.disk_usage(folder).free
    if needed * CERTAIN > free:
        what = f"needs about {_size(needed)} of disk, and there are {_size(free)} free"
        raise WriteFailed(target, what, "free some space or choose another disk")


def _size(count: int) -> str:
    return f"{count / MB:.1f} MB" if count < 10 * MB else f"{count // MB} MB"


def _alike(before: str, after: str) -> bool:
    return before == after or (before not in LIKELY and after not in LIKELY)


def _coded(raw: RawFile) -> list[int]:
    """Bytes of each part's chunks, by where they begin."""
    starts = []
    for part in range(len(raw.headers)):
        try:
            with raw.path.open("rb") as file:
                starts += [(at, part) for at in offsets(file, raw, part)]
        except UnreadableFile:
            return [raw.file_size // len(raw.headers)] * len(raw.headers)
    starts.sort()
    coded = [0] * len(raw.headers)
    for (at, part), (end, _) in zip(starts, [*starts[1:], (raw.file_size, 0)], strict=True):
        coded[part] += end - at
    return coded
