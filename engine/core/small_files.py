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
"""Bytes. The largest LUT file that OpenColorIO reads, a 3D LUT of 129 entries per axis, has some 80 million."""
TRIES = 5
"""Number of attempts to read a file that changes while it is read."""


def stored_bytes(about: os.stat_result) -> int:
    """Return the bytes that a file takes on disk if the system reports them, else its size."""
    return 512 * int(getattr(about, "st_blocks", about.st_size))


class State(NamedTuple):
    """The state of a file, to tell whether it changed."""

    device: int
    number: int
    size: int
    changed: int
    """In nanoseconds."""


def checked_file(path: str | Path, do: str = "give a file name") -> os.stat_result:
    """Return the status of the regular file at `path`, links followed. Raises UnreadableFile if there is none."""
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
    """Return the state of a regular file of at most LARGEST bytes. Raises UnreadableFile for anything else."""
    found = checked_file(path)
    if found.st_size > LARGEST:
        what = f"is too large for a file of this kind ({found.st_size / LARGEST:.1f} GiB)"
        raise UnreadableFile(path, what, "check the name")
    return State(found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns)


def state_of(path: str | Path) -> State | None:
    """Return the state of a small file; None if there is none or it is too large."""
    try:
        return check_small(path)
    except UnreadableFile:
        return None


def open_regular(path: str | Path) -> BinaryIO:
    """Open a regular file for reading. Raises OSError for anything else, such as a pipe that replaced it."""
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    file = os.fdopen(handle, "rb")
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        file.close()
        raise OSError(errno.ENXIO, os.strerror(errno.ENXIO), os.fspath(path))
    return file


def read_small(path: str | Path) -> bytes:
    """Return the content of a small file as of one moment. Raises UnreadableFile if it can't be read.

    A file that another program changes meanwhile is read again.
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
    """Return the error for a file that kept changing while it was read."""
    return UnreadableFile(path, "changes while it is read", "wait until the program that writes it is done")
