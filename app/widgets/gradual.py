"""Widgets that are built bit by bit, so that a long form does not block the window."""

from __future__ import annotations

import time
from collections.abc import Callable
from weakref import WeakMethod

from PySide6.QtCore import QObject, Signal

from app.services.event_loop import turn_queue

MAKING_SECONDS = 0.006
"""Longest time that building may block other events, unless one part takes longer."""


class Gradual(QObject):
    """Calls a function that builds one part, for at most MAKING_SECONDS in a turn of the event loop that is not busy.

    Several build one after the other: each lets the next one build once its time is over.
    """

    finished = Signal()

    def __init__(self, advance: Callable[[], bool], parent: QObject) -> None:
        """`advance` builds the next part; it returns False if all are built. It is a method, of the parent as a rule,
        and does not keep its object: what is deleted should not be left to the collection of garbage."""
        super().__init__(parent)
        self._advance = WeakMethod(advance)
        self._queued = False
        self.is_active = False
        """Whether there may be parts to build."""

    def start(self) -> None:
        """Build from the next turn of the event loop on."""
        self.is_active = True
        self._queue()

    def stop(self) -> None:
        """Build nothing more until the next start."""
        self.is_active = False

    def finish(self) -> None:
        """Build all that is left, now."""
        while self.is_active:
            self._step()

    def _queue(self) -> None:
        if not self._queued:
            self._queued = True
            turn_queue().put(self, self._make_some)

    def _make_some(self) -> None:
        self._queued = False
        until = time.monotonic() + MAKING_SECONDS
        while self.is_active:
            self._step()
            if time.monotonic() >= until:
                break
        if self.is_active:
            self._queue()

    def _step(self) -> None:
        advance = self._advance()
        if advance is None or not advance():
            self.is_active = False
            self.finished.emit()
