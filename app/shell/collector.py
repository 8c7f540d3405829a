"""When Python's garbage is collected."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QAbstractEventDispatcher, QObject, QTimer

from app.services.event_loop import turn_queue
from app.services.memory import collect_old, collect_young, stop_collecting

COLLECT_MS, RETRY_MS = 10_000, 250
"""Time between collections of old objects, and between two looks whether frames are still computed."""
MOST_RETRIES = 40


class Collector(QObject):
    """Collects young objects between turns of the event loop, and old ones now and then in turns that do little else.

    Python itself collects nothing as long as there is a window. Collection of old objects visits all of them, for which
    it waits until no frame is computed: while other threads use the caches and the memory, it takes twice as long. It
    does not wait for ever.
    """

    def __init__(self, is_idle: Callable[[], bool], parent: QObject) -> None:
        super().__init__(parent)
        stop_collecting()
        self._is_idle = is_idle
        self._retries = 0
        self.timer = QTimer(self, interval=COLLECT_MS)
        self.timer.timeout.connect(self._collect_if_idle)

    def start(self) -> None:
        """Begin to collect: all that stays in memory is there."""
        self.timer.start()
        dispatcher = QAbstractEventDispatcher.instance()
        assert dispatcher is not None
        for signal in (dispatcher.awake, dispatcher.aboutToBlock):  # one or both come between turns
            signal.connect(self._collect_young)

    def _collect_young(self) -> None:  # connections to methods end with this object
        collect_young()

    def _collect_if_idle(self) -> None:
        if self._is_idle() or self._retries == MOST_RETRIES:
            self._retries = 0
            self.timer.setInterval(COLLECT_MS)
            turn_queue().put(self, collect_old)
        else:
            self._retries += 1
            self.timer.setInterval(RETRY_MS)
