"""Which stills belong to the session."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QObject, Signal


class SessionStills(QObject):
    """The IDs of the stills that belong to the session, in the order in which they were added."""

    changed = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.ids: tuple[str, ...] = ()

    def set(self, ids: Iterable[str]) -> None:
        """Let other stills belong to the session."""
        found = tuple(dict.fromkeys(ids))
        if found != self.ids:
            self.ids = found
            self.changed.emit()

    def add(self, ids: Iterable[str]) -> None:
        """Let stills belong to the session, too."""
        self.set((*self.ids, *ids))

    def remove(self, ids: Iterable[str]) -> None:
        """Let stills belong to the session no more."""
        gone = set(ids)
        self.set(id for id in self.ids if id not in gone)
