"""When the window is repainted."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QApplication, QWidget

from app.services.event_loop import BUSY_SECONDS, turn_queue
from app.shell.repaints import Repaints
from tests.app.turns import compute

pytestmark = pytest.mark.usefixtures("busy_turns")


class Painted(QWidget):
    """Counts its paint events."""

    count = 0

    def paintEvent(self, _event: object) -> None:
        self.count += 1


def shown(qapp: QApplication, qtbot: object) -> Painted:
    widget = Painted()
    qtbot.addWidget(widget)  # type: ignore[attr-defined]
    Repaints(widget)
    widget.show()
    while not widget.count or turn_queue().waits:
        qapp.processEvents()
    widget.count = 0
    return widget


def test_a_quiet_turn_repaints(qapp: QApplication, qtbot: object) -> None:
    widget = shown(qapp, qtbot)
    widget.update()
    for _ in range(20):
        qapp.processEvents()
        if widget.count:
            break
    assert widget.count == 1


def test_a_busy_turn_leaves_it_to_the_next(qapp: QApplication, qtbot: object) -> None:
    widget = shown(qapp, qtbot)
    busy = Busy(widget)
    widget.installEventFilter(busy)
    widget.update()
    while not busy.requests:
        qapp.processEvents()
    assert widget.count == 0
    widget.update()  # what changes meanwhile is repainted as well, once
    qapp.processEvents()
    assert widget.count == 1
    for _ in range(5):
        qapp.processEvents()
    assert widget.count == 1


class Busy(QObject):
    """Computes before the first request of a repaint; installed last, it sees that first."""

    requests = 0

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.UpdateRequest:
            self.requests += 1
            if self.requests == 1:
                compute(BUSY_SECONDS + 0.002)
        return False
