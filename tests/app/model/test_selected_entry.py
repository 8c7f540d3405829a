"""The selected entry of a document's grade follows its entry, and belongs to the document."""

from __future__ import annotations

from typing import Any

import pytest

from app.model.document import Document
from app.model.entries import index_after
from app.shell.main_window import MainWindow
from engine import FileLook, Grade, ops
from engine.kernel.op import Op
from tests.app.conftest import begin_with

ENTRIES: dict[str, Op | FileLook] = {
    "E": ops.Exposure(0.5),
    "S": ops.Saturation(1.2),
    "C": ops.Cdl(),
    "e": ops.Exposure(1.0),
    "L": FileLook("/looks/a.cube", ()),
}


def grade_of(letters: str) -> Grade:
    return Grade([ENTRIES[letter] for letter in letters])


def copied(letters: str) -> Grade:
    """An equal grade of other objects, as sessions hold them."""
    return Grade.from_json(grade_of(letters).to_json())


@pytest.mark.parametrize(
    ("before", "index", "after", "expected"),
    [
        ("ESC", -1, "ES", -1),
        ("ESC", 1, "ESC", 1),
        ("ESC", 0, "eSC", 0),  # edited
        ("ESC", 0, "SCE", 2),  # moved
        ("ESC", 1, "SCE", 0),
        ("ESC", 1, "ESLC", 1),  # one added after it
        ("ESC", 1, "LESC", 2),  # one added before it
        ("ESC", 2, "SC", 1),  # one removed before it
        ("ESC", 1, "EC", 1),  # removed: the one in its place
        ("ESC", 2, "ES", 1),
        ("E", 0, "", -1),
        ("ESC", 1, "LL", 1),  # another grade
    ],
)
def test_the_index_follows_the_entry(before: str, index: int, after: str, expected: int):
    assert index_after(index, grade_of(before), grade_of(after)) == expected
    assert index_after(index, grade_of(before), copied(after)) == expected


def test_undo_takes_the_selection_along_and_the_selection_is_no_step():
    document = Document()
    begin_with(document, grade_of("ESC"))
    document.select(0)
    document.move_to(0, (3,), "move")
    assert document.selected == 2
    document.undo()
    assert document.selected == 0
    state = document.state
    document.select(1)
    assert document.state == state and document.steps == 0


def test_commands_apply_to_the_last_entry_while_none_is_selected():
    document = Document()
    assert (document.selected, document.current_entry) == (-1, 1)
    document.select(7)
    assert (document.selected, document.current_entry) == (1, 1)
    document.edit(Grade(), "nothing")
    assert (document.selected, document.current_entry) == (-1, -1)


def test_each_document_keeps_its_selection(window: MainWindow, qtbot: Any):
    documents, panel = window.workspace.open_documents, window.panel
    first = window.document
    begin_with(first, grade_of("ESC"))
    panel.select(1, focus=True)
    second = documents.new()
    begin_with(second, grade_of("SE"))
    assert (panel.at, [card.property("current") for card in panel.cards]) == (1, [False, True])
    panel.select(0, focus=True)
    documents.show(first)
    assert [card.property("current") for card in panel.cards] == [False, True, False]
    window.actions_by_name["entry_bypass"].trigger()
    assert first.undo_text == "bypass of Saturation" and second.steps == 0
    documents.show(second)
    assert (second.selected, first.selected) == (0, 1)
    assert [card.property("current") for card in panel.cards] == [True, False]
