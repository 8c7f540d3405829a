"""Files that are read whole: grades, sessions, look files, configs."""

from __future__ import annotations

import stat
from pathlib import Path

from engine.errors import UnreadableFile

LARGEST = 1 << 30
"""Bytes; the largest look file that OpenColorIO takes, a cube of 129 entries an axis, has some 80 million."""


def check_small(path: str | Path) -> None:
    """UnreadableFile for what would be read for ever: a pipe or a device, or more than LARGEST bytes.

    A file that is missing or a folder is left to the reader, which says so.
    """
    try:
        found = Path(path).stat()
    except (OSError, ValueError):
        return
    if not stat.S_ISREG(found.st_mode) and not stat.S_ISDIR(found.st_mode):
        raise UnreadableFile(path, "is not a file", "check the name")
    if found.st_size > LARGEST:
        raise UnreadableFile(
            path, f"is too large for such a file ({found.st_size / LARGEST:.1f} GiB)", "check the name"
        )
