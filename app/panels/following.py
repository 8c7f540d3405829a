"""When the content of a panel follows changes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QWidget

from app.services.document_switch import DocumentSwitch
from app.services.event_loop import turn_queue


class Following(QObject):
    """Shows changes in a panel: once for another document, and once it is shown those made while it was hidden, in a
    later turn of the event loop if that one is busy."""

    def __init__(self, panel: QWidget, show: Callable[[], object], switch: DocumentSwitch, *signals: Any) -> None:
        """`show` shows everything as it is now, also after this."""
        super().__init__(panel)
        self._panel, self._show, self._switch = panel, show, switch
        self._is_behind = True
        panel.installEventFilter(self)
        for signal in (*signals, switch.shown):
            signal.connect(self.follow)
        self.finish()

    def follow(self) -> None:
        """Show what has changed, as soon as it can be seen."""
        self._is_behind = True
        if self._panel.isVisible() and not self._switch.switching:
            self.finish()

    def finish(self) -> None:
        """Show now what has changed, if anything has."""
        if self._is_behind:
            self._is_behind = False
            self._show()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Show and self._is_behind:
            self._catch_up()
        return False

    def _catch_up(self) -> None:
        """Show what has changed, not in a busy turn: several panels may be shown at once."""
        if not turn_queue().put_off(self, self.finish, before_input=True):
            self.finish()
