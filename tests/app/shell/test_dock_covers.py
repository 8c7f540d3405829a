"""How docks of another size are repainted."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import QEvent, QObject, QPoint, Qt
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtWidgets import QApplication, QDockWidget, QLabel, QMainWindow, QScrollArea, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from app.services.event_loop import BUSY_SECONDS, turn_queue
from app.shell.dock_covers import DockCovers, _Cover
from app.shell.docks import Dock, Holder
from app.shell.panels import PanelSpec
from app.shell.repaints import Repaints
from tests.app.turns import compute
from tests.typed import expect

pytestmark = pytest.mark.usefixtures("busy_turns")
SIDES = {"left": Qt.DockWidgetArea.LeftDockWidgetArea, "right": Qt.DockWidgetArea.RightDockWidgetArea}
COLOUR = "#123456"


class Panel(QWidget):
    """A panel with something that scrolls, which counts its paint events."""

    count = 0

    def __init__(self) -> None:
        super().__init__()
        area, content = QScrollArea(self), QWidget()
        self.column = QVBoxLayout(content)
        area.setWidget(content)

    def paintEvent(self, _event: object) -> None:
        self.count += 1
        with QPainter(self) as painter:
            painter.fillRect(self.rect(), QColor(COLOUR))


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
    for area, side in SIDES.items():
        spec = PanelSpec(area, area, "", (), area, "", lambda _workspace: QWidget())
        dock = Dock(spec, Panel, made)
        dock.holder.setMinimumSize(100, 100)
        made.addDockWidget(side, dock)
        docks.append(dock)
    repaints = Repaints(made, docks)
    repaints.begin_covering()
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
    holder = expect(Holder, panels(window)[0].parentWidget())
    resize(qapp, window, 700, 400)
    painted = window.backingStore().paintDevice()
    assert isinstance(painted, QImage)
    inside = holder.mapTo(window, holder.rect().bottomLeft() + QPoint(10, -120))
    assert painted.pixelColor(inside).name() == COLOUR
    assert panels(window)[0].count == 0


def test_input_goes_to_the_panel_below(qapp: QApplication, window: QMainWindow) -> None:
    resize(qapp, window, 700, 400)
    panel = panels(window)[0]
    assert window.childAt(panel.mapTo(window, panel.rect().bottomLeft() + QPoint(10, -10))) is panel


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


def test_a_panel_whose_content_is_laid_out(qapp: QApplication, window: QMainWindow) -> None:
    changed, other = panels(window)
    changed.column.addWidget(QLabel("another entry"))
    for each in (changed, other):
        each.count = 0
    busy = BusyRequest(window)
    window.installEventFilter(busy)
    expect(QLabel, window.centralWidget()).setText("another image")
    for _ in range(50):
        qapp.processEvents()
        if covers(window):
            break
    (cover,) = covers(window)
    assert cover.parentWidget() is changed.parentWidget()
    settle(qapp)
    assert not covers(window)
    assert changed.count == 1
    assert other.count == 0


class BusyRequest(QObject):
    """Computes before each repaint."""

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.UpdateRequest:
            compute(BUSY_SECONDS + 0.002)
        return False


def test_places_are_known_after_each_change(qapp: QApplication, qtbot: QtBot) -> None:
    window = QMainWindow()
    qtbot.addWidget(window)
    docks = [Dock(PanelSpec(n, n, "", (), n, "", lambda _workspace: QWidget()), Panel, window) for n in "abc"]
    for dock in docks:
        window.addDockWidget(SIDES["left"], dock)
    window.tabifyDockWidget(docks[1], docks[2])
    noted = DockCovers(window, docks)
    window.resize(600, 600)
    window.show()
    changes: list[Callable[[], object]] = [
        lambda: window.resizeDocks([docks[0]], [250], Qt.Orientation.Horizontal),
        lambda: window.resizeDocks([docks[0]], [350], Qt.Orientation.Vertical),
        docks[1].raise_,
        docks[2].raise_,
        docks[0].hide,
        docks[0].show,
        lambda: window.addDockWidget(SIDES["right"], docks[0]),
        lambda: window.resize(700, 500),
        lambda: docks[1].setFloating(True),
        lambda: docks[1].move(5, 7),
        lambda: docks[1].setFloating(False),
        window.hide,
        window.show,
    ]
    for number, change in enumerate(changes):
        change()
        settle(qapp)
        noted.note()
        shown = [dock for dock in docks if dock.holder.isVisible()]
        wanted = {dock.holder: dock.holder.geometry().translated(dock.pos()) for dock in shown}
        assert noted._places == wanted, number


def test_nothing_is_covered_before_the_first_image(qapp: QApplication, window: QMainWindow) -> None:
    repaints = expect(Repaints, window.findChild(Repaints))
    repaints._covering = False
    window.resize(700, 400)
    for _ in range(10):
        qapp.processEvents()
        assert not covers(window)
