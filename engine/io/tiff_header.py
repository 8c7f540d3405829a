"""The directories of a TIFF, looked at before a library takes memory for what their tags claim.

Layout: TIFF 6.0, section 2; BigTIFF as libtiff has it: 64-bit offsets and counts.
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
"""Bytes of a tag's data that are taken to be there; more must be on disk."""
PROFILE = 34675
"""The tag of an ICC profile, of which libraries take seven times its size: it is no larger than LARGEST_TAG."""
NEXT, OTHER = -1, -2
INNER = (NEXT, 330, 34665, 34853)
"""What leads to more directories: the next one, sub-images, EXIF, GPS."""
MOST_DIRECTORIES = 4096
SIZES = {1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 2, 9: 4, 10: 8, 11: 4, 12: 8, 13: 4, 16: 8, 17: 8, 18: 8}
"""Bytes of a value by the number of its type."""


def check_tags(path: Path) -> None:
    """UnreadableFile where a tag of a TIFF claims more data than any has; nothing where the file is no TIFF.

    What is damaged in another way is left to the library: it says so, or passes over a tag that the file can't hold.
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
    """The tags of the directory at an offset: number, bytes of data, and offset or value; NEXT for what follows it."""
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
