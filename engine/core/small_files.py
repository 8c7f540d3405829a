"""Files that are read whole: grades, sessions, look files, configs. Only regular files of bounded size are opened."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO, NamedTuple

from engine.core.file_errors import cannot_read, check_name
from engine.errors import UnreadableFile

LARGEST = 1 << 30
"""Bytes; the largest look file that OpenColorIO takes, a cube of 129 entries an axis, has some 80 million."""
TRIES = 5
"""How often a file that changes while it is read is read again."""


def stored_bytes(about: os.stat_result) -> int:
    """The bytes that a file takes on disk, where the system tells; its size elsewhere."""
    return 512 * int(getattr(about, "st_blocks", about.st_size))


class State(NamedTuple):
    """What tells one state of a file from another."""

    device: int
    number: int
    size: int
    changed: int
    """In nanoseconds."""


def checked_file(path: str | Path, do: str = "give a file name") -> os.stat_result:
    """What the system says of the regular file at `path`, links followed; UnreadableFile if there is none."""
    check_name(path)
    try:
        found = Path(path).stat()
    except OSError as problem:
        raise cannot_read(path, problem) from problem
    if stat.S_ISDIR(found.st_mode):
        raise UnreadableFile(path, "is a folder", do)
    if not stat.S_ISREG(found.st_mode):
        raise UnreadableFile(path, "is not a file", "check the name")
    return found


def check_small(path: str | Path) -> State:
    """The state of a regular file of at most LARGEST bytes; UnreadableFile for anything else."""
    found = checked_file(path)
    if found.st_size > LARGEST:
        what = f"is too large for such a file ({found.st_size / LARGEST:.1f} GiB)"
        raise UnreadableFile(path, what, "check the name")
    return State(found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns)


def state_of(path: str | Path) -> State | None:
    """What tells this state of a file from others; None where there is none that can be read whole."""
    try:
        return check_small(path)
    except UnreadableFile:
        return None


def open_regular(path: str | Path) -> BinaryIO:
    """Open a regular file for reading; OSError for anything else, a pipe that took its place included."""
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    file = os.fdopen(handle, "rb")
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        file.close()
        raise OSError(errno.ENXIO, os.strerror(errno.ENXIO), os.fspath(path))
    return file


def read_small(path: str | Path) -> bytes:
    """The content of a small file, as it was at one moment; UnreadableFile where it can't be read.

    One that another program changes meanwhile is read again.
    """
    for _ in range(TRIES):
        before = check_small(path)
        try:
            with open_regular(path) as file:
                content = file.read(before.size + 1)
        except OSError as problem:
            raise cannot_read(path, problem) from problem
        if len(content) == before.size and check_small(path) == before:
            return content
    raise changing(path)


def changing(path: str | Path) -> UnreadableFile:
    """The error about a file that never stayed the same while it was read."""
    return UnreadableFile(path, "changes while it is read", "wait until the program that writes it is done")
