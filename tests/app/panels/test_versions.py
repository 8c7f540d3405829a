"""Versions of a grade, and its history."""

from __future__ import annotations

from typing import Any

from app.panels.history import HistoryPanel
from app.panels.versions import SPARE_ROWS, VersionsPanel
from app.shell.main_window import MainWindow
from engine import ops
from tests.app.hands import CTRL, LEFT, Key
from tests.app.panels.acting import THREE, names
from tests.typed import expect


def test_versions_are_kept_shown_and_compared(graded: MainWindow, qtbot: Any):
    document = graded.document
    qtbot.keyClick(graded, Key.Key_K, CTRL)
    document.edit_entry(0, ops.Exposure(2.0), "exposure")
    panel = expect(VersionsPanel, graded.docks.show("versions"))
    qtbot.mouseClick(panel.keep, LEFT)
    assert [row.name for row in panel.rows] == ["Version 1", "Version 2"]
    steps = document.steps
    for stops in (0.5, 2.0, 0.5):
        qtbot.keyClick(graded, Key.Key_X)
        assert expect(ops.Exposure, document.grade.entries[0]).stops == stops
    assert document.steps == steps + 1, "however often, it is one step"
    document.undo()
    assert expect(ops.Exposure, document.grade.entries[0]).stops == 2.0
    qtbot.mouseClick(panel.rows[0].show_button, LEFT)
    assert document.grade == THREE
    assert not panel.rows[0].show_button.isEnabled()


def test_going_back_loses_no_version(graded: MainWindow):
    graded.document.edit_entry(0, ops.Exposure(2.0), "exposure")
    graded.document.keep_version()
    graded.document.undo()
    graded.document.edit_entry(0, ops.Exposure(3.0), "exposure")
    assert graded.document.versions["Version 1"].grade.entries[0] == ops.Exposure(2.0)


def test_versions_are_renamed_updated_and_removed_and_all_that_is_undone(graded: MainWindow, qtbot: Any):
    document = graded.document
    for _ in range(3):
        document.keep_version()
    panel = expect(VersionsPanel, graded.docks.show("versions"))
    name = panel.rows[1].name_edit
    name.setFocus()
    name.selectAll()
    qtbot.keyClicks(name, "warm")
    qtbot.keyClick(name, Key.Key_Return)
    assert [row.name for row in panel.rows] == ["Version 1", "warm", "Version 3"]
    assert document.versions.marks == ("Version 1", "warm")
    document.edit_entry(0, ops.Exposure(4.0), "exposure")
    qtbot.mouseClick(panel.rows[1].update_button, LEFT)
    assert document.versions["warm"].grade == document.grade
    qtbot.mouseClick(panel.rows[1].remove, LEFT)
    assert [row.name for row in panel.rows] == ["Version 1", "Version 3"]
    assert not panel.toggle.isEnabled()
    qtbot.mouseClick(panel.rows[1].marks[1], LEFT)
    assert panel.toggle.isEnabled()
    document.undo()
    document.undo()
    assert document.versions["warm"].grade == THREE
    document.undo()
    document.undo()
    assert [row.name for row in panel.rows] == ["Version 1", "Version 2", "Version 3"]
    document.go_to(4)
    assert [row.name for row in panel.rows] == ["Version 1", "Version 3"]


def test_a_name_that_is_taken_is_refused(graded: MainWindow, qtbot: Any):
    graded.document.keep_version()
    graded.document.keep_version()
    panel = expect(VersionsPanel, graded.docks.show("versions"))
    name = panel.rows[1].name_edit
    name.setFocus()
    name.selectAll()
    qtbot.keyClicks(name, "Version 1")
    qtbot.keyClick(name, Key.Key_Return)
    assert "choose another" in graded.bar.text
    assert name.text() == "Version 2"
    assert graded.document.steps == 0


def test_the_history_lists_every_step_and_goes_there(graded: MainWindow, qtbot: Any):
    document = graded.document
    panel = expect(HistoryPanel, graded.docks.show("history"))
    document.edit_entry(0, ops.Exposure(1.0), "Exposure stops")
    document.switch(1, "enabled", False)
    document.remove(2, "removal of Contrast")
    texts = [panel.list.item(row).text() for row in range(panel.list.count())]
    assert texts == ["Opened", "Exposure stops", "Bypass of Saturation", "Removal of Contrast"]
    assert panel.list.currentRow() == 3
    item = panel.list.item(1)
    qtbot.mouseClick(panel.list.viewport(), LEFT, pos=panel.list.visualItemRect(item).center())
    assert names(graded) == "ESC"
    assert panel.list.item(3).font().italic(), "redo would make it again"
    qtbot.keyClick(panel.list, Key.Key_Down)
    assert names(graded) == "E(S)C"
    document.add(ops.Exposure(), "adding Exposure")
    assert panel.list.count() == 4


def test_another_document_has_its_own_history_and_versions(graded: MainWindow):
    graded.document.keep_version()
    graded.docks.show("versions")
    history = expect(HistoryPanel, graded.workspace.panel("history"))
    versions = expect(VersionsPanel, graded.workspace.panel("versions"))
    graded.workspace.open_documents.new()
    assert versions.rows == []
    assert history.list.count() == 1
    graded.workspace.open_documents.show(graded.workspace.documents[0])
    assert [row.name for row in versions.rows] == ["Version 1"]


def test_the_name_of_a_version_has_the_width_of_the_panel(graded: MainWindow, qtbot: Any):
    graded.document.keep_version("Client's warmer one for the trailer, v012")
    panel = expect(VersionsPanel, graded.docks.show("versions"))
    row = panel.rows[0]
    qtbot.waitUntil(lambda: row.name_edit.width() > 100 and row.name_edit.height() < 100)
    assert row.name_edit.width() > row.name_edit.fontMetrics().horizontalAdvance(row.name)
    for button in (row.show_button, *row.marks, row.update_button, row.remove):
        assert not button.geometry().intersects(row.name_edit.geometry())


def test_rows_are_made_one_by_one_and_used_again(graded: MainWindow, qtbot: Any):
    first, panel = graded.document, expect(VersionsPanel, graded.docks.show("versions"))
    for _ in range(8):
        first.keep_version()
    rows = panel.rows
    graded.workspace.open_documents.new()
    assert panel.rows == [] and all(row.isHidden() for row in rows)
    graded.document.keep_version("warm")
    qtbot.waitUntil(lambda: rows[0].isVisible())
    assert panel.rows == rows[:1]
    assert (rows[0].name_edit.text(), rows[0].remove.toolTip()) == ("warm", "Remove warm; Undo restores it")
    assert [mark.isChecked() for mark in rows[0].marks] == [True, False]
    graded.workspace.open_documents.show(first)
    assert panel.rows == rows and [row.name for row in rows] == [f"Version {n}" for n in range(1, 9)]
    assert [[mark.isChecked() for mark in row.marks] for row in rows[:3]] == [[True, False], [False, True], [False] * 2]
    graded.workspace.open_documents.close(graded.workspace.documents[1])


def test_a_panel_of_many_versions_is_made_bit_by_bit(graded: MainWindow, qtbot: Any):
    for _ in range(SPARE_ROWS + 8):
        graded.document.keep_version()
    panel = expect(VersionsPanel, graded.docks.show("versions"))
    assert len(panel.rows) == SPARE_ROWS + 8
    graded.workspace.open_documents.new()
    assert len(panel._rows) == SPARE_ROWS
    graded.workspace.open_documents.show(graded.workspace.documents[0])
    assert len(panel._rows) == SPARE_ROWS
    qtbot.waitUntil(lambda: len(panel._rows) == SPARE_ROWS + 8)
    assert panel._rows[-1].name == f"Version {SPARE_ROWS + 8}"
