"""Files that appear whole or not at all: written under another name in the same folder, renamed at the end.

All that Tessera writes goes through here. The other name can't be foreseen and is never that of a file that is there,
so that nobody can have it lead elsewhere. It says whose it is: the target, by a hash of its name, and the process that
writes it. The next run to that target removes what a killed one left behind.
"""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import socket
import stat
from pathlib import Path
from typing import BinaryIO

import psutil

from engine.core.file_errors import cannot_write, why_no_name, writing
from engine.errors import TargetExists, WriteFailed

YOUNGER_SECONDS = 2.0
"""A process that began so much later than a file was last written is not the one that wrote it."""

_LITTER = re.compile(
    r"(?P<beginning>\..*\.tessera-[0-9a-f]{6}-)(?P<process>\d{1,10})-[0-9a-f]{8,32}\.tmp(\.[^.]*)?", re.DOTALL
)
_NOT_THROUGH_LINKS = getattr(os, "O_NOFOLLOW", 0)


class TemporaryFile:
    """A name beside `target` to write to; `commit` makes it the target, `discard` leaves no trace of it.

    `target` is what a link leads to: the link stays. The target keeps its mode. TargetExists or WriteFailed where it
    may not be written; see `checked_target`.
    """

    def __init__(self, target: Path, force: bool) -> None:
        self.asked, self.force = target, force
        self.target = checked_target(target, force)
        self._spare: list[Path] = []
        self.path = self.another()

    def clean(self) -> None:
        """Remove what dead runs to this target left."""
        remove_litter(self.target)

    def another(self) -> Path:
        """One more unused name, removed with the rest."""
        name = f"{_beginning(self.target)}{os.getpid()}-{secrets.token_hex(8)}.tmp{self.target.suffix}"
        path = self.target.with_name(name)
        self._spare.append(path)
        return path

    def write(self, data: bytes) -> None:
        """Make the file, with no more rights than the target has, and write all of it."""
        try:
            mode = self.target.stat().st_mode & 0o666 | 0o600
        except FileNotFoundError:
            mode = 0o666
        with create(self.path, mode) as file:
            file.write(data)

    def commit(self) -> None:
        """Put the file, safely on disk, in the target's place. TargetExists if one came up in the meantime."""
        with writing(self.asked):
            _flush(self.path)
            if not self.force and self.target.exists():
                raise TargetExists(self.asked, "came into being while it was exported")
            if self.target.exists():
                self.path.chmod(self.target.stat().st_mode & 0o777)
            self.path.replace(self.target)
            self._spare.remove(self.path)
            _flush_folder(self.target.parent)
        self.discard()

    def discard(self) -> None:
        """Remove what was written; nothing to do if it is gone."""
        for path in self._spare:
            _remove(path)
        self._spare.clear()


def write_text(path: str | Path, text: str, force: bool = True) -> None:
    """Write a text file in UTF-8; otherwise as `write_bytes`."""
    write_bytes(path, text.encode(), force)


def write_bytes(path: str | Path, data: bytes, force: bool = True) -> None:
    """Write a small file, whole or not at all. TargetExists without `force`, WriteFailed where it can't be written.

    A link is followed, and what it leads to keeps its mode. Pipes, devices and folders are refused.
    """
    temporary = TemporaryFile(Path(path), force)
    try:
        temporary.clean()
        with writing(temporary.asked):
            temporary.write(data)
        temporary.commit()
    finally:
        temporary.discard()


def create(path: Path, mode: int = 0o666) -> BinaryIO:
    """Open a new file for writing; FileExistsError where there is anything of that name, a dangling link included."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NOT_THROUGH_LINKS | getattr(os, "O_BINARY", 0)
    return os.fdopen(os.open(path, flags, mode), "wb")


def remove_litter(*targets: Path) -> None:
    """Remove what dead runs to these targets of one folder left; another's, and a run's that goes on, stays."""
    if not targets:
        return
    beginnings = {_beginning(target) for target in targets}
    try:
        found = [match for name in os.listdir(targets[0].parent) if (match := _LITTER.fullmatch(name))]  # noqa: PTH208
    except OSError:
        return  # a folder that can be written to but not listed
    for match in found:
        path = targets[0].with_name(match[0])
        if match["beginning"] in beginnings and not _is_alive(int(match["process"]), path):
            _remove(path)


def _beginning(target: Path) -> str:
    """How the names of a target's temporary files begin, on this machine."""
    whose = hashlib.sha256(os.fsencode(target.name)).hexdigest()[:8]
    host = hashlib.sha256(socket.gethostname().encode()).hexdigest()[:6]
    return f".{target.stem[:40]}.{whose}.tessera-{host}-"


def _is_alive(number: int, path: Path) -> bool:
    """Whether the process that wrote `path` still runs; its number may have gone to another."""
    try:
        return bool(psutil.Process(number).create_time() <= path.lstat().st_mtime + YOUNGER_SECONDS)
    except psutil.NoSuchProcess:
        return False
    except (psutil.Error, OSError):
        return True


def _remove(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except OSError:
        return  # the folder went away, and the file with it; there is no one to tell


def checked_target(target: Path, force: bool) -> Path:
    """The file that is meant, links followed; TargetExists or WriteFailed if it may not be written."""
    if why := why_no_name(target):
        raise WriteFailed(target, why, "choose another name")
    try:
        real = _followed(target)
        found = _mode(real)
        if found is not None and stat.S_ISDIR(found):
            raise WriteFailed(target, "is a folder", "give a file name")
        if found is not None and not stat.S_ISREG(found):
            raise WriteFailed(target, "is a device or pipe", "give a file name")
        if found is not None and not force:
            raise TargetExists(target)
        if not real.parent.is_dir():
            known = real.parent.exists()
            what, do = ("its folder is a file", "choose another") if known else ("its folder does not exist", "make it")
            raise WriteFailed(target, what, f"{do} folder" if known else f"{do} first")
        if not os.access(real.parent, os.W_OK):
            raise WriteFailed(target, "its folder can't be written to", "choose another folder")
    except OSError as problem:
        raise cannot_write(target, problem) from problem
    return real


def _followed(path: Path) -> Path:
    """What a link leads to in the end, there or not; anything else as it is. OSError where links lead in a circle."""
    if not path.is_symlink():
        return path
    real = Path(os.path.realpath(path))
    if real.is_symlink():
        real.stat()
    return real


def _mode(path: Path) -> int | None:
    """The mode of what is there; None if there is nothing. OSError for a name that can't be."""
    try:
        return path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return None


def _flush(path: Path) -> None:
    handle = os.open(path, os.O_RDWR | _NOT_THROUGH_LINKS | getattr(os, "O_BINARY", 0))
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _flush_folder(folder: Path) -> None:
    """Make the rename last through a power cut, where folders can be flushed (not on Windows)."""
    if os.name == "nt":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError:
        return  # some network disks refuse this; the file itself is flushed
    finally:
        os.close(handle)
