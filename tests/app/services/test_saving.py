"""Saving a grade or a session: what waits for it, and a file that has changed on disk meanwhile."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QMessageBox

from app.model.grade_file import GradeFile, save_grade_file
from app.model.session import Session, load_session, save_session
from app.shell.main_window import MainWindow
from engine import Grade, load_grade, ops
from tests.app.hands import LEFT, file_dialog
from tests.typed import expect


def test_a_saving_that_was_given_up_closes_nothing_later(opened: MainWindow, tmp_path: Path, qtbot: Any):
    opened.document.edit_entry(0, ops.Exposure(1.0), "exposure")
    opened.actions_by_name["close_tab"].trigger()
    box = next(b for b in opened.findChildren(QMessageBox) if b.isVisible())
    qtbot.mouseClick(box.button(QMessageBox.StandardButton.Save), LEFT)
    file_dialog(opened).reject()
    path = opened.document.image_path
    opened.files.save_grade(tmp_path / "look.json")
    qtbot.waitUntil(lambda: not opened.document.modified)
    assert opened.document.image_path == path
    assert expect(ops.Exposure, opened.document.grade.entries[0]).stops == 1.0


OTHERS = Grade([ops.Exposure(-3.0)])
"""A grade that another program saves."""


def asked(window: MainWindow) -> QMessageBox | None:
    return next((box for box in window.findChildren(QMessageBox) if box.isVisible()), None)


@pytest.mark.parametrize("replace", [True, False])
def test_a_grade_file_that_has_changed_on_disk_is_replaced_only_after_a_question(
    opened: MainWindow, tmp_path: Path, replace: bool, qtbot: Any
):
    path = tmp_path / "look.json"
    opened.files.save_grade(path)
    qtbot.waitUntil(lambda: opened.document.grade_path == path)
    save_grade_file(GradeFile(OTHERS), path)
    opened.document.edit_entry(0, ops.Exposure(1.0), "exposure")
    opened.actions_by_name["save_grade"].trigger()
    qtbot.waitUntil(lambda: asked(opened) is not None)
    assert "look.json has changed on disk" in expect(QMessageBox, asked(opened)).text()
    assert load_grade(path) == OTHERS
    name = QMessageBox.StandardButton.Save if replace else QMessageBox.StandardButton.Cancel
    qtbot.mouseClick(expect(QMessageBox, asked(opened)).button(name), LEFT)
    qtbot.waitUntil(lambda: not opened.workspace.jobs.active)
    assert load_grade(path) == (opened.document.grade if replace else OTHERS)
    assert opened.document.modified is not replace


def test_a_session_file_that_has_changed_on_disk_is_replaced_only_after_a_question(
    opened: MainWindow, tmp_path: Path, qtbot: Any
):
    path = tmp_path / "shot.tessera"
    opened.files.save_session(path)
    qtbot.waitUntil(lambda: opened.workspace.session.path == path)
    save_session(Session((), 0), path)
    opened.document.edit_entry(0, ops.Exposure(1.0), "exposure")
    opened.actions_by_name["save_session"].trigger()
    qtbot.waitUntil(lambda: asked(opened) is not None)
    qtbot.mouseClick(expect(QMessageBox, asked(opened)).button(QMessageBox.StandardButton.Cancel), LEFT)
    qtbot.waitUntil(lambda: not opened.workspace.jobs.active)
    assert load_session(path).documents == () and opened.workspace.session.modified


def test_a_grade_file_that_is_gone_or_as_it_was_is_saved_without_a_question(
    opened: MainWindow, tmp_path: Path, qtbot: Any
):
    path, document = tmp_path / "look.json", opened.document
    opened.files.save_grade(path)
    qtbot.waitUntil(lambda: document.grade_path == path)
    for gone in (True, False):
        document.edit_entry(0, ops.Exposure(2.0 + gone), "exposure")
        if gone:
            path.unlink()
        else:
            path.write_text(path.read_text() + "\n")
        opened.actions_by_name["save_grade"].trigger()
        qtbot.waitUntil(lambda: not document.modified)
        assert load_grade(path) == document.grade
