"""A mark on the disk while a surface is new: drivers can end the process, and the next start shall not end as well."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

import psutil

MARK = "surface.{}.trial"
"""With the number of the process."""
SECONDS = 3.0
"""A surface that has drawn for so long is trusted."""


class Trial:
    """Whether a surface on this machine was the end of a Tessera. Any thread may use it."""

    def __init__(self, folder: Path | None, process: int | None = None) -> None:
        """`folder` is that of the settings; without one nothing is remembered."""
        self._folder, self._process = folder, process or os.getpid()

    @property
    def failed(self) -> bool:
        """Whether there is a mark of a process that is gone; those that run have surfaces of their own."""
        return bool(self._left())

    def begin(self) -> None:
        if self._folder is not None:
            with contextlib.suppress(OSError):
                self._folder.mkdir(parents=True, exist_ok=True)
                self._own(self._folder).touch()

    def end(self) -> None:
        """It is trusted, or gone in an orderly way, or shall be tried again."""
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
    return process.isdecimal() and psutil.pid_exists(int(process))
