"""Rows of the stack: open and folded, options in their menu, and where the focus goes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication

from app.model.session import Session, load_session, save_session
from app.panels import spare_cards
from app.panels.card_folding import ALONE
from app.panels.cards import OpCard
from app.shell.main_window import MainWindow
from app.widgets.fields import NumberField
from app.widgets.wheel import ColourWheel
from engine import FileLook, Grade, ops
from engine.grade.grade import bare, layer_of
from tests.app.hands import CTRL, LEFT, SHIFT, Key, drag, drop
from tests.app.panels.acting import choose, menu_of, show
from tests.typed import expect

LONG = [ops.Exposure(0.1), ops.Saturation(1.2), ops.Contrast(1.3), ops.Matrix(), ops.Range(), ops.GradingPrimary()]


def opened_of(window: MainWindow) -> list[int]:
    return [at for at, card in enumerate(window.panel.cards) if card.is_open]


def settle(window: MainWindow, qtbot: Any) -> None:
    qtbot.waitUntil(lambda: window.panel.complete)
    QApplication.processEvents()


def test_a_folded_card_is_a_row_of_28_pixels(graded: MainWindow, qtbot: Any):
    graded.document.open_grade(Grade(LONG), None)
    settle(graded, qtbot)
    assert opened_of(graded) == [5], "a long grade opens its current entry alone"
    rows = [card for card in graded.panel.cards if not card.is_open]
    assert [card.height() for card in rows] == [28 - 2] * 5, "and the border of the style sheet"
    assert [card._body for card in rows[3:]] == [None] * 2, "nothing is built for what was never shown"
    graded.document.open_grade(Grade(LONG[:4]), None)
    settle(graded, qtbot)
    assert opened_of(graded) == [0, 1, 2, 3]
    for card in graded.panel.cards:
        assert [button.text() for button in (card.solo, card.bypass)] == ["S", ""]
        assert card.title.geometry().right() <= card.mix.mapTo(card, QPoint()).x()


def test_others_are_collapsed_by_a_key_and_all_are_opened(graded: MainWindow, qtbot: Any):
    graded.panel.select(1, focus=True)
    qtbot.keyClick(graded, Key.Key_O, SHIFT)
    assert opened_of(graded) == [1]
    qtbot.keyClick(graded, Key.Key_U, SHIFT)
    settle(graded, qtbot)
    assert opened_of(graded) == [0, 1, 2]
    assert all(card.body.isVisible() for card in graded.panel.cards)
    assert graded.document.steps == 0


def test_others_stay_as_they_are_unless_only_the_selected_one_is_kept_open(graded: MainWindow, qtbot: Any):
    panel, action = graded.panel, graded.actions_by_name["open_alone"]
    qtbot.mouseClick(panel.cards[2].title, LEFT)
    qtbot.mouseClick(panel.cards[0].title, LEFT)
    assert opened_of(graded) == [1]
    qtbot.mouseClick(panel.cards[0].title, LEFT)
    assert opened_of(graded) == [0, 1]
    action.trigger()
    assert action.isChecked() and graded.workspace.settings.get(ALONE, False)
    assert opened_of(graded) == [0]
    qtbot.mouseClick(panel.cards[2].title, LEFT)
    assert opened_of(graded) == [2]
    panel.add(ops.Blur)
    assert opened_of(graded) == [3]
    action.trigger()
    qtbot.mouseClick(panel.cards[0].title, LEFT)
    assert not action.isChecked() and opened_of(graded) == [0, 3]


def test_a_step_opens_the_row_until_the_next_step(graded: MainWindow, qtbot: Any):
    graded.document.open_grade(Grade(LONG), None)
    panel = graded.panel
    panel.cards[5].title.setFocus()
    qtbot.keyClick(panel.cards[5].title, Key.Key_Up)
    assert opened_of(graded) == [4, 5]
    qtbot.keyClick(panel.cards[4].title, Key.Key_Up)
    assert opened_of(graded) == [3, 5], "what the user opened stays"
    settle(graded, qtbot)
    assert panel.cards[3].body.isVisible() and panel.at == 3
    qtbot.mouseClick(panel.cards[1].bypass, LEFT)
    assert opened_of(graded) == [3, 5], "a switch of a row selects it; nothing moves under the hand"
    assert panel.at == 1


def test_each_document_keeps_what_is_open(graded: MainWindow, qtbot: Any):
    graded.panel.select(1, focus=True)
    graded.panel.fold_others()
    first, documents = graded.document, graded.workspace.open_documents
    documents.new()
    graded.document.open_grade(Grade(LONG), None)
    documents.show(first)
    assert opened_of(graded) == [1]
    documents.show(graded.workspace.documents[1])
    assert opened_of(graded) == [5]
    graded.document.undo()
    assert opened_of(graded) == [0, 1], "the grade of before"


def test_a_session_keeps_what_is_open(graded: MainWindow, tmp_path: Path, qtbot: Any):
    graded.panel.select(1, focus=True)
    graded.panel.fold_others()
    qtbot.mouseClick(graded.panel.cards[2].title, LEFT)
    assert graded.document.open_entries == (False, True, True)
    save_session(Session((graded.document.state,)), tmp_path / "kept.tessera")
    state = load_session(tmp_path / "kept.tessera").documents[0]
    documents = graded.workspace.open_documents
    other = documents.new(shown=False)
    other.restore(state)
    documents.show(other)
    assert opened_of(graded) == [1, 2]
    older = json.loads((tmp_path / "kept.tessera").read_text(encoding="utf-8"))
    del older["documents"][0]["open"]
    (tmp_path / "kept.tessera").write_text(json.dumps(older), encoding="utf-8")
    assert load_session(tmp_path / "kept.tessera").documents[0].open_entries == ()


def test_options_are_in_the_menu_and_in_the_body_while_they_differ(graded: MainWindow, qtbot: Any):
    card = show(graded, ops.Cdl(), ops.RgbHsv())
    assert {"style", "direction"}.isdisjoint(card.editors)
    assert "direction" in graded.panel.cards[1].editors, "it has nothing else"
    menu = menu_of(graded, card, qtbot)
    assert [action.text() for action in menu.actions()][:2] == ["Style", "Direction"]
    menu.close()
    choose(graded, card, "Style", "asc", qtbot)
    assert graded.document.grade.entries[0] == ops.Cdl(style="asc")
    assert graded.document.undo_text == "CDL style"
    box = card.editors["style"].box
    assert box.isVisible() and box.currentText() == "asc"
    box.setFocus()
    qtbot.keyClick(box, Key.Key_Up)
    assert graded.document.grade.entries[0] == ops.Cdl()
    assert box.isVisible(), "it does not vanish under the hand"
    card.title.setFocus()
    choose(graded, card, "Direction", "reverse", qtbot)
    assert not box.isVisible() and card.editors["direction"].isVisible()
    graded.document.undo()
    assert not card.editors["direction"].isVisible()


def test_the_style_of_another_body_keeps_the_focus(graded: MainWindow, qtbot: Any):
    card = show(graded, ops.GradingPrimary(style="linear"))
    card.editors["style"].box.setFocus()
    for key, style in ((Key.Key_Up, "log"), (Key.Key_Down, "linear"), (Key.Key_Down, "video")):
        qtbot.keyClick(QApplication.focusWidget(), key)
        assert expect(ops.GradingPrimary, graded.document.grade.entries[0]).style == style
        assert QApplication.focusWidget() is card.editors["style"].box
    card.editors["saturation"].row.box.setFocus()
    graded.document.undo()
    assert QApplication.focusWidget() is card.editors["saturation"].row.box


@pytest.mark.parametrize(
    ("kind", "control"),
    [
        (ops.Contrast, lambda card: card.editors["contrast"].row.box),
        (ops.Cdl, lambda card: card.findChildren(ColourWheel)[0]),
        (ops.GradingRgbCurve, lambda card: card.body.plot),
        (ops.RgbHsv, lambda card: card.editors["direction"].box),
    ],
)
def test_a_new_op_is_selected_visible_and_has_the_focus(graded: MainWindow, qtbot: Any, kind: Any, control: Any):
    graded.document.open_grade(Grade([ops.Exposure(0.1), ops.Blur(), ops.GradingRgbCurve.straight()]), None)
    graded.panel.select(2)
    graded.panel.add(kind)
    card = graded.panel.cards[3]
    assert graded.panel.at == 3 and card.is_open and card.property("current")
    assert QApplication.focusWidget() is control(card)
    port = graded.panel.stack.area.viewport()
    settle(graded, qtbot)
    qtbot.waitUntil(lambda: port.rect().contains(card.title.mapTo(port, card.title.rect().bottomRight())))
    if card.height() < port.height():
        assert port.rect().contains(card.mapTo(port, card.rect().bottomRight()))


def test_a_number_of_a_new_op_is_typed_at_once(graded: MainWindow, qtbot: Any):
    qtbot.keyClick(graded, Key.Key_A, SHIFT)
    qtbot.keyClicks(graded.panel.footer.op_menu.search, "satu")
    qtbot.keyClick(graded.panel.footer.op_menu.search, Key.Key_Return)
    qtbot.keyClicks(QApplication.focusWidget(), "0.5")
    qtbot.keyClick(QApplication.focusWidget(), Key.Key_Return)
    assert graded.document.grade.entries[-1] == ops.Saturation(0.5)


def test_a_file_that_is_added_is_selected_and_has_the_focus(graded: MainWindow, qtbot: Any, cube: Path):
    drop(graded.canvas, cube)
    qtbot.waitUntil(lambda: len(graded.panel.cards) == 4)
    card = graded.panel.cards[3]
    assert graded.panel.at == 3 and card.is_open and card.mix.hasFocus()
    qtbot.keyClick(card.mix, Key.Key_PageDown)
    assert graded.document.grade.running[3] and card.mix.number == 90.0
    graded.panel.select(0, focus=True)
    graded.document.add(FileLook("/looks/a.cube", ()), "adding a.cube")
    assert graded.panel.at == 4 and graded.panel.cards[0].title.hasFocus(), "such as from the LUT wall"
    choose(graded, card, "Interpolation", "linear", qtbot)
    qtbot.waitUntil(lambda: expect(FileLook, bare(graded.document.grade.entries[3])).interpolation == "linear")
    assert card.box.isVisible()


def test_a_drag_of_a_number_selects_its_entry(graded: MainWindow, qtbot: Any):
    graded.panel.select(0, focus=True)
    drag(qtbot, graded.panel.cards[2].editors["contrast"].row.label, 30)
    assert graded.panel.at == 2
    assert expect(ops.Contrast, graded.document.grade.entries[2]).contrast > 1.3
    assert graded.document.steps == 1
    qtbot.keyClick(graded, Key.Key_D)
    assert not layer_of(graded.document.grade.entries[2]).enabled


def test_an_answer_for_another_document_leaves_this_one_alone(graded: MainWindow, cube: Path):
    graded.workspace.open_documents.new()
    graded.panel.select(0, focus=True)
    graded.files.entry_added.emit(graded.workspace.documents[0], 1)
    assert graded.panel.at == 0 and graded.panel.cards[0].title.hasFocus()


def test_the_focus_stays_after_undo(graded: MainWindow, qtbot: Any):
    card = graded.panel.cards[1]
    assert isinstance(card, OpCard)
    track = card.editors["saturation"].row.track  # type: ignore[attr-defined]
    track.setFocus()
    qtbot.keyClick(track, Key.Key_Right)
    qtbot.keyClick(graded, Key.Key_Z, CTRL)
    assert track.hasFocus()
    graded.panel.select(0)
    graded.panel.add(ops.Contrast)
    qtbot.keyClick(graded, Key.Key_Z, CTRL)
    assert len(graded.panel.cards) == 3
    assert graded.panel.cards[graded.panel.at].title.hasFocus(), "what had it is gone"
    track.setFocus(Qt.FocusReason.OtherFocusReason)
    graded.panel.select(0)
    graded.document.remove(0, "removal")
    graded.document.undo()
    assert track.hasFocus(), "its card was used again"


def test_the_entry_that_keys_apply_to_is_marked_even_if_none_is_selected(graded: MainWindow, qtbot: Any):
    def marked() -> list[int]:
        return [at for at, card in enumerate(graded.panel.cards) if card.property("current")]

    assert (graded.document.selected, marked()) == (-1, [2])
    graded.actions_by_name["entry_bypass"].trigger()
    assert not layer_of(graded.document.grade.entries[2]).enabled
    graded.panel.select(0)
    assert marked() == [0]
    graded.document.open_grade(Grade(LONG), None)
    assert marked() == [graded.document.current_entry]


def test_a_folded_row_has_no_switch_between_wheels_and_sliders(graded: MainWindow, qtbot: Any):
    graded.document.open_grade(Grade([ops.Cdl(), *LONG]), None)
    card = graded.panel.cards[0]
    assert isinstance(card, OpCard) and card.switch is not None
    assert not card.is_open and card.switch.isHidden()
    card.open()
    assert not card.switch.isHidden()
    card.open(False)
    card.give_focus()
    assert graded.focusWidget() is card.title


def test_cards_of_removed_entries_are_used_again(graded: MainWindow, qtbot: Any):
    before = [*graded.panel.cards]
    graded.document.open_grade(Grade([ops.Blur(3.0)]), None)
    settle(graded, qtbot)
    assert all(card.isHidden() and card.is_spare for card in before)
    graded.document.open_grade(Grade([ops.Contrast(1.3), ops.Saturation(0.4)]), None)
    settle(graded, qtbot)
    card = expect(OpCard, graded.panel.cards[1])
    assert card is before[1]
    assert (card.isVisible(), card.is_spare, expect(ops.Saturation, card.op).saturation) == (True, False, 0.4)
    assert graded.panel.cards[0].is_open, "as a new card is"


def test_few_cards_are_kept_and_none_with_a_table(graded: MainWindow, qtbot: Any):
    stack = graded.panel.stack
    graded.document.open_grade(Grade([ops.Exposure(0.1)] * 30 + [ops.GradingRgbCurve.straight()]), None)
    assert len(stack.cards) == 31
    graded.document.open_grade(Grade([ops.Blur(3.0)]), None)
    assert len(stack._spare.cards) == spare_cards.MOST
    assert {type(expect(OpCard, card).op) for card in stack._spare.cards} == {ops.Exposure}


def test_no_cards_are_kept_once_nothing_is_open(graded: MainWindow, qtbot: Any):
    stack = graded.panel.stack
    graded.document.open_grade(Grade([ops.Blur(3.0)]), None)
    qtbot.wait(20)
    assert stack._spare.cards
    graded.workspace.open_documents.close(graded.document)
    qtbot.waitUntil(lambda: not stack._spare.cards)
    assert stack.cards and not any(card.is_spare for card in stack.cards)


def test_the_first_field_is_found_in_a_body_that_is_visible_already(graded: MainWindow, qtbot: Any):
    card = show(graded, ops.Contrast())
    body = card._new_body()
    qtbot.waitUntil(body.isVisible)
    assert body.first_control() is None and body.advance()
    assert body.first_control() is expect(NumberField, body.editors["contrast"]).row.box
    body.deleteLater()
