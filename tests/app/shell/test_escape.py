"""Esc ends one thing per press, in one order, wherever the keyboard focus is."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QWidget

from app.shell.main_window import MainWindow
from engine import FileLook, Grade, ops
from tests.app.conftest import begin_with
from tests.app.hands import LEFT, Key, row
from tests.app.panels.acting import is_picking

DARK = FileLook("/luts/dark.cube", (ops.Exposure(-1.0),))
PANELS = ("history", "looking", "colour", "looks", "scopes", "probe")


def focusable(window: MainWindow) -> dict[str, QWidget]:
    """A visible control of each class that the keyboard reaches, but for those inside of others."""
    return {
        type(each).__name__: each
        for each in window.findChildren(QWidget)
        if each.isVisible()
        and each.window() is window
        and each.isEnabled()
        and each.focusPolicy() & Qt.FocusPolicy.TabFocus
        and each.focusProxy() is None
    }


def test_it_ends_one_thing_per_press(opened: MainWindow, qtbot: Any):
    begin_with(opened.document, Grade([ops.WhiteBalance()]))
    stage = opened.workspace.stage
    opened.actions_by_name["full_screen"].trigger()
    opened.set_clean(True)
    opened.set_clean(False)
    stage.preview_lut(DARK)
    opened.workspace.messages.warn("what is wrong; what to do")
    qtbot.mouseClick(opened.panel.cards[0].body.pick, LEFT)
    opened.set_clean(True)
    states = []
    for _ in range(6):
        state = is_picking(opened), opened.bar.isVisible(), stage.tried, opened.screen_state.clean
        states.append((*state, opened.isFullScreen()))
        qtbot.keyClick(opened.canvas, Key.Key_Escape)
    assert states == [
        (True, True, "dark.cube", True, True),
        (False, True, "dark.cube", True, True),
        (False, False, "dark.cube", True, True),
        (False, False, "", True, True),
        (False, False, "", False, True),
        (False, False, "", False, False),
    ]
    assert not opened.actions_by_name["full_screen"].isChecked()


def test_a_tried_lut_is_ended_from_any_control(opened: MainWindow, qtbot: Any):
    stage, asked = opened.workspace.stage, set[str]()
    opened.workspace.set_view(channel="red")
    for name in ("", *PANELS):
        if name:
            opened.workspace.show_panel(name)
            QApplication.processEvents()
        for kind, control in focusable(opened).items():
            if kind in asked:
                continue
            asked.add(kind)
            stage.preview_lut(DARK)
            control.setFocus()
            qtbot.keyClick(control, Key.Key_Escape)
            assert stage.tried == "", f"{kind} {control.accessibleName()!r} keeps Esc"
    assert {"Canvas", "NumberBox", "TrackSlider", "WallList", "QLineEdit", "QToolButton", "Picker"} <= asked


def test_a_held_key_ends_no_more(opened: MainWindow):
    stage = opened.workspace.stage
    opened.workspace.messages.warn("what is wrong; what to do")
    stage.preview_lut(DARK)
    for repeated in (False, True, True):
        none = Qt.KeyboardModifier.NoModifier
        QApplication.sendEvent(opened.canvas, QKeyEvent(QEvent.Type.KeyPress, Key.Key_Escape, none, "", repeated))
    assert not opened.bar.isVisible() and stage.tried == "dark.cube"


def test_typed_text_is_discarded_first(opened: MainWindow, qtbot: Any):
    stage, box = opened.workspace.stage, row(opened).box
    stage.preview_lut(DARK)
    box.setFocus()
    box.selectAll()
    qtbot.keyClicks(box, "5")
    qtbot.keyClick(box, Key.Key_Escape)
    assert stage.tried == "dark.cube" and box.value() == 0.0 and box.text().startswith("0.00")
    box.setFocus()
    qtbot.keyClick(box, Key.Key_Escape)
    assert stage.tried == ""


def test_the_name_of_a_version_is_restored_first(opened: MainWindow, qtbot: Any):
    opened.document.keep_version("Night")
    panel = opened.workspace.show_panel("versions")
    edit = panel.rows[0].name_edit  # type: ignore[attr-defined]
    stage = opened.workspace.stage
    stage.preview_lut(DARK)
    edit.setFocus()
    qtbot.keyClicks(edit, " v2")
    qtbot.keyClick(edit, Key.Key_Escape)
    assert edit.text() == "Night" and stage.tried == "dark.cube"
    edit.setFocus()
    qtbot.keyClick(edit, Key.Key_Escape)
    assert stage.tried == ""


def test_it_reaches_the_window_from_a_floating_panel(opened: MainWindow, qtbot: Any):
    opened.workspace.show_panel("history")
    dock = opened.docks.docks["history"]
    dock.setFloating(True)
    qtbot.waitUntil(dock.isVisible)
    opened.workspace.stage.preview_lut(DARK)
    control = next(each for each in dock.panel.findChildren(QWidget) if each.focusPolicy() & Qt.FocusPolicy.TabFocus)
    qtbot.keyClick(control, Key.Key_Escape)
    assert opened.workspace.stage.tried == ""
