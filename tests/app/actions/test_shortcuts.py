"""Keys that are pressed while actions still wait to be enabled."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.services.event_loop import BUSY_SECONDS, turn_queue
from app.shell.main_window import MainWindow
from engine import Grade, ops
from tests.app.conftest import image
from tests.app.turns import compute

GRADE = Grade((ops.Exposure(1.0),))


pytestmark = pytest.mark.usefixtures("busy_turns")


def can_undo(window: MainWindow) -> bool:
    return window.actions_by_name["undo"].isEnabled()


def undo_by_keys(window: MainWindow) -> None:
    window.activateWindow()
    QTest.keyClick(window.windowHandle(), Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)


def test_the_first_edit_can_be_undone_at_once(opened: MainWindow) -> None:
    before = opened.document.grade
    compute(BUSY_SECONDS + 0.002)
    opened.document.edit(GRADE, "one stop")
    assert not can_undo(opened), "that waits for the next turn"
    undo_by_keys(opened)
    assert opened.document.grade == before and opened.document.history[1:] == ["one stop"]


def test_keys_right_after_a_switch_act_on_what_is_shown_then(opened: MainWindow, tmp_path: Path) -> None:
    documents = opened.workspace.open_documents
    first = opened.document
    compute(BUSY_SECONDS + 0.002)
    first.edit(GRADE, "one stop")
    turn_queue().prepare_input()
    opened.files.open_image(image(tmp_path, "other.exr"))
    second = opened.document
    assert second is not first
    turn_queue().prepare_input()
    assert not can_undo(opened)
    documents.show(first)
    assert not can_undo(opened), "that waits for the next turn"
    undo_by_keys(opened)
    assert first.steps == 0 and second.steps == 0
