"""Groups of entries in the Grade panel, by mouse and keys."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import QPoint, QPointF
from PySide6.QtWidgets import QApplication

from app.model.grade_rows import rows_of
from app.panels.group_card import GroupCard
from app.panels.mattes.card_matte import CardMatte
from app.shell.main_window import MainWindow
from app.widgets.style import restyle, sheet
from engine import Grade, Layer, ops
from engine.errors import GradeError
from engine.grade.entries import Group, bare, layer_of
from engine.mattes import Ellipse, Leaf, Matte
from tests.app.conftest import begin_with
from tests.app.hands import ALT, CTRL, LEFT, SHIFT, Key, drag
from tests.app.panels.acting import THREE, pull
from tests.typed import expect

E, S, C = THREE.entries
GROUPED = Grade([E, Group((S, C), "Skin"), ops.WhiteBalance()])


def shape(window: MainWindow) -> str:
    """Initials of the entries, groups in brackets."""

    def written(entry: Any) -> str:
        inner = bare(entry)
        return f"[{''.join(map(written, inner.entries))}]" if isinstance(inner, Group) else type(inner).__name__[0]

    return "".join(map(written, window.document.grade.entries))


def show(window: MainWindow, grade: Grade = GROUPED, opened: bool = True) -> list[Any]:
    """A grade with its groups open, laid out; its cards."""
    begin_with(window.document, grade)
    for card in window.panel.cards:
        card.open(opened and isinstance(card, GroupCard))
    while not window.panel.complete:
        QApplication.processEvents()
    QApplication.processEvents()
    return window.panel.cards


def test_marked_entries_are_grouped_by_mouse_and_keys(graded: MainWindow, qtbot: Any):
    cards = graded.panel.cards
    graded.panel.select(0)
    qtbot.mouseClick(cards[1].title, LEFT, SHIFT, QPoint(60, 10))
    assert graded.panel.moves.marked == (0, 1)
    assert [bool(card.property("marked")) for card in cards] == [True, True, False]
    qtbot.keyClick(graded, Key.Key_G, CTRL)
    assert shape(graded) == "[ES]C" and graded.document.undo_text == "grouping 2 entries"
    group = expect(GroupCard, graded.panel.cards[0])
    assert group.is_open and group.title.hasFocus() and group.group.name == "Group"
    qtbot.keyClick(graded, Key.Key_G, CTRL | SHIFT)
    assert shape(graded) == "ESC"


def test_entries_are_marked_by_keys_and_a_click_ends_that(graded: MainWindow, qtbot: Any):
    graded.panel.select(0, focus=True)
    qtbot.keyClick(graded.panel.cards[0].title, Key.Key_Down, SHIFT)
    qtbot.keyClick(graded.panel.cards[1].title, Key.Key_Down, SHIFT)
    assert graded.panel.moves.marked == (0, 2) and graded.panel.cards[2].title.hasFocus()
    qtbot.keyClick(graded.panel.cards[2].title, Key.Key_Up, SHIFT)
    assert graded.panel.moves.marked == (0, 1)
    qtbot.mouseClick(graded.panel.cards[2].title, LEFT, pos=QPoint(60, 10))
    assert graded.panel.moves.marked == (2, 2)
    assert not any(card.property("marked") for card in graded.panel.cards)


def test_one_entry_is_grouped_without_marks(graded: MainWindow, qtbot: Any):
    graded.panel.select(1)
    qtbot.keyClick(graded, Key.Key_G, CTRL)
    assert shape(graded) == "E[S]C" and graded.document.undo_text == "grouping Saturation"


def test_a_folded_group_hides_its_cards(graded: MainWindow, qtbot: Any):
    cards = show(graded)
    assert [card.isVisible() for card in cards] == [True] * 5
    assert [card.property("depth") for card in cards] == [0, 0, 1, 1, 0]
    qtbot.mouseClick(cards[1].title, LEFT, pos=QPoint(60, 10))
    assert [card.isVisible() for card in cards] == [True, True, False, False, True]
    qtbot.keyClick(cards[1].title, Key.Key_Down)
    assert cards[4].title.hasFocus(), "what is folded is left out"
    stack = graded.panel.stack
    assert stack.beside(cards[3], 1) is cards[4] and stack.beside(cards[3], 0) is cards[1], "beside the folded group"
    graded.panel.select(3, focus=True)
    assert cards[3].isVisible() and cards[1].is_open


def test_bypass_solo_and_mix_of_a_group(graded: MainWindow, qtbot: Any):
    cards = show(graded)
    qtbot.mouseClick(cards[1].bypass, LEFT)
    assert [row.runs for row in rows_of(graded.document.grade)] == [True, False, False, False, True]
    assert [card.runs for card in cards] == [True, False, False, False, True]
    graded.panel.select(1)
    qtbot.keyClick(graded, Key.Key_D)
    qtbot.mouseClick(cards[1].solo, LEFT)
    assert graded.document.grade.effective == (S, C)
    qtbot.keyClick(graded, Key.Key_S, SHIFT)
    drag(qtbot, cards[1].mix, -10)
    assert 0.5 < layer_of(graded.document.entries[1]).mix < 0.9
    assert graded.document.undo_text == "mix of Skin"


def test_an_entry_in_a_group_is_edited(graded: MainWindow, qtbot: Any):
    cards = show(graded)
    cards[2].open()
    drag(qtbot, cards[2].editors["saturation"].row.track, 30)
    group = expect(Group, graded.document.entries[1])
    assert expect(ops.Saturation, group.entries[0]).saturation > 1.2 and group.entries[1] == C
    qtbot.mouseClick(cards[3].bypass, LEFT)
    assert expect(Group, graded.document.entries[1]).entries[1] == Layer(ops.Contrast(1.3), enabled=False)
    assert graded.panel.at == 3


def test_an_operation_is_added_in_the_group_of_the_current_entry(graded: MainWindow):
    show(graded)
    graded.panel.select(2)
    graded.panel.add(ops.Exposure)
    assert shape(graded) == "E[SEC]W" and graded.panel.at == 3
    graded.panel.select(1)
    graded.panel.add(ops.Exposure)
    assert shape(graded) == "E[SEC]EW" and graded.panel.at == 5, "behind a group, not in it"


def test_entries_are_moved_by_keys_into_a_group_and_out(graded: MainWindow, qtbot: Any):
    cards = show(graded)
    graded.panel.select(0, focus=True)
    moves = []
    for _ in range(4):
        qtbot.keyClick(graded, Key.Key_Down, ALT)
        moves.append(shape(graded))
    assert moves == ["[ESC]W", "[SEC]W", "[SCE]W", "[SC]EW"]
    qtbot.keyClick(graded, Key.Key_Up, ALT)
    assert shape(graded) == "[SCE]W"
    cards = show(graded, opened=False)
    cards[0].title.setFocus()
    qtbot.keyClick(graded, Key.Key_Down, ALT)
    assert shape(graded) == "[SC]EW", "past a folded group"


def test_entries_are_dragged_into_a_group_and_out(graded: MainWindow, qtbot: Any):
    cards = show(graded)

    def centre(card: Any) -> int:
        return int(card.title.mapTo(graded.panel, QPoint(0, 12)).y())

    pull(cards[0].title, QPointF(40, 12), QPointF(0, centre(cards[3]) - centre(cards[0]) + 4), qtbot)
    assert shape(graded) == "[SCE]W", "on the last card of a group: into it"
    pull(cards[0].title, QPointF(40, 12), QPointF(0, 0), qtbot)
    cards = graded.panel.cards
    last = cards[4]
    pull(cards[3].title, QPointF(40, 12), QPointF(0, centre(last) - centre(cards[3]) - 4), qtbot)
    assert shape(graded) == "[SC]EW", "on the card below it: behind it"


def test_a_group_is_renamed(graded: MainWindow, qtbot: Any):
    card = expect(GroupCard, show(graded)[1])
    card.name_edit.selectAll()
    qtbot.keyClicks(card.name_edit, "Faces")
    qtbot.keyClick(card.name_edit, Key.Key_Return)
    assert expect(Group, graded.document.entries[1]).name == "Faces"
    assert graded.panel.cards[1] is card and card.title.text() == "Faces"
    assert card.bypass.accessibleName() == "Bypass Faces"
    assert graded.document.undo_text == "renaming Skin"
    graded.document.undo()
    assert card.title.text() == "Skin" and card.name_edit.text() == "Skin"


def test_ungrouping_what_would_lose_a_matte_asks(graded: MainWindow, qtbot: Any):
    show(graded, Grade([E, Group((S, C), "Skin", matte=Matte(Leaf(Ellipse())))]))
    graded.panel.select(1)
    qtbot.keyClick(graded, Key.Key_G, CTRL | SHIFT)
    assert shape(graded) == "E[SC]" and "Skin has a matte" in graded.bar.text
    graded.bar.button.click()
    assert shape(graded) == "ESC"


def test_a_group_has_a_matte(graded: MainWindow, qtbot: Any):
    cards = show(graded)
    graded.panel.select(1)
    graded.actions_by_name["matte_add_ellipse"].trigger()
    assert isinstance(expect(Group, graded.document.entries[1]).matte, Matte)
    section = expect(CardMatte, cards[1].findChild(CardMatte)).section
    assert section is not None and section.isVisible()
    graded.panel.select(2)
    graded.actions_by_name["matte_add_rectangle"].trigger()
    inner = expect(Group, graded.document.entries[1]).entries[0]
    assert layer_of(inner).matte is not None and expect(Group, graded.document.entries[1]).matte is not None


def test_only_groups_are_ungrouped(graded: MainWindow):
    show(graded)
    enabled = []
    for at in (0, 1, 2):
        graded.panel.select(at)
        enabled.append(graded.actions_by_name["ungroup"].isEnabled())
    assert enabled == [False, True, False]


def test_groups_too_deep_are_refused(graded: MainWindow):
    graded.panel.select(0)
    for _ in range(17):
        graded.actions_by_name["group"].trigger()
        graded.panel.select(0)
    assert "deep" in graded.bar.text
    assert shape(graded) == "[" * 16 + "E" + "]" * 16 + "SC"


@pytest.mark.parametrize("alone", [True, False])
def test_collapsing_others_keeps_the_groups_around_open(graded: MainWindow, alone: bool):
    cards = show(graded)
    cards[0].open()
    graded.panel.select(3)
    graded.panel.fold_others()
    assert [card.is_open for card in cards] == [False, True, False, True, False]


def test_an_entry_that_the_grade_can_not_have_is_refused(graded: MainWindow, monkeypatch: pytest.MonkeyPatch):
    show(graded)
    graded.panel.select(1)
    before, lines = graded.document.grade, list[str]()
    monkeypatch.setattr(graded.workspace.messages, "warn", lines.append)

    def refuse(*_: Any) -> Any:
        raise GradeError("no")

    monkeypatch.setattr("app.model.document.index_after", refuse)
    graded.panel.add(ops.Saturation)
    graded.workspace.actions["entry_duplicate"].trigger()
    assert lines == ["no", "no"]
    assert graded.document.grade is before and graded.document.undo_text == ""


def test_a_group_that_was_removed_is_not_renamed(graded: MainWindow):
    card = expect(GroupCard, show(graded)[1])
    graded.document.remove(1, "removal")
    left = graded.document.grade
    card.renamed.emit("Late")
    assert graded.document.grade is left


def test_the_style_of_a_card_is_applied_again_only_where_it_changes(graded: MainWindow, qtbot: Any):
    graded.panel.setStyleSheet(sheet())
    cards = show(graded)
    port = graded.panel.stack

    def indents() -> list[int]:
        return [(card.title.mapTo(port, QPoint()).x() - cards[0].title.mapTo(port, QPoint()).x()) for card in cards]

    qtbot.waitUntil(lambda: indents() == [0, 0, 12, 12, 0])
    assert restyle(cards[4], "depth", 1) and not restyle(cards[4], "depth", 1) and restyle(cards[4], "depth", 0)
    new = graded.panel._new_card(layer_of(E), False)
    assert not restyle(new, "depth", 2), "the sheet is applied when it is shown"
    assert new.property("depth") == 2 and not restyle(cards[4], "unknown", False)
    new.deleteLater()
    graded.panel.setStyleSheet("")
