"""Boxes of QuickTime and MP4 files that PyAV can't write: the mastering display and the content light level.

They are added to the description of the video track after the file is closed. Its `moov` box is the last one, so no
other offset changes. Layout: ISO/IEC 14496-12, 12.1.5 and 12.1.6.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from engine.movies.encode_tags import ContentLight, MasteringDisplay

_CHROMATICITY, _LUMINANCE = 50_000, 10_000
"""Units of one in x and y, and of one candela per square metre."""
_FIRST_ENTRY = 16
"""Where the first entry of a `stsd` box begins."""


def add_light_boxes(path: Path, mastering: MasteringDisplay | None, light: ContentLight | None) -> None:
    """Add the boxes to a file that FFmpeg has written; a file of another container stays as it is."""
    boxes = (mastering_box(mastering) if mastering else b"") + (light_box(light) if light else b"")
    if not boxes or path.suffix.lower() not in (".mov", ".mp4"):
        return
    with path.open("r+b") as file:
        at, size = _moov(file)
        file.seek(at)
        moov = bytearray(file.read(size))
        _insert(moov, boxes)
        file.seek(at)
        file.write(moov)


def mastering_box(display: MasteringDisplay) -> bytes:
    """Return a `mdcv` box: the primaries in the order green, blue, red, then white, highest and least luminance."""
    red, green, blue, white = (display.primaries[n : n + 2] for n in (0, 2, 4, 6))
    numbers = [round(value * _CHROMATICITY) for pair in (green, blue, red, white) for value in pair]
    luminance = round(display.most * _LUMINANCE), round(display.least * _LUMINANCE)
    return struct.pack(">I4s8H2I", 32, b"mdcv", *numbers, *luminance)


def light_box(light: ContentLight) -> bytes:
    """Return a `clli` box."""
    return struct.pack(">I4s2H", 12, b"clli", min(light.max_cll, 0xFFFF), min(light.max_fall, 0xFFFF))


def _moov(file: BinaryIO) -> tuple[int, int]:
    """Return the offset and the size of the `moov` box, which must be the last one."""
    at, end = 0, file.seek(0, 2)
    while at < end:
        file.seek(at)
        head = file.read(16)
        size, kind = struct.unpack_from(">I4s", head)
        if size == 1:
            (size,) = struct.unpack_from(">Q", head, 8)
        if kind == b"moov" and at + size == end:
            return at, size
        if size < 8:
            break
        at += size
    raise ValueError("its moov box is not the last one")


def _insert(moov: bytearray, boxes: bytes) -> None:
    """Append boxes to the entry of the first video track, and enlarge all boxes around it."""
    for track in _inside(moov, 0, 8, b"trak"):
        media = next(_inside(moov, track, 8, b"mdia"))
        handler = next(_inside(moov, media, 8, b"hdlr"))
        if moov[handler + 16 : handler + 20] != b"vide":
            continue
        info = next(_inside(moov, media, 8, b"minf"))
        table = next(_inside(moov, info, 8, b"stbl"))
        description = next(_inside(moov, table, 8, b"stsd"))
        entry = description + _FIRST_ENTRY
        end = entry + _size(moov, entry)
        moov[end:end] = boxes
        for box in (0, track, media, info, table, description, entry):
            struct.pack_into(">I", moov, box, _size(moov, box) + len(boxes))
        return
    raise ValueError("it has no video track")


def _inside(data: bytearray, box: int, head: int, kind: bytes) -> Iterator[int]:
    """Yield the offsets of the boxes of a kind in a box."""
    at, end = box + head, box + _size(data, box)
    while at + 8 <= end:
        if data[at + 4 : at + 8] == kind:
            yield at
        at += max(8, _size(data, at))


def _size(data: bytearray, box: int) -> int:
    return int(struct.unpack_from(">I", data, box)[0])
