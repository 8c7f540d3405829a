"""Work on the interface thread that waits for a turn of the event loop with time for it.

A turn is all that the loop does between two looks at the queue of events: input that arrives meanwhile waits until it
ends. A handler, the layout that it causes and the repaint after it often share a turn, with answers of other threads.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable

from PySide6.QtCore import QAbstractEventDispatcher, QCoreApplication, QObject, QTimer
from shiboken6 import isValid

from engine.core.priorities import INTERFACE_TURN

BUSY_SECONDS = 0.006
"""How long a turn may compute before work that can wait is left to the next one."""
MOST_WAITS = 3
"""How many turns in a row work may wait, so that it is done even if all of them are busy."""


class TurnQueue(QObject):
    """Calls that wait for a turn of the event loop that is not busy; they run in order."""

    def __init__(self, dispatcher: QAbstractEventDispatcher, parent: QObject) -> None:
        super().__init__(parent)
        self._began = time.thread_time()
        self._calls: deque[tuple[QObject, Callable[[], object]]] = deque()
        self._put_off = 0
        self._timer = QTimer(self, interval=0)
        self._timer.timeout.connect(self._run)
        for signal in (dispatcher.awake, dispatcher.aboutToBlock):  # one or both begin a turn, as the system has it
            signal.connect(self._begin)

    @property
    def is_busy(self) -> bool:
        """Whether the current turn has computed for a while: work that can wait should."""
        return time.thread_time() - self._began > BUSY_SECONDS

    @property
    def waits(self) -> bool:
        """Whether something waits."""
        return bool(self._calls)

    def put(self, owner: QObject, call: Callable[[], object]) -> None:
        """Call something in a later turn, if its owner still exists."""
        self._calls.append((owner, call))
        self._timer.start()

    def put_off(self, owner: QObject, call: Callable[[], object]) -> bool:
        """Call something in a later turn if the current one is busy; return whether it is."""
        if self.is_busy:
            self.put(owner, call)
            return True
        return False

    def _begin(self) -> None:
        self._began = time.thread_time()
        INTERFACE_TURN.begin()

    def _run(self) -> None:
        if self.is_busy and self._put_off < MOST_WAITS:
            self._put_off += 1
            return
        self._put_off = 0
        for _ in range(len(self._calls)):  # what these calls put waits for the next turn
            if not self._calls:
                break  # they were run in an event loop inside one of them
            owner, call = self._calls.popleft()
            if not self._calls:
                self._timer.stop()
            if isValid(owner):
                call()
            if self.is_busy:
                break


def turn_queue() -> TurnQueue:
    """Return the queue of the application. Call this on its thread."""
    app, dispatcher = QCoreApplication.instance(), QAbstractEventDispatcher.instance()
    assert app is not None and dispatcher is not None
    found = app.findChild(TurnQueue)
    return found if found is not None else TurnQueue(dispatcher, app)
