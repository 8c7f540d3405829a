"""Which stills belong to the session, and which are selected."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QObject, Signal


class SessionStills(QObject):
    """The IDs of the stills that belong to the session, in the order in which they were added."""

    changed = Signal()
    selected_changed = Signal()  # other ones are selected, or their data have changed

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.ids: tuple[str, ...] = ()
        self.selected: tuple[str, ...] = ()
        """The IDs of the selected stills, the current one first."""

    def set(self, ids: Iterable[str]) -> None:
        """Let other stills belong to the session."""
        found = tuple(dict.fromkeys(ids))
        if found != self.ids:
            self.ids = found
            self.changed.emit()

    def select(self, ids: Iterable[str]) -> None:
        """Select stills, the current one first."""
        selected = tuple(dict.fromkeys(ids))
        if selected != self.selected:
            self.selected = selected
            self.selected_changed.emit()

    def add(self, ids: Iterable[str]) -> None:
        """Let stills belong to the session, too."""
        self.set((*self.ids, *ids))

    def remove(self, ids: Iterable[str]) -> None:
        """Let stills belong to the session no more."""
        gone = set(ids)
        self.set(id for id in self.ids if id not in gone)
