"""What libraries and the system complain of, as one line of ours."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from engine.errors import FileError, TesseraError, UnreadableFile, WriteFailed
from engine.io.exr_header import printable

AGAIN = "write or copy the file again"
_GONE = ("the disk or network folder went away", "connect it again or choose another folder")
_LOST = (
    *("EIO", "ENODEV", "ENXIO", "ENOTCONN", "ETIMEDOUT", "EHOSTDOWN"),
    *("EHOSTUNREACH", "ENETUNREACH", "ENETDOWN", "ESTALE", "EREMOTEIO"),
)
_WRITING = {
    **{getattr(errno, name): _GONE for name in _LOST if hasattr(errno, name)},
    errno.ENOSPC: ("the disk is full", "free some space or choose another disk"),
    errno.EDQUOT: ("the disk quota is used up", "free some space or choose another disk"),
    errno.EFBIG: ("the file would be larger than this disk or account allows", "choose another disk"),
    errno.EACCES: ("the folder can't be written to", "choose another folder or change its permissions"),
    errno.EPERM: ("the folder can't be written to", "choose another folder or change its permissions"),
    errno.EROFS: ("the disk is read-only", "choose another folder"),
    errno.ENOENT: ("its folder does not exist", "make the folder first"),
    errno.ENOTDIR: ("its folder is a file", "choose another folder"),
    errno.ENAMETOOLONG: ("its name is too long", "choose a shorter name"),
    errno.EISDIR: ("is a folder", "give a file name"),
}


def short(text: str) -> str:
    """The first line of a library's complaint, without control characters, cut to fit on one line."""
    line = next((line.strip() for line in str(text).splitlines() if line.strip()), "")
    line = printable(line)
    return line if len(line) <= 120 else line[:117] + "..."


def cannot_read(path: Path, problem: OSError) -> UnreadableFile:
    """The system refused to open or read `path`."""
    if isinstance(problem, FileNotFoundError | NotADirectoryError):
        return UnreadableFile(path, "does not exist", "check the name and the folder")
    if isinstance(problem, PermissionError):
        return UnreadableFile(path, "may not be read", "change its permissions")
    return UnreadableFile(path, f"can't be read ({short(problem.strerror or str(problem))})", "check the disk")


def cannot_write(path: Path, problem: OSError) -> WriteFailed:
    """The system refused to create or write `path`."""
    what, do = _WRITING.get(problem.errno or 0, (f"can't be written ({short(problem.strerror or str(problem))})", ""))
    return WriteFailed(path, what, do)


@contextmanager
def reading(path: Path, what: str = "is damaged") -> Iterator[None]:
    """Whatever fails inside becomes an UnreadableFile about `path`."""
    try:
        yield
    except TesseraError:
        raise
    except OSError as problem:
        raise cannot_read(path, problem) from problem
    except MemoryError as problem:
        raise UnreadableFile(path, "needs more memory than there is", "close other programs") from problem
    except Exception as problem:
        raise UnreadableFile(path, f"{what} ({short(str(problem))})", AGAIN) from problem


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Whatever fails inside becomes a WriteFailed about `path`; complaints about a source stay as they are."""
    try:
        yield
    except TesseraError:
        raise
    except OSError as problem:
        raise cannot_write(path, problem) from problem
    except MemoryError as problem:
        raise WriteFailed(path, "needs more memory than there is", "close other programs") from problem
    except Exception as problem:
        raise WriteFailed(path, f"can't be written ({short(str(problem))})") from problem


def check_readable(path: Path) -> None:
    """FileError unless `path` is a file with something in it."""
    try:
        os.fspath(path).encode()
    except UnicodeEncodeError as problem:
        raise UnreadableFile(printable(str(path)), "has a name that is no text in UTF-8", "rename it") from problem
    try:
        if path.is_dir():
            raise UnreadableFile(path, "is a folder", "give a picture file")
        if not path.is_file():
            raise UnreadableFile(path, "does not exist" if not path.exists() else "is not a file", "check the name")
        with path.open("rb") as file:
            if not file.read(1):
                raise UnreadableFile(path, "is empty", AGAIN)
    except OSError as problem:
        raise cannot_read(path, problem) from problem
    except ValueError as problem:
        raise UnreadableFile(printable(str(path)), "is not a file name", "check the name") from problem


__all__ = [
    "AGAIN",
    "FileError",
    "cannot_read",
    "cannot_write",
    "check_readable",
    "reading",
    "short",
    "writing",
]
