"""Images in tabs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from app.model.viewport import Viewport
from app.shell.main_window import MainWindow
from engine import ops
from tests.app.hands import CTRL, LEFT, Key
from tests.typed import expect


def test_each_image_has_its_own_grade_history_and_view(kept: MainWindow, qtbot: Any):
    assert kept.tabs.isVisible()
    assert [kept.tabs.tabText(n) for n in range(2)] == ["one.exr", "two.exr *"]
    scale = expect(Viewport, kept.canvas.viewport).scale
    qtbot.keyClick(kept, Key.Key_Tab, CTRL)
    assert expect(Path, kept.document.image_path).name == "one.exr"
    assert kept.document.steps == 0
    assert not kept.actions_by_name["red"].isChecked()
    assert not kept.actions_by_name["undo"].isEnabled()
    assert expect(Viewport, kept.canvas.viewport).fitted
    kept.tabs.setCurrentIndex(1)
    assert kept.document.grade.entries[0] == ops.Exposure(2.0)
    assert kept.actions_by_name["red"].isChecked()
    assert expect(Viewport, kept.canvas.viewport).scale == scale
    assert kept.panel.cards[0].layer.entry == ops.Exposure(2.0)


def test_tabs_move_and_close(kept: MainWindow, qtbot: Any):
    kept.tabs.moveTab(1, 0)
    assert [expect(Path, d.image_path).name for d in kept.workspace.documents] == ["two.exr", "one.exr"]
    button = kept.tabs.tabButton(1, kept.tabs.ButtonPosition.RightSide)
    qtbot.mouseClick(button, LEFT)
    assert [expect(Path, d.image_path).name for d in kept.workspace.documents] == ["two.exr"]
    kept.document.mark_saved(kept.document.grade, None)
    kept.actions_by_name["close_tab"].trigger()
    assert [d.image_path for d in kept.workspace.documents] == [None]
    assert kept.empty.isVisible()
    assert not kept.canvas.has_frame


def test_an_image_that_can_not_be_read_leaves_no_tab(kept: MainWindow, tmp_path: Path, qtbot: Any):
    kept.files.open_image(tmp_path / "gone.exr")
    qtbot.waitUntil(lambda: "does not exist" in kept.bar.text)
    assert len(kept.workspace.documents) == 2


def test_a_cursor_left_where_a_larger_image_was_asks_nothing(kept: MainWindow, monkeypatch: pytest.MonkeyPatch):
    asked: list[Any] = []
    monkeypatch.setattr(kept.preview, "probe", lambda *words: asked.append(words[:2]))
    kept.canvas.hovered.emit((5000, 0))
    kept.canvas.hovered.emit((5, 6))
    assert asked == [(5, 6)]


def test_another_tab_requests_one_frame(kept: MainWindow, qtbot: Any, monkeypatch: pytest.MonkeyPatch):
    wanted: list[Any] = []
    submit = kept.preview.submit

    def noted(*what: Any) -> Any:
        wanted.append(what)
        return submit(*what)

    monkeypatch.setattr(kept.preview, "submit", noted)
    documents = kept.workspace.open_documents
    for document in documents.items:
        wanted.clear()
        other = next(each for each in documents.items if each is not documents.current.document)
        documents.show(other)
        qtbot.waitUntil(lambda: bool(wanted))
        qtbot.wait(50)
        assert len(wanted) == 1, document.name
