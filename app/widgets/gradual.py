"""Widgets that are built bit by bit, so that a long form does not block the window."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import ClassVar

from PySide6.QtCore import QObject, QTimer, Signal

MAKING_SECONDS = 0.006
"""Longest time that building may block other events, unless one part takes longer."""
SAME_TURN_SECONDS = 0.002
"""What begins so soon after another has built runs in the same turn of the event loop, and waits for the next one."""


class Gradual(QObject):
    """Calls a function that builds one part, for at most MAKING_SECONDS in each turn of the event loop.

    Of several, one builds in each turn: the others wait until it has finished.
    """

    finished = Signal()
    _last: ClassVar[tuple[int, float]] = (0, 0.0)  # which one has built last, and until when

    def __init__(self, advance: Callable[[], bool], parent: QObject) -> None:
        """`advance` builds the next part; it returns False if all are built."""
        super().__init__(parent)
        self._advance = advance
        self._timer = QTimer(self, interval=0)
        self._timer.timeout.connect(self._make_some)

    @property
    def is_active(self) -> bool:
        """Whether there may be parts to build."""
        return self._timer.isActive()

    def start(self) -> None:
        """Build from the next turn of the event loop on."""
        self._timer.start()

    def finish(self) -> None:
        """Build all that is left, now."""
        while self._timer.isActive():
            self._step()

    def _make_some(self) -> None:
        last, ended = Gradual._last
        now = time.monotonic()
        if last != id(self) and now - ended < SAME_TURN_SECONDS:
            return
        self._step()
        while self._timer.isActive() and time.monotonic() < now + MAKING_SECONDS:
            self._step()
        Gradual._last = id(self), time.monotonic()

    def _step(self) -> None:
        if not self._advance():
            self._timer.stop()
            self.finished.emit()
