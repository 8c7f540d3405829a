"""A file that appears whole or not at all: written under another name in the same folder, renamed at the end.

The name tells whose it is: the target, by a hash of its name, and the process that writes it. What a run that was
killed left behind is so recognised, and removed by the next run to that target.
"""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import socket
from pathlib import Path

import psutil

from engine.errors import TargetExists, WriteFailed
from engine.io.problems import cannot_write, writing

YOUNGER_SECONDS = 2.0
"""A process that began so much later than a file was last written is not the one that wrote it."""

_LITTER = re.compile(
    r"(?P<beginning>\..*\.tessera-[0-9a-f]{6}-)(?P<process>\d{1,10})-[0-9a-f]{8}\.tmp(\.[^.]*)?", re.DOTALL
)


class TemporaryFile:
    """A name beside `target` to write to; `commit` makes it the target, `discard` leaves no trace of it."""

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
        name = f"{_beginning(self.target)}{os.getpid()}-{secrets.token_hex(4)}.tmp{self.target.suffix}"
        path = self.target.with_name(name)
        self._spare.append(path)
        return path

    def commit(self) -> None:
        """Put the file, safely on disk, in the target's place. TargetExists if one came up in the meantime."""
        with writing(self.asked):
            _flush(self.path)
            if not self.force and self.target.exists():
                raise TargetExists(self.asked, "came into being while it was exported")
            if self.target.exists():
                self.path.chmod(self.target.stat().st_mode & 0o7777)
            self.path.replace(self.target)
            self._spare.remove(self.path)
            _flush_folder(self.target.parent)
        self.discard()

    def discard(self) -> None:
        """Remove what was written; nothing to do if it is gone."""
        for path in self._spare:
            _remove(path)
        self._spare.clear()


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
    whose = hashlib.sha256(target.name.encode("utf-8", "surrogateescape")).hexdigest()[:8]
    host = hashlib.sha256(socket.gethostname().encode()).hexdigest()[:6]
    return f".{target.stem[:40]}.{whose}.tessera-{host}-"


def _is_alive(number: int, path: Path) -> bool:
    """Whether the process that wrote `path` still runs; its number may have gone to another."""
    try:
        return bool(psutil.Process(number).create_time() <= path.stat().st_mtime + YOUNGER_SECONDS)
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
    try:
        if target.is_dir():
            raise WriteFailed(target, "is a folder", "give a file name")
        if target.exists() and not target.is_file():
            raise WriteFailed(target, "is a device or pipe", "give a file name")
        if target.exists() and not force:
            raise TargetExists(target)
        real = target.resolve() if target.is_symlink() else target
        if not real.parent.is_dir():
            known = real.parent.exists()
            what, do = ("its folder is a file", "choose another") if known else ("its folder does not exist", "make it")
            raise WriteFailed(target, what, f"{do} folder" if known else f"{do} first")
        if not os.access(real.parent, os.W_OK):
            raise WriteFailed(target, "its folder can't be written to", "choose another folder")
    except (OSError, ValueError) as problem:
        raise cannot_write(target, problem if isinstance(problem, OSError) else OSError(str(problem))) from problem
    return real


def _flush(path: Path) -> None:
    with path.open("r+b") as file:
        os.fsync(file.fileno())


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
