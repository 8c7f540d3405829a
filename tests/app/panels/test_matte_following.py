"""The tree of a matte follows the grade: after undo and redo, another version and another document."""

import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from app.shell.main_window import MainWindow
from engine import Grade
from engine.mattes.tree import Matte, Node
from tests.app.conftest import begin_with
from tests.app.panels.matte_cards import A, B, C, card_matte, section_of, union, window_layer


@pytest.fixture
def raised(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[BaseException]]:
    """The exceptions of slots, which Qt hands to the hook."""
    found: list[BaseException] = []
    monkeypatch.setattr(sys, "excepthook", lambda _kind, error, _trace: found.append(error))
    yield found


def set_root(window: MainWindow, root: Node) -> None:
    window.document.edit_entry(0, window_layer(window, 0, Matte(root)), "another tree")


def selected_in(window: MainWindow) -> list[Any]:
    section = card_matte(window).section
    assert section is not None
    return [row.path for row in section.tree.rows if not row.isHidden() and row.title.isChecked()]


def shown_in(window: MainWindow) -> int:
    section = card_matte(window).section
    assert section is not None
    return sum(not row.isHidden() for row in section.tree.rows)


def undo(window: MainWindow) -> None:
    window.document.undo()


def show_version(window: MainWindow) -> None:
    """What a step of A/B does: the grade of another version."""
    window.document.open_grade(Grade([window_layer(window, 0, Matte(A)), *window.document.entries[1:]]), None)


@pytest.mark.parametrize("back", [undo, show_version])
def test_a_selected_node_that_is_gone(
    graded: MainWindow, raised: list[BaseException], back: Callable[[MainWindow], None]
):
    section_of(graded, A)
    set_root(graded, union(A, B, C))
    graded.workspace.matte_selection.select((2,))
    assert selected_in(graded) == [(2,)]
    back(graded)
    assert not raised
    assert graded.workspace.matte_selection.node in (None, ())


def test_a_selected_node_that_comes_back(graded: MainWindow, raised: list[BaseException]):
    section_of(graded, A)
    set_root(graded, union(A, B, C))
    graded.workspace.matte_selection.select((2,))
    graded.document.undo()
    assert shown_in(graded) == 1
    graded.document.redo()
    assert not raised
    assert shown_in(graded) == 4 and selected_in(graded) == [(2,)]


def test_another_document_has_a_node_of_its_own(graded: MainWindow, raised: list[BaseException]):
    section_of(graded, union(A, B, C))
    selection, documents = graded.workspace.matte_selection, graded.workspace.open_documents
    first = graded.document
    selection.select((2,))
    other = documents.new()
    begin_with(other, Grade([window_layer(graded, 0, Matte(A))]))
    card_matte(graded).open(True)
    documents.show(first)
    assert selection.node == (2,)
    documents.show(other)
    assert selection.node is None
    assert not raised
