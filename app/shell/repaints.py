"""When a window is repainted."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QEvent, QObject
from PySide6.QtWidgets import QWidget

from app.services.event_loop import turn_queue


class Repaints(QObject):
    """Leaves the repaint of a window to the next turn of the event loop if the current one is busy.

    A change of many widgets and their repaint take as long as each other; in between, input is handled. What is built
    gradually since the change comes before the repaint.
    """

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._waiting = False
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() != QEvent.Type.UpdateRequest or self._waiting:
            return False
        self._waiting = turn_queue().is_half_busy  # Qt requests no other repaint until the one that waits
        if self._waiting:
            turn_queue().put(self, self._repaint)
        return self._waiting

    def _repaint(self) -> None:
        QCoreApplication.sendEvent(self._window, QEvent(QEvent.Type.UpdateRequest))
        self._waiting = False
