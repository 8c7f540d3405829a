"""When a window is repainted."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QCoreApplication, QEvent, QObject
from PySide6.QtWidgets import QWidget

from app.services.event_loop import turn_queue
from app.shell.dock_covers import DockCovers
from app.shell.docks import Dock


class Repaints(QObject):
    """Leaves the repaint of a window to the next turn of the event loop if the current one is busy.

    A change of many widgets and their repaint take as long as each other; in between, input is handled. What is built
    gradually since the change comes before the repaint, and changed panels are repainted in turns of their own: not
    before `begin_covering`, since every repaint delays the first image.
    """

    def __init__(self, window: QWidget, docks: Iterable[Dock] = ()) -> None:
        super().__init__(window)
        self._window = window
        self._covers = DockCovers(window, docks)
        self._covering = self._waiting = self._uncovering = False
        window.installEventFilter(self)

    def begin_covering(self) -> None:
        """Cover changed panels from now on."""
        self._covering = True

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:  # the layout has resized the docks; Qt repaints at once or in a moment
            if turn_queue().is_half_busy:
                self._cover()
            self._covers.note()
        elif event.type() == QEvent.Type.UpdateRequest:
            if self._is_to_wait():
                return True
            self._covers.note()
        return False

    def _is_to_wait(self) -> bool:
        """Return whether a repaint is to wait. Qt requests no other one until the one that waits is done."""
        if self._waiting or not turn_queue().is_half_busy:
            return False
        self._waiting = True
        turn_queue().put(self, self._repaint)
        return True

    def _repaint(self) -> None:
        self._cover()
        QCoreApplication.sendEvent(self._window, QEvent(QEvent.Type.UpdateRequest))
        self._waiting = False

    def _cover(self) -> None:
        if self._covering:
            self._covers.cover()
            self._uncover_later()

    def _uncover_later(self) -> None:
        if self._covers.is_covering and not self._uncovering:
            self._uncovering = True
            turn_queue().put(self, self._uncover)

    def _uncover(self) -> None:
        self._uncovering = False
        if not self._waiting:  # the rest of the window comes first
            self._covers.uncover_next()
            self._uncover_later()
