"""The check that a file can be read."""

from __future__ import annotations

from pathlib import Path

from engine.core.file_errors import AGAIN, cannot_read
from engine.core.small_files import checked_file
from engine.errors import UnreadableFile


def check_readable(path: Path) -> None:
    """Raise UnreadableFile unless `path` is a file that is not empty and that this user may read."""
    checked_file(path, "give an image file")
    try:
        with path.open("rb") as file:
            if not file.read(1):
                raise UnreadableFile(path, "is empty", AGAIN)
    except OSError as problem:
        raise cannot_read(path, problem) from problem
