"""The moment when another document becomes the current one."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from PySide6.QtCore import QObject, Signal


class DocumentSwitch(QObject):
    """Lets those who follow several signals of the current document do their work once when another one is shown."""

    announced = Signal()  # after all signals for the other document, with those of its view options
    shown = Signal()  # after `announced`, and all that services emit then

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.announcing = False
        """Whether another document is being announced; `announced` follows."""
        self.switching = False
        """The same; `shown` follows."""

    def run(self, announce: Callable[[], object]) -> None:
        """Emit the signals of another document by `announce`, then `announced` and `shown`."""
        self.announcing = self.switching = True
        announce()
        self.announcing = False
        self.announced.emit()
        self.switching = False
        self.shown.emit()

    def once(self, act: Callable[[], object], *signals: Any) -> None:
        """Call `act` after each of `signals`, but only once for another document: for services."""
        for signal in (*signals, self.announced):
            signal.connect(partial(self._act_unless, "announcing", act))

    def at_last(self, act: Callable[[], object], *signals: Any) -> None:
        """The same after all services have followed another document: for what shows them."""
        for signal in (*signals, self.shown):
            signal.connect(partial(self._act_unless, "switching", act))

    def _act_unless(self, state: str, act: Callable[[], object], *_values: object) -> None:
        if not getattr(self, state):
            act()
