"""Errors of libraries and the operating system, translated to Tessera's; and checks for invalid file names."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from engine.errors import TesseraError, UnreadableFile, WriteFailed

AGAIN = "write or copy the file again"
NO_MEMORY = ("needs more memory than there is", "close other programs")
_GONE = ("the disk or network folder went away", "connect it again or choose another folder")
_LOST = (
    *("EIO", "ENODEV", "ENXIO", "ENOTCONN", "ETIMEDOUT", "EHOSTDOWN"),
    *("EHOSTUNREACH", "ENETUNREACH", "ENETDOWN", "ESTALE", "EREMOTEIO"),
)
_LONG = ("its name is too long", "choose a shorter name")
_LOOP = ("is a link that leads back to itself", "remove the link or choose another name")
_WRITING = {
    errno.ENOMEM: NO_MEMORY,
    **{getattr(errno, name): _GONE for name in _LOST if hasattr(errno, name)},
    errno.ENOSPC: ("the disk is full", "free some space or choose another disk"),
    errno.EDQUOT: ("the disk quota is used up", "free some space or choose another disk"),
    errno.EFBIG: ("the file would be larger than this disk or account allows", "choose another disk"),
    errno.EACCES: ("the folder can't be written to", "choose another folder or change its permissions"),
    errno.EPERM: ("the folder can't be written to", "choose another folder or change its permissions"),
    errno.EROFS: ("the disk is read-only", "choose another folder"),
    errno.ENOENT: ("its folder does not exist", "make the folder first"),
    errno.ENOTDIR: ("its folder is a file", "choose another folder"),
    errno.ENAMETOOLONG: _LONG,
    errno.ELOOP: _LOOP,
    errno.EISDIR: ("is a folder", "give a file name"),
}
_READING = {
    errno.ENOMEM: NO_MEMORY,
    errno.ENOENT: ("does not exist", "check the name and the folder"),
    errno.ENOTDIR: ("does not exist", "check the name and the folder"),
    errno.EACCES: ("can't be read (permission denied)", "change its permissions"),
    errno.EPERM: ("can't be read (permission denied)", "change its permissions"),
    errno.ENAMETOOLONG: _LONG,
    errno.ELOOP: _LOOP,
    errno.EISDIR: ("is a folder", "give a file name"),
    errno.ENXIO: ("is not a file", "check the name"),
}


def printable(text: str) -> str:
    """Return `text` on one line, with control characters replaced by question marks."""
    return "".join(c if c.isprintable() else "?" for c in text)


def short(text: str) -> str:
    """Return the first line of a library's error message, without control characters, cut to 120 characters."""
    line = next((line.strip() for line in str(text).splitlines() if line.strip()), "")
    line = printable(line)
    return line if len(line) <= 120 else line[:117] + "..."


def invalid_name_reason(name: str | Path) -> str:
    """Return why a string is not a valid name for a file or anything else; '' if it is valid.

    Libraries take names as UTF-8 that ends at a zero byte.
    """
    text = os.fspath(name)
    if "\0" in text:
        return "has a name with a zero byte"
    try:
        text.encode()
    except UnicodeEncodeError:
        return "has a name that is not text in UTF-8"
    return ""


def exists(path: str | Path) -> bool:
    """Return whether `path` exists, links followed; False also for an invalid name."""
    return os.path.exists(path)  # noqa: PTH110 (pathlib's raises for some names)


def is_file(path: str | Path) -> bool:
    """Return whether `path` is a regular file, links followed; False also for an invalid name."""
    return os.path.isfile(path)  # noqa: PTH113 (as above)


def is_dir(path: str | Path) -> bool:
    """Return whether `path` is a folder, links followed; False also for an invalid name."""
    return os.path.isdir(path)  # noqa: PTH112 (as above)


def check_name(path: str | Path) -> None:
    """Raise UnreadableFile if `path` is not a valid file name."""
    if why := invalid_name_reason(path):
        raise UnreadableFile(path, why, "rename it")


def cannot_read(path: str | Path, problem: OSError) -> UnreadableFile:
    """Return the error for a system call that failed to open or read `path`."""
    unknown = (f"can't be read ({short(problem.strerror or str(problem))})", "check the disk")
    return UnreadableFile(path, *_READING.get(problem.errno or 0, unknown))


def cannot_write(path: str | Path, problem: OSError) -> WriteFailed:
    """Return the error for a system call that failed to create or write `path`."""
    unknown = (f"can't be written ({short(problem.strerror or str(problem))})", "")
    return WriteFailed(path, *_WRITING.get(problem.errno or 0, unknown))


@contextmanager
def reading(path: Path, what: str = "is damaged") -> Iterator[None]:
    """Turn any error raised inside into an UnreadableFile about `path`; Tessera's own errors pass through."""
    try:
        yield
    except TesseraError:
        raise
    except OSError as problem:
        raise cannot_read(path, problem) from problem
    except MemoryError as problem:
        raise UnreadableFile(path, *NO_MEMORY) from problem
    except Exception as problem:
        raise UnreadableFile(path, f"{what} ({short(str(problem))})", AGAIN) from problem


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn any error raised inside into a WriteFailed about `path`; Tessera's own errors pass through."""
    try:
        yield
    except TesseraError:
        raise
    except OSError as problem:
        raise cannot_write(path, problem) from problem
    except MemoryError as problem:
        raise WriteFailed(path, *NO_MEMORY) from problem
    except Exception as problem:
        raise WriteFailed(path, f"can't be written ({short(str(problem))})") from problem
