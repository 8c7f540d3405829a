"""The view options of the current document."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from PySide6.QtCore import QObject, Signal

from app.model.view_state import ViewState
from app.services.current_document import CurrentDocument


class ViewOptions(QObject):
    """Reads and changes the view options of whichever document is current."""

    changed = Signal(object)  # ViewState

    def __init__(self, current: CurrentDocument, parent: QObject) -> None:
        super().__init__(parent)
        self._current = current
        current.view_replaced.connect(self.announce)

    @property
    def state(self) -> ViewState:
        """The options."""
        return self._current.document.view

    def set(self, **changes: Any) -> None:
        """Change some of the options."""
        state = replace(self.state, **changes)
        if state != self.state:
            self._current.document.update(view=state)
            self.announce()

    def announce(self) -> None:
        """Announce the options, after a change or for another document."""
        self.changed.emit(self.state)
        self._current.frame_wanted.emit()
