"""The cards of a long grade are made over several turns of the event loop."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from PySide6.QtWidgets import QApplication

from app.panels import card_stack
from app.panels.card_folding import ALONE
from app.panels.card_stack import CardStack
from app.panels.cards import OpCard
from app.shell.main_window import MainWindow
from app.widgets import gradual
from engine import Grade, Layer, ops
from engine.grade.entries import Group
from engine.kernel.op import Op
from tests.app.hands import CTRL, Key
from tests.typed import expect

COUNT = 12


@pytest.fixture
def slow(graded: MainWindow, monkeypatch: pytest.MonkeyPatch) -> MainWindow:
    """A window with no card, which makes one in each turn, as where that takes long."""
    graded.document.open_grade(Grade([]), None)
    graded.panel.stack._spare.drop_all()
    for module in (card_stack, gradual):
        monkeypatch.setattr(module, "MAKING_SECONDS", 0.0)
    return graded


def long_grade() -> Grade:
    return Grade([ops.Exposure(0.1 * at) for at in range(COUNT)])


def stops(stack: CardStack) -> list[float]:
    """What the cards show from top to bottom."""
    cards = sorted(stack.made, key=lambda card: card.y())
    return [expect(ops.Exposure, expect(OpCard, card).op).stops for card in cards]


def test_one_turn_makes_some_cards_and_the_next_ones_the_others(slow: MainWindow, qtbot: Any):
    stack = slow.panel.stack
    slow.document.open_grade(long_grade(), None)
    assert len(stack.made) == 1 and not slow.panel.complete
    counts = {1}
    while not slow.panel.complete:
        QApplication.processEvents()
        counts.add(len(stack.made))
    assert counts == {*range(1, COUNT + 1)}, "in each turn one more"
    QApplication.processEvents()
    assert stops(stack) == [0.1 * at for at in range(COUNT)]
    assert [card.is_open for card in stack.cards] == [False] * (COUNT - 1) + [True]
    assert not stack.minimumHeight()


def test_cards_of_the_grade_before_are_gone_at_once(slow: MainWindow):
    slow.document.open_grade(Grade([ops.Contrast(1.1), ops.Saturation(0.5)]), None)
    before = slow.panel.cards
    slow.document.open_grade(long_grade(), None)
    assert not any(card.isVisible() for card in before)


def test_a_card_is_made_at_once_where_it_is_needed(slow: MainWindow):
    panel = slow.panel
    slow.document.open_grade(long_grade(), None)
    panel.select(8, focus=True)
    made = panel.stack.made
    assert [expect(ops.Exposure, expect(OpCard, card).op).stops for card in made] == [0.0, 0.8]
    assert slow.focusWidget() is made[1].title
    panel.add(ops.Contrast)
    added = expect(OpCard, panel.stack.card(9))
    assert isinstance(added.op, ops.Contrast) and added.isAncestorOf(slow.focusWidget())
    assert len(panel.stack.made) < COUNT
    assert len(panel.cards) == COUNT + 1 == len(panel.stack.made), "whoever asks for all gets all"


def test_edits_reach_cards_that_are_not_made_yet(slow: MainWindow, qtbot: Any):
    document, stack = slow.document, slow.panel.stack
    document.open_grade(long_grade(), None)
    document.edit_entry(10, Layer(ops.Exposure(2.5), mix=0.5), "an edit")
    document.remove(9, "a removal")
    qtbot.waitUntil(lambda: slow.panel.complete)
    QApplication.processEvents()
    assert stops(stack) == [*(0.1 * at for at in range(9)), 2.5, 1.1]
    assert stack.cards[9].mix.number == 50.0
    document.undo()
    assert len(stack.made) == COUNT
    QApplication.processEvents()
    assert stops(stack)[9:] == [0.9, 2.5, 1.1]


def test_awaited_cards_stay_open_or_folded_as_they_were_left(slow: MainWindow, qtbot: Any):
    documents, stack = slow.workspace.open_documents, slow.panel.stack
    first = slow.document
    first.open_grade(long_grade(), None)
    slow.panel.cards[7].open()
    opened = tuple(card.is_open for card in stack.cards)
    second = documents.new()
    second.open_grade(Grade([ops.Contrast(1.1)] * COUNT), None)
    stack._spare.drop_all()
    for _ in range(3):  # back and forth before the cards are made
        documents.show(first)
        assert first.open_entries == opened and len(stack.made) < COUNT
        documents.show(second)
    documents.show(first)
    qtbot.waitUntil(lambda: slow.panel.complete)
    assert tuple(card.is_open for card in stack.cards) == first.open_entries == opened
    documents.close(second)


def test_cards_of_folded_groups_are_made_hidden(slow: MainWindow, qtbot: Any):
    stack = slow.panel.stack
    slow.document.open_grade(Grade([Group(tuple(long_grade().entries)), ops.Contrast(1.1)]), None)
    slow.panel.stack.card(0).open(False)
    qtbot.waitUntil(lambda: slow.panel.complete)
    QApplication.processEvents()
    assert [card.isVisible() for card in stack.cards] == [True] + [False] * COUNT + [True]
    stack.card(0).open()
    QApplication.processEvents()
    assert all(card.isVisible() for card in stack.cards)


def test_one_entry_alone_is_open_when_its_card_is_awaited(slow: MainWindow, qtbot: Any):
    slow.workspace.settings.set(ALONE, True)
    try:
        slow.document.open_grade(long_grade(), None)
        slow.panel.add(ops.Contrast)
        assert len(slow.panel.stack.made) < COUNT
        qtbot.waitUntil(lambda: slow.panel.complete)
        assert [card.is_open for card in slow.panel.cards] == [False] * COUNT + [True]
    finally:
        slow.workspace.settings.set(ALONE, False)


def test_kept_cards_wait_for_their_turn_too(slow: MainWindow, qtbot: Any):
    stack = slow.panel.stack
    slow.document.open_grade(long_grade(), None)
    before = slow.panel.cards
    slow.document.open_grade(Grade([ops.Contrast(1.1)]), None)
    assert all(card.is_spare for card in before)
    slow.document.open_grade(long_grade(), None)
    assert len(stack.made) == 1
    slow.document.open_grade(Grade([ops.Contrast(1.1)]), None)
    slow.document.open_grade(replace_first(long_grade(), ops.Exposure(9.0)), None)
    qtbot.waitUntil(lambda: slow.panel.complete)
    assert {*stack.cards} == {*before}, "none of them is lost, and none is made anew"
    QApplication.processEvents()
    assert stops(stack)[:2] == [9.0, 0.1]


def replace_first(grade: Grade, op: Op) -> Grade:
    return replace(grade, entries=(op, *grade.entries[1:]))


def test_keys_step_through_awaited_cards(slow: MainWindow, qtbot: Any):
    slow.document.open_grade(long_grade(), None)
    slow.panel.select(0, focus=True)
    for at in range(1, COUNT):
        qtbot.keyClick(slow.focusWidget(), Key.Key_Down)
        assert slow.panel.at == at and slow.focusWidget() is slow.panel.stack.card(at).title
    qtbot.keyClick(slow, Key.Key_Z, CTRL)
