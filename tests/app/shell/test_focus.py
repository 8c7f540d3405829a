"""The keyboard focus stays where the hand was, and nothing but the window takes it."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QApplication, QLineEdit, QVBoxLayout, QWidget

from app.services.engine_calls import Services
from app.shell.main_window import MainWindow
from app.widgets.focus import keep_focus
from engine import ops
from tests.app.conftest import end, make_image
from tests.app.fakes import FakeExecutor
from tests.app.hands import CTRL, SHIFT, Key, row


class ShownWindows(QObject):
    """Notes each window that is shown, even for an instant."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Show and isinstance(watched, QWidget) and watched.isWindow():
            self.found.append(f"{type(watched).__name__} {watched.accessibleName()}".rstrip())
        return False


def test_no_control_is_shown_as_a_window_while_it_is_made(qapp: QApplication, qtbot: Any):
    shown = ShownWindows()
    qapp.installEventFilter(shown)
    try:
        services = Services(read_image=make_image, create_executor=lambda _name, _threads: FakeExecutor())
        window = MainWindow(services=services)
        qtbot.addWidget(window)
        window.show()
        for op in (ops.Contrast(1.1), ops.GradingTone(), ops.GradingPrimary()):
            window.document.add(op, "adding")
        for name in window.docks.docks:
            window.workspace.show_panel(name)
        qtbot.waitUntil(lambda: window.panel.complete)
    finally:
        qapp.removeEventFilter(shown)
    assert shown.found == ["MainWindow"]
    end(window)


def test_undo_leaves_the_focus_where_it_was(opened: MainWindow, qtbot: Any):
    document, track = opened.document, row(opened).track
    document.add(ops.Contrast(1.1), "adding")
    qtbot.waitUntil(lambda: opened.panel.complete)
    opened.activateWindow()
    qtbot.waitUntil(lambda: opened.isActiveWindow())
    track = row(opened).track
    track.setFocus()
    name = track.accessibleName()
    for _ in range(2):
        qtbot.keyClick(QApplication.focusWidget(), Key.Key_Z, CTRL)
        focus = QApplication.focusWidget()
        assert focus is not None and focus.accessibleName() == name
        document.redo()
    check_that_a_panel_takes_the_focus(opened, qtbot)


def check_that_a_panel_takes_the_focus(opened: MainWindow, qtbot: Any) -> None:
    """A panel that is shown by its key has the focus where its work begins."""
    for key, modifier, name in ((Key.Key_4, CTRL, "looks"), (Key.Key_L, CTRL | SHIFT, "layers")):
        opened.canvas.setFocus()
        qtbot.keyClick(opened.canvas, key, modifier)
        focus = QApplication.focusWidget()
        assert focus is not None and focus is opened.workspace.panel(name).focusProxy()


def test_the_focus_goes_to_the_control_that_took_the_place(qtbot: Any):
    window = QWidget()
    qtbot.addWidget(window)
    column = QVBoxLayout(window)

    def made(name: str) -> QLineEdit:
        field = QLineEdit()
        field.setAccessibleName(name)
        column.addWidget(field)
        return field

    first, _second = made("first"), made("second")
    window.show()
    window.activateWindow()
    first.setFocus()
    qtbot.waitUntil(lambda: QApplication.focusWidget() is first)

    def remake() -> None:
        first.setAccessibleName("gone")
        first.hide()
        made("first").show()

    keep_focus(remake)
    focus = QApplication.focusWidget()
    assert focus is not None and focus is not first and focus.accessibleName() == "first"
