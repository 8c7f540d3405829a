"""A mark on the disk while a surface is new: drivers can end the process, and the next start shall not end as well."""

from __future__ import annotations

import contextlib
from pathlib import Path

MARK = "surface.trial"
SECONDS = 3.0
"""A surface that has drawn for so long is trusted."""


class Trial:
    """Whether the last surface on this machine was the end of Tessera. Any thread may use it."""

    def __init__(self, folder: Path | None) -> None:
        """`folder` is that of the settings; without one nothing is remembered."""
        self._mark = folder / MARK if folder is not None else None

    @property
    def failed(self) -> bool:
        return self._mark is not None and self._mark.exists()

    def begin(self) -> None:
        if self._mark is not None:
            with contextlib.suppress(OSError):
                self._mark.parent.mkdir(parents=True, exist_ok=True)
                self._mark.touch()

    def end(self) -> None:
        """It is trusted, or gone in an orderly way."""
        if self._mark is not None:
            with contextlib.suppress(OSError):
                self._mark.unlink(missing_ok=True)
