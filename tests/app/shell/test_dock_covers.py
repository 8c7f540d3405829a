"""How docks of another size are repainted."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication, QDockWidget, QLabel, QMainWindow, QWidget
from pytestqt.qtbot import QtBot

from app.services.event_loop import BUSY_SECONDS, turn_queue
from app.shell.dock_covers import _Cover
from app.shell.repaints import Repaints
from tests.app.turns import compute

pytestmark = pytest.mark.usefixtures("busy_turns")
SIDES = (Qt.DockWidgetArea.LeftDockWidgetArea, Qt.DockWidgetArea.RightDockWidgetArea)


class Panel(QWidget):
    """A panel that counts its paint events."""

    count = 0

    def paintEvent(self, _event: object) -> None:
        self.count += 1


class BusyResize(QObject):
    """Computes while the window is laid out; installed last, it sees the resize first."""

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:
            compute(BUSY_SECONDS + 0.002)
        return False


@pytest.fixture
def window(qapp: QApplication, qtbot: QtBot) -> QMainWindow:
    made = QMainWindow()
    qtbot.addWidget(made)
    made.setCentralWidget(QLabel("image"))
    docks = []
    for side in SIDES:
        dock, holder = QDockWidget("Dock", made), QWidget()
        holder.setMinimumSize(100, 100)
        Panel(holder).setGeometry(0, 0, 100, 100)
        dock.setWidget(holder)
        made.addDockWidget(side, dock)
        docks.append(dock)
    Repaints(made, docks)
    made.resize(600, 300)
    made.show()
    settle(qapp)
    made.installEventFilter(BusyResize(made))
    return made


def settle(qapp: QApplication) -> None:
    for _ in range(20):
        qapp.processEvents()
    while turn_queue().waits:
        qapp.processEvents()


def panels(window: QMainWindow) -> list[Panel]:
    return window.findChildren(Panel)


def covers(window: QMainWindow) -> list[_Cover]:
    return [each for each in window.findChildren(_Cover) if each.isVisible()]


def resize(qapp: QApplication, window: QMainWindow, width: int, height: int) -> None:
    """Resize a window and repaint it."""
    for each in panels(window):
        each.count = 0
    window.resize(width, height)
    assert covers(window)
    window.repaint()


def test_panels_are_repainted_one_after_the_other(qapp: QApplication, window: QMainWindow) -> None:
    resize(qapp, window, 700, 400)
    assert [each.count for each in panels(window)] == [0, 0]
    totals = []
    for _ in range(20):
        qapp.processEvents()
        totals.append(sum(each.count for each in panels(window)))
    assert max(after - before for before, after in zip([0, *totals], totals, strict=False)) == 1
    assert totals[-1] == 2
    assert not covers(window)


def test_a_cover_shows_what_was_there(qapp: QApplication, window: QMainWindow) -> None:
    holder = panels(window)[0].parentWidget()
    assert holder is not None
    holder.setStyleSheet("background: #123456")
    settle(qapp)
    resize(qapp, window, 700, 400)
    painted = window.backingStore().paintDevice()
    assert isinstance(painted, QImage)
    inside = holder.mapTo(window, holder.rect().center())
    assert painted.pixelColor(inside).name() == "#123456"
    assert panels(window)[0].count == 0


def test_input_goes_to_the_panel_below(qapp: QApplication, window: QMainWindow) -> None:
    resize(qapp, window, 700, 400)
    panel = panels(window)[0]
    assert window.childAt(panel.mapTo(window, panel.rect().center())) is panel


def test_what_changes_below_a_cover_is_painted(qapp: QApplication, window: QMainWindow) -> None:
    resize(qapp, window, 700, 400)
    for each in panels(window):
        each.update()
    settle(qapp)
    assert all(each.count >= 1 for each in panels(window))


def test_a_resize_meanwhile_covers_none_twice(qapp: QApplication, window: QMainWindow) -> None:
    resize(qapp, window, 700, 400)
    window.resize(760, 460)
    qapp.processEvents()
    assert len(covers(window)) <= 2
    settle(qapp)
    assert not covers(window)


def test_a_move_of_a_panel_covers_nothing(qapp: QApplication, window: QMainWindow) -> None:
    for each in panels(window):
        each.count = 0
    window.resize(700, 300)  # the right dock moves, the left one stays
    for _ in range(10):
        qapp.processEvents()
        assert not covers(window)


def test_a_dock_that_is_closed_meanwhile(qapp: QApplication, window: QMainWindow) -> None:
    resize(qapp, window, 700, 400)
    docks = window.findChildren(QDockWidget)
    docks[0].close()
    docks[1].setFloating(True)
    settle(qapp)
    assert not covers(window)
