"""Atomic writes: files are written under a temporary name in the same folder and renamed at the end.

All files that Tessera writes go through here. The temporary name is random and never that of an existing file, so that
no planted link can redirect the output. It identifies the target, by a hash of its name, and the writing process. The
next run that writes the same target removes what a killed run left behind.
"""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import stat
from pathlib import Path
from typing import BinaryIO

from engine.core.file_errors import cannot_write, invalid_name_reason, writing
from engine.errors import TargetExists, WriteFailed

PRIVATE = 0o600
"""The mode of files that only their owner can read and write."""
YOUNGER_SECONDS = 2.0
"""A process that started more than this long after a file was last written did not write it."""

_LITTER = re.compile(
    r"(?P<beginning>\..*\.tessera-[0-9a-f]{6}-)(?P<process>\d{1,10})-[0-9a-f]{8,32}\.tmp(\.[^.]*)?", re.DOTALL
)
_NOT_THROUGH_LINKS = getattr(os, "O_NOFOLLOW", 0)


class TemporaryFile:
    """A temporary name beside `target` to write to; `commit` renames it to the target, `discard` removes it.

    Links are followed: `target` is the file that a link points to, and the link stays. The target keeps its mode; only
    its owner can read and write a `private` one. Raises TargetExists or WriteFailed if the target can't be written; see
    `checked_target`.
    """

    def __init__(self, target: Path, force: bool, private: bool = False) -> None:
        self.asked, self.force, self._private = target, force, private
        self.target = checked_target(target, force)
        self._spare: list[Path] = []
        self.path = self.another()

    def clean(self) -> None:
        """Remove the temporary files that dead runs left for this target."""
        remove_stale_files(self.target)

    def another(self) -> Path:
        """Return one more unused name, which is removed with the rest."""
        name = f"{_beginning(self.target)}{os.getpid()}-{secrets.token_hex(8)}.tmp{self.target.suffix}"
        path = self.target.with_name(name)
        self._spare.append(path)
        return path

    def write(self, data: bytes) -> None:
        """Create the file, with no more permissions than the target has, and write `data` to it."""
        try:
            mode = PRIVATE if self._private else self.target.stat().st_mode & 0o666 | PRIVATE
        except FileNotFoundError:
            mode = 0o666
        with create(self.path, mode) as file:
            file.write(data)

    def commit(self, flush: bool = True) -> None:
        """Flush the file to disk and rename it to the target. Raises TargetExists if one was created meanwhile.

        Without `flush`, the file may be lost in a power cut: for files that only one run uses.
        """
        with writing(self.asked):
            if flush:
                _flush(self.path)
            if not self.force and self.target.exists():
                raise TargetExists(self.asked, "was created by another program in the meantime")
            if self.target.exists() and not self._private:
                self.path.chmod(self.target.stat().st_mode & 0o777)
            self.path.replace(self.target)
            self._spare.remove(self.path)
            if flush:
                _flush_folder(self.target.parent)
        self.discard()

    def discard(self) -> None:
        """Remove the temporary files; those already gone are ignored."""
        for path in self._spare:
            _remove(path)
        self._spare.clear()


def write_text(path: str | Path, text: str, force: bool = True, private: bool = False) -> None:
    """Write a text file in UTF-8; otherwise as `write_bytes`."""
    write_bytes(path, text.encode(), force, private)


def write_bytes(path: str | Path, data: bytes, force: bool = True, private: bool = False) -> None:
    """Write a small file, whole or not at all.

    Links are followed, and the file they point to keeps its mode; only the owner can read and write a `private` one.
    Raises TargetExists for an existing file without `force`, and WriteFailed if the file can't be written; pipes,
    devices and folders are refused.
    """
    temporary = TemporaryFile(Path(path), force, private)
    try:
        temporary.clean()
        with writing(temporary.asked):
            temporary.write(data)
        temporary.commit()
    finally:
        temporary.discard()


def create(path: Path, mode: int = 0o666) -> BinaryIO:
    """Open a new file for writing. Raises FileExistsError if the name exists, even as a dangling link."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NOT_THROUGH_LINKS | getattr(os, "O_BINARY", 0)
    return os.fdopen(os.open(path, flags, mode), "wb")


def move(path: Path, target: Path) -> None:
    """Rename a file, within one disk, and never replace another. Raises TargetExists or WriteFailed."""
    try:
        _rename(path, target)
    except FileExistsError:
        raise TargetExists(target, do="choose another name") from None
    except (OSError, ValueError) as problem:
        raise cannot_write(target, OSError(*problem.args)) from problem


def _rename(path: Path, target: Path) -> None:
    """Rename a file. Raises FileExistsError if the target exists: only Windows does that by itself."""
    if os.name == "nt":
        path.rename(target)
        return
    try:
        os.link(path, target, follow_symlinks=False)
    except FileExistsError:
        raise
    except OSError:  # this disk has no hard links
        if os.path.lexists(target):
            raise FileExistsError from None
        path.rename(target)
    else:
        path.unlink()


def remove_stale_files(*targets: Path) -> None:
    """Remove the temporary files that dead runs left for these targets, which share a folder; keep all others."""
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
    """Return the prefix of the names of a target's temporary files on this machine."""
    digest = hashlib.sha256(os.fsencode(target.name)).hexdigest()[:8]
    import socket  # writing alone needs it

    host = hashlib.sha256(socket.gethostname().encode()).hexdigest()[:6]
    return f".{target.stem[:40]}.{digest}.tessera-{host}-"


def _is_alive(number: int, path: Path) -> bool:
    """Return whether the process that wrote `path` still runs; another process may have its number by now."""
    import psutil  # leftovers are rare: neither a start nor a write waits for it

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
        return  # the folder is gone, and the file with it


def checked_target(target: Path, force: bool) -> Path:
    """Return the target with links followed. Raises TargetExists or WriteFailed if it can't be written."""
    if why := invalid_name_reason(target):
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
    """Return the final target of a link, existing or not; any other path as it is. OSError if links form a circle."""
    if not path.is_symlink():
        return path
    real = Path(os.path.realpath(path))
    if real.is_symlink():
        real.stat()
    return real


def _mode(path: Path) -> int | None:
    """Return the mode of `path`; None if it does not exist. OSError for an invalid name."""
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
    """Make the rename survive a power cut, where folders can be flushed (not on Windows)."""
    if os.name == "nt":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError:
        return  # some network disks refuse this; the file itself is flushed
    finally:
        os.close(handle)
