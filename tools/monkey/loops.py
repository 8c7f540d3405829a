"""Event loops that run inside a move, such as those of drags and menus, and their ends.

`QDrag.exec`, `QMenu.exec` and `QDialog.exec` return once a user has dropped, chosen or closed something. The move that
began such a loop waits for it, so what ends it comes from a timer.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject, QPoint, Qt, QThread, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QWidget

from tests.app.hands import LEFT, move
from tests.benchmarks.turns import Turns

EVERY_MS = 20
NONE = Qt.KeyboardModifier.NoModifier


class NestedLoops(QObject):
    """Ends the loops that begin after it: closes menus and dialogs, takes drags somewhere on the window.

    `acted` counts what it did, which tells a move whether a loop ran inside it.
    """

    def __init__(self, window: QWidget, turns: Turns, chance: random.Random) -> None:
        super().__init__(window)
        self.acted = 0
        self._window, self._turns, self._chance = window, turns, chance
        self._outer = _depth()
        self._drag: list[Callable[[], object]] = []
        self._timer = QTimer(self, singleShot=True, interval=EVERY_MS)
        self._timer.timeout.connect(self._look)
        self._timer.start()

    def _look(self) -> None:
        self._timer.start()  # now: what follows may begin another loop, in which a timer that still fires would not
        if _depth() > self._outer:
            self.acted += 1
            self._turns.apart(self._act)
        else:
            self._drag.clear()

    def _act(self) -> None:
        """Do the next thing that leads to the end of the innermost loop."""
        shown = QApplication.activePopupWidget() or QApplication.activeModalWidget()
        if isinstance(shown, QDialog):
            shown.reject()
        elif shown is not None:
            shown.close()
        else:
            self._drag = self._drag or self._plan()
            self._drag.pop(0)()

    def _plan(self) -> list[Callable[[], object]]:
        """Steps of a drag to a widget of the window, most of which take drops, and its end: a drop, or Escape."""
        window, chance = self._window, self._chance
        inside = [each for each in window.findChildren(QWidget) if each.isVisible() and each.window() is window]
        target = chance.choice([window, *(each for each in inside if each.acceptDrops())])
        spots = [self._spot(target) for _ in range(chance.randint(2, 6))]
        steps: list[Callable[[], object]] = [partial(move, window, spot, LEFT) for spot in spots]
        if chance.random() < 0.2:
            return [*steps, partial(QTest.keyClick, window, Qt.Key.Key_Escape)]
        return [*steps, partial(QTest.mouseRelease, window, LEFT, NONE, spots[-1])]

    def _spot(self, widget: QWidget) -> QPoint:
        """A point of a widget, from the corner of the window."""
        at = QPoint(self._chance.randrange(max(1, widget.width())), self._chance.randrange(max(1, widget.height())))
        return widget.mapTo(self._window, at) if widget is not self._window else at


def _depth() -> int:
    """How many event loops run inside each other."""
    return QThread.currentThread().loopLevel()
