"""Checks of a TIFF's directories, made before a library allocates memory for what their tags claim.

Layout: TIFF 6.0, section 2; BigTIFF as in libtiff, with 64-bit offsets and counts.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from engine.core.file_errors import AGAIN
from engine.core.small_files import stored_bytes
from engine.errors import UnreadableFile

LARGEST_TAG = 1 << 25
"""Bytes of tag data that are accepted unchecked; larger data must actually be on disk."""
PROFILE = 34675
"""The tag of an ICC profile, which must not exceed LARGEST_TAG: libraries take seven times its size in memory."""
NEXT, OTHER = -1, -2
INNER = (NEXT, 330, 34665, 34853)
"""Tags that lead to more directories: the next one, sub-images, EXIF, GPS."""
MOST_DIRECTORIES = 4096
SIZES = {1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 2, 9: 4, 10: 8, 11: 4, 12: 8, 13: 4, 16: 8, 17: 8, 18: 8}
"""Bytes per value, by type number."""


def check_tags(path: Path) -> None:
    """Raise UnreadableFile if a tag of a TIFF claims implausibly much data. Files that are not TIFFs pass.

    Other damage is left to the library, which reports it or skips tags that the file can't hold.
    """
    with path.open("rb") as file:
        about = os.fstat(file.fileno())
        stored = stored_bytes(about)
        head = file.read(16)
        order = {b"II": "<", b"MM": ">"}.get(head[:2])
        if order is None or len(head) < 16:
            return
        version = struct.unpack(f"{order}H", head[2:4])[0]
        if version not in (42, 43):
            return
        entry, count, pointer = ("HHII", "H", "I") if version == 42 else ("HHQQ", "Q", "Q")
        waiting = [struct.unpack_from(f"{order}{pointer}", head, 4 if version == 42 else 8)[0]]
        seen = set[int]()
        while waiting and len(seen) < MOST_DIRECTORIES:
            at = waiting.pop()
            if 0 < at < about.st_size and at not in seen:
                seen.add(at)
                for tag, taken, where in _tags(file, at, order + entry, order + count, order + pointer):
                    if LARGEST_TAG < taken <= about.st_size and (taken > stored or tag == PROFILE):
                        what = f"its header is too large: {taken >> 20} MB in the tag {tag}"
                        raise UnreadableFile(path, what, AGAIN)
                    if tag in INNER:
                        waiting.append(where)


def _tags(file: BinaryIO, at: int, entry: str, count: str, pointer: str) -> Iterator[tuple[int, int, int]]:
    """Yield the tags of the directory at `at`: number, bytes of data, offset or value; NEXT for the next directory."""
    file.seek(at)
    head, size, end = file.read(struct.calcsize(count)), struct.calcsize(entry), struct.calcsize(pointer)
    number = min(struct.unpack(count, head)[0], 0xFFFF) if len(head) == struct.calcsize(count) else 0
    data = file.read(number * size + end)
    for place in range(0, min(number * size, len(data) - size + 1), size):
        tag, kind, values, where = struct.unpack_from(entry, data, place)
        taken = values * SIZES.get(kind, 1)
        yield (tag if values == 1 or tag not in INNER else OTHER), taken, where  # several are listed elsewhere
    if number and len(data) == number * size + end:
        yield NEXT, 0, struct.unpack_from(pointer, data, number * size)[0]
