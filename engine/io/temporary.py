"""A file that appears whole or not at all: written under another name in the same folder, renamed at the end."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from engine.errors import TargetExists, WriteFailed
from engine.io.problems import cannot_write, writing


class TemporaryFile:
    """A name beside `target` to write to; `commit` makes it the target, `discard` leaves no trace of it."""

    def __init__(self, target: Path, force: bool) -> None:
        self.asked, self.force = target, force
        self.target = _checked(target, force)
        self._spare: list[Path] = []
        self.path = self.another()

    def another(self) -> Path:
        """One more unused name, removed with the rest."""
        name = f".{self.target.stem[:40]}.tessera-{os.getpid()}-{secrets.token_hex(4)}.tmp{self.target.suffix}"
        path = self.target.with_name(name)
        self._spare.append(path)
        return path

    def commit(self) -> None:
        """Put the file, safely on disk, in the target's place. TargetExists if one came up in the meantime."""
        with writing(self.asked):
            _flush(self.path)
            if not self.force and self.target.exists():
                raise TargetExists(self.asked, "came into being while it was exported")
            self.path.replace(self.target)
            self._spare.remove(self.path)
            _flush_folder(self.target.parent)
        self.discard()

    def discard(self) -> None:
        """Remove what was written; nothing to do if it is gone."""
        for path in self._spare:
            try:
                path.unlink(missing_ok=True)
            except OSError:
                continue  # the folder went away, and the file with it; there is no one to tell
        self._spare.clear()


def _checked(target: Path, force: bool) -> Path:
    """The file that is meant, links followed, if it may be written."""
    try:
        if target.is_dir():
            raise WriteFailed(target, "is a folder", "give a file name")
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
