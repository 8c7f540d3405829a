"""Work on the interface thread that waits for a turn of the event loop with time for it.

A turn is all that the loop does between two looks at the queue of events: input that arrives meanwhile waits until it
ends. A handler, the layout that it causes and the repaint after it often share a turn, with answers of other threads.
Input is handled before what waits; what input depends on, such as which actions are enabled, is done just before it.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable

from PySide6.QtCore import QAbstractEventDispatcher, QCoreApplication, QEvent, QObject, QTimer
from PySide6.QtGui import QGuiApplication
from shiboken6 import isValid

from engine.core.priorities import INTERFACE_TURN

BUSY_SECONDS = 0.006
"""How long a turn may compute before work that can wait is left to the next one."""
MOST_WAITS = 3
"""How many turns in a row work may wait, so that it is done even if all of them are busy."""
INPUT = frozenset(
    {
        QEvent.Type.ShortcutOverride,  # precedes a key and the actions that it triggers
        QEvent.Type.KeyPress,
        QEvent.Type.MouseButtonPress,
        QEvent.Type.MouseButtonDblClick,
        QEvent.Type.Wheel,
        QEvent.Type.TabletPress,
        QEvent.Type.TouchBegin,
    }
)
Call = tuple[QObject, Callable[[], object]]


class TurnQueue(QObject):
    """Calls that wait for a turn of the event loop that is not busy; they run in order, those that input depends on
    first."""

    def __init__(self, dispatcher: QAbstractEventDispatcher, parent: QObject) -> None:
        super().__init__(parent)
        self._began = time.thread_time()
        self._before_input, self._calls = deque[Call](), deque[Call]()
        self._put_off = 0
        self._timer = QTimer(self, interval=0)
        self._timer.timeout.connect(self._run)
        for signal in (dispatcher.awake, dispatcher.aboutToBlock):  # one or both begin a turn, as the system has it
            signal.connect(self._begin)

    @property
    def is_busy(self) -> bool:
        """Whether the current turn has computed for a while: work that can wait should."""
        return self._computed > BUSY_SECONDS

    @property
    def is_half_busy(self) -> bool:
        """Whether it has computed for half as long: enough to put off work that itself takes that long."""
        return self._computed > BUSY_SECONDS / 2

    @property
    def _computed(self) -> float:
        return time.thread_time() - self._began

    @property
    def waits(self) -> bool:
        """Whether something waits."""
        return bool(self._before_input or self._calls)

    def put(self, owner: QObject, call: Callable[[], object], before_input: bool = False) -> None:
        """Call something in a later turn, if its owner still exists; with `before_input`, also before any input."""
        (self._before_input if before_input else self._calls).append((owner, call))
        self._timer.start()
        if before_input:
            for window in QGuiApplication.topLevelWindows():
                window.installEventFilter(self)

    def put_off(self, owner: QObject, call: Callable[[], object], before_input: bool = False) -> bool:
        """Call something in a later turn, as `put` does, if the current one is busy; return whether it is."""
        if self.is_busy:
            self.put(owner, call, before_input)
            return True
        return False

    def prepare_input(self) -> None:
        """Do now what waits and input depends on."""
        while self._before_input:
            self._call_next()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Prepare for input that a window is about to handle."""
        if self._before_input and event.type() in INPUT:
            self.prepare_input()
        return False

    def _begin(self) -> None:
        self._began = time.thread_time()
        INTERFACE_TURN.begin()

    def _run(self) -> None:
        if self.is_busy and self._put_off < MOST_WAITS:
            self._put_off += 1
            return
        self._put_off = 0
        for _ in range(len(self._before_input) + len(self._calls)):  # what these calls put waits for the next turn
            if not self.waits:
                break  # they were run in an event loop inside one of them
            self._call_next()
            if self.is_busy:
                break

    def _call_next(self) -> None:
        owner, call = (self._before_input or self._calls).popleft()
        if not self.waits:
            self._timer.stop()
        if isValid(owner):
            call()


def turn_queue() -> TurnQueue:
    """Return the queue of the application. Call this on its thread."""
    app, dispatcher = QCoreApplication.instance(), QAbstractEventDispatcher.instance()
    assert app is not None and dispatcher is not None
    found = app.findChild(TurnQueue)
    return found if found is not None else TurnQueue(dispatcher, app)
