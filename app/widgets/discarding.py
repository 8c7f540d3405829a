"""Deletion of many widgets."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QWidget


class Discarding(QObject):
    """Deletes widgets that are hidden: one in each turn of the event loop, as that takes a while."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._widgets: list[QWidget] = []
        self._timer = QTimer(self, interval=0)
        self._timer.timeout.connect(self._delete_next)

    def add(self, widgets: Iterable[QWidget]) -> None:
        """Delete these widgets from the next turn on."""
        self._widgets += widgets
        if self._widgets:
            self._timer.start()

    def _delete_next(self) -> None:
        self._widgets.pop().deleteLater()
        if not self._widgets:
            self._timer.stop()
