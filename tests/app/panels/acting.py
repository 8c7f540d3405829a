"""What tests of grading do to the panel."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QPointF, Qt
from PySide6.QtWidgets import QApplication, QMenu, QWidget

from app.panels.picking import PixelPicker
from app.shell.main_window import MainWindow
from engine import Grade, ops
from engine.grade.grade import bare, layer_of
from tests.app.conftest import begin_with
from tests.app.hands import LEFT, move
from tests.typed import expect

THREE = Grade([ops.Exposure(0.5), ops.Saturation(1.2), ops.Contrast(1.3)])


def names(window: MainWindow) -> str:
    """The entries as initials, bypassed ones in brackets."""
    entries = window.document.grade.entries
    initials = [type(bare(entry)).__name__[0] for entry in entries]
    return "".join(i if layer_of(e).enabled else f"({i})" for i, e in zip(initials, entries, strict=True))


def show(window: MainWindow, *entries: Any) -> Any:
    """A grade of these entries, laid out; the card of the first."""
    begin_with(window.document, Grade(entries))
    while not window.panel.complete:
        QApplication.processEvents()
    QApplication.processEvents()  # all has its size
    return window.panel.cards[0]


def menu_of(window: MainWindow, card: Any, qtbot: Any) -> QMenu:
    """The open menu of a card."""
    qtbot.mouseClick(card.more, LEFT)
    (menu,) = (each for each in window.panel.findChildren(QMenu) if each.isVisible())
    return expect(QMenu, menu)


def choose(window: MainWindow, card: Any, option: str, value: str, qtbot: Any) -> None:
    """Set an option in the menu of a card."""
    menu = menu_of(window, card, qtbot)
    inner = next(action.menu() for action in menu.actions() if action.text() == option)
    next(action for action in expect(QMenu, inner).actions() if action.text() == value).trigger()
    menu.close()
    QApplication.processEvents()


def is_picking(window: MainWindow) -> bool:
    """Whether the next click on the canvas picks a colour."""
    return isinstance(next(iter(window.canvas.tools)), PixelPicker)


def pull(
    widget: QWidget, start: QPointF, by: QPointF, qtbot: Any, modifier: Any = Qt.KeyboardModifier.NoModifier
) -> None:
    """A drag from a place of a widget, in ten steps."""
    qtbot.mousePress(widget, LEFT, modifier, start.toPoint())
    for step in range(1, 11):
        move(widget, (start + by * (step / 10)).toPoint(), LEFT, modifier)
    qtbot.mouseRelease(widget, LEFT, modifier, (start + by).toPoint())
