"""Deletion of many widgets."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from app.services.event_loop import turn_queue


class Discarding(QObject):
    """Deletes widgets that are hidden: one in each turn of the event loop, as that takes a while."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._widgets: list[QWidget] = []

    def add(self, widgets: Iterable[QWidget]) -> None:
        """Delete these widgets from the next turn on."""
        waiting = bool(self._widgets)
        self._widgets += widgets
        if self._widgets and not waiting:
            turn_queue().put(self, self._delete_next)

    def _delete_next(self) -> None:
        self._widgets.pop().deleteLater()
        if self._widgets:
            turn_queue().put(self, self._delete_next)
