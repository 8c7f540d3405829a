"""Marks a new surface on disk: if its driver ends the process, the next start does not try a surface again."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

MARK = "surface.{}.trial"
"""File name of a mark, with the process ID."""
SECONDS = 3.0
"""How long a surface must draw until it is trusted."""


class Trial:
    """Records whether a surface on this machine ended a Tessera process. Any thread may use it."""

    def __init__(self, folder: Path | None, process: int | None = None) -> None:
        """Create a trial of a process, by default this one. `folder` holds the settings; if None, nothing is saved."""
        self._folder, self._process = folder, process or os.getpid()

    @property
    def failed(self) -> bool:
        """Whether a process that no longer runs left a mark. Running processes use their own surfaces."""
        return bool(self._left())

    def begin(self) -> None:
        """Write the mark of this process."""
        if self._folder is not None:
            with contextlib.suppress(OSError):
                self._folder.mkdir(parents=True, exist_ok=True)
                self._own(self._folder).touch()

    def end(self) -> None:
        """Remove all marks: the surface is trusted, was closed normally, or is to be tried again."""
        if self._folder is not None:
            for mark in (self._own(self._folder), *self._left()):
                with contextlib.suppress(OSError):
                    mark.unlink(missing_ok=True)

    def _own(self, folder: Path) -> Path:
        return folder / MARK.format(self._process)

    def _left(self) -> list[Path]:
        marks = list(self._folder.glob(MARK.format("*"))) if self._folder is not None else []
        return [mark for mark in marks if not _runs(mark.name.split(".")[1])]


def _runs(process: str) -> bool:
    import psutil  # marks are rare

    return process.isdecimal() and psutil.pid_exists(int(process))
