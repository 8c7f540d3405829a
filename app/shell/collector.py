"""When Python's garbage is collected."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer

from app.services.event_loop import turn_queue
from app.services.memory import collect_old

COLLECT_MS, RETRY_MS = 10_000, 250
"""Time between collections of old objects, and between two looks whether frames are still computed."""
MOST_RETRIES = 40


class Collector(QObject):
    """Collects old objects now and then, in turns of the event loop that do little else.

    Collection visits all objects, for which it waits until no frame is computed: while other threads use the caches and
    the memory, it takes twice as long. It does not wait for ever.
    """

    def __init__(self, is_idle: Callable[[], bool], parent: QObject) -> None:
        super().__init__(parent)
        self._is_idle = is_idle
        self._retries = 0
        self.timer = QTimer(self, interval=COLLECT_MS)
        self.timer.timeout.connect(self._collect_if_idle)

    def _collect_if_idle(self) -> None:
        if self._is_idle() or self._retries == MOST_RETRIES:
            self._retries = 0
            self.timer.setInterval(COLLECT_MS)
            turn_queue().put(self, collect_old)
        else:
            self._retries += 1
            self.timer.setInterval(RETRY_MS)
