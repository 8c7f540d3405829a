"""What waits for a grade to be saved, and what comes of it when the saving is given up."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PySide6.QtWidgets import QMessageBox

from app.main_window import MainWindow
from engine import ops
from tests.app.hands import LEFT, file_dialog


def test_a_saving_that_was_given_up_closes_nothing_later(opened: MainWindow, tmp_path: Path, qtbot: Any):
    opened.document.edit_entry(0, ops.Exposure(1.0), "exposure")
    opened.actions_by_name["close_tab"].trigger()
    box = next(b for b in opened.findChildren(QMessageBox) if b.isVisible())
    qtbot.mouseClick(box.button(QMessageBox.StandardButton.Save), LEFT)
    file_dialog(opened).reject()
    path = opened.document.picture_path
    opened.files.save_grade(tmp_path / "look.json")
    qtbot.waitUntil(lambda: not opened.document.modified)
    assert opened.document.picture_path == path
    assert opened.document.grade.entries[0].stops == 1.0
