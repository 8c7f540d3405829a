"""Panels, panes and what the window remembers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt

from app.shell.dock_title import DockTitle
from app.shell.main_window import MainWindow
from tests.app.conftest import end, window_in
from tests.app.hands import Key


def test_panels_are_shown_hidden_and_remembered(kept: MainWindow, tmp_path: Path, qtbot: Any):
    grade, exports = kept.docks.docks["grade"], kept.docks.docks["exports"]
    kept.actions_by_name["panel_exports"].trigger()
    kept.actions_by_name["panel_grade"].trigger()
    assert exports.isVisible() and not grade.isVisible()
    end(kept)
    other = window_in(tmp_path / "config")
    qtbot.addWidget(other)
    qtbot.waitExposed(other)
    assert other.docks.docks["exports"].isVisible() and not other.docks.docks["grade"].isVisible()
    other.actions_by_name["reset_layout"].trigger()
    assert not other.docks.docks["exports"].isVisible() and other.docks.docks["grade"].isVisible()
    end(other)


def test_the_image_alone_and_full_screen(opened: MainWindow, qtbot: Any):
    opened.canvas.setFocus()
    qtbot.keyClick(opened.canvas, Key.Key_Tab)
    assert not opened.toolbar.isVisible() and not opened.docks.docks["grade"].isVisible()
    opened.actions_by_name["full_screen"].trigger()
    assert opened.isFullScreen() and not opened.menuBar().isVisible()
    qtbot.keyClick(opened.canvas, Key.Key_Tab)
    assert opened.toolbar.isVisible() and opened.docks.docks["grade"].isVisible()
    opened.actions_by_name["full_screen"].trigger()
    assert not opened.isFullScreen() and opened.menuBar().isVisible()


def test_panes_by_key(opened: MainWindow, qtbot: Any):
    opened.canvas.setFocus()
    qtbot.keyClick(opened.canvas, Key.Key_F6)
    assert opened.docks.docks["grade"].isAncestorOf(opened.focusWidget())
    qtbot.keyClick(opened, Key.Key_F6, Qt.KeyboardModifier.ShiftModifier)
    assert opened.focusWidget() is opened.canvas


def test_settings_outlive_a_damaged_file(tmp_path: Path, qtbot: Any):
    (tmp_path / "settings.json").write_text("{")
    window = window_in(tmp_path)
    qtbot.addWidget(window)
    window.workspace.settings.set("anything", 3)
    end(window)
    other = window_in(tmp_path)
    qtbot.addWidget(other)
    assert other.workspace.settings.get("anything", 0) == 3
    assert other.workspace.settings.get("anything", "text") == "text"
    end(other)


def test_a_layout_finds_the_sizes_of_dock_titles_without_python():
    assert not {"sizeHint", "minimumSizeHint"} & vars(DockTitle).keys(), "it asks for them thousands of times"
