"""A LUT that is being tried is never exported unsaid: each way to export asks about it."""

from __future__ import annotations

from typing import Any

from PySide6.QtWidgets import QToolButton

from app.actions.file import open_export_dialog
from app.dialogs.export_dialog import ExportDialog
from app.dialogs.look_dialog import LookDialog
from app.shell.main_window import MainWindow
from engine import FileLook, ops
from tests.app.hands import CTRL, LEFT, SHIFT, Key

DARK = FileLook("/luts/dark.cube", (ops.Exposure(-1.0),))


def by_key(window: MainWindow, qtbot: Any) -> None:
    qtbot.keyClick(window.canvas, Key.Key_E, CTRL)


def by_menu(window: MainWindow, qtbot: Any) -> None:
    window.actions_by_name["export"].trigger()


def by_button(window: MainWindow, qtbot: Any) -> None:
    button = window.toolbar.widgetForAction(window.actions_by_name["export"])
    assert isinstance(button, QToolButton)
    qtbot.mouseClick(button, LEFT)


def by_sequence(window: MainWindow, qtbot: Any) -> None:
    open_export_dialog(window.workspace)  # as the command for sequences does


def look_by_key(window: MainWindow, qtbot: Any) -> None:
    qtbot.keyClick(window.canvas, Key.Key_E, CTRL | SHIFT)


def look_by_menu(window: MainWindow, qtbot: Any) -> None:
    window.actions_by_name["export_look"].trigger()


def test_each_way_to_export_asks(opened: MainWindow, qtbot: Any):
    for ask in (by_key, by_menu, by_button, by_sequence, look_by_key, look_by_menu):
        opened.workspace.stage.preview_lut(DARK)
        ask(opened, qtbot)
        dialogs: list[ExportDialog | LookDialog] = [
            *opened.findChildren(ExportDialog),
            *opened.findChildren(LookDialog),
        ]
        dialog = next(each for each in dialogs if each.isVisible())
        choice = dialog.previewed_lut
        assert choice.isVisible() and "dark.cube" in choice.question
        dialog.buttons.export.click()
        assert opened.workspace.exports.exports == [] and not dialog.buttons.asking and dialog.isVisible()
        assert DARK not in choice.applied(opened.document.grade).entries
        dialog.reject()
        assert opened.workspace.stage.tried == "dark.cube"
    by_key(opened, qtbot)
    assert opened.export_dialog is not None and opened.export_dialog.previewed_lut.question
    opened.workspace.stage.end_lut_preview()
    assert not opened.export_dialog.previewed_lut.question and not opened.export_dialog.previewed_lut.isVisible()


def test_a_version_is_kept_without_it_and_says_so(opened: MainWindow):
    notes: list[str] = []
    opened.workspace.messages.noted.connect(notes.append)
    opened.workspace.stage.preview_lut(DARK)
    opened.actions_by_name["keep_version"].trigger()
    assert notes == ["Kept as Version 1, without dark.cube, which is only a preview"]
    assert DARK not in opened.document.versions.items[0].grade.entries
