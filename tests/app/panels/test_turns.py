"""What one turn of the event loop builds and asks: counts, as times vary."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, cast

import pytest
from PySide6.QtWidgets import QApplication

from app.panels.cards import OpCard
from app.panels.mattes.card_matte import CardMatte
from app.panels.mattes.section import MatteSection
from app.panels.mattes.source_body import SourceBody
from app.services.event_loop import BUSY_SECONDS, MOST_WAITS
from app.services.matte_editor import MatteEditor
from app.shell.main_window import MainWindow
from app.widgets.fields import NumberField
from engine import Grade, ops
from engine.mattes import HslQualifier
from tests.app.turns import compute
from tests.typed import expect


def test_the_fields_of_a_source_are_built_bit_by_bit(graded: MainWindow, qtbot: Any):
    graded.actions_by_name["matte_add_hslqualifier"].trigger()
    card = graded.panel.cards[graded.panel.at]
    assert card.findChild(SourceBody) is None, "nothing is built in the turn that adds the source"
    section = expect(MatteSection, expect(CardMatte, card.findChild(CardMatte)).section)
    body = expect(SourceBody, section.findChild(SourceBody))
    assert not body.editors, "no field in the turn that builds the section"
    qtbot.waitUntil(lambda: body.pick is not None)
    assert set(body.editors) == {field.name for field in fields(cast(Any, HslQualifier))}
    assert body.pick is not None and body.pick.isChecked(), "it picks since it was added"


def test_a_new_entry_builds_only_its_first_field_at_once(graded: MainWindow, qtbot: Any):
    graded.panel.add(ops.GradingTone)
    card = expect(OpCard, graded.panel.cards[graded.panel.at])
    assert card._body is not None
    first = len(card._body.editors)
    assert card._body.first_control() is not None
    qtbot.waitUntil(lambda: graded.panel.complete)
    assert 0 < first < len(card.editors)


def test_the_first_source_is_announced_once(graded: MainWindow, qtbot: Any):
    moves: list[object] = []
    selection = graded.workspace.matte_selection
    selection.moved.connect(lambda: moves.append(selection.node))
    graded.actions_by_name["matte_add_ellipse"].trigger()
    assert moves == [()]


def test_commands_ask_each_condition_once_for_another_image(kept: MainWindow, monkeypatch: pytest.MonkeyPatch):
    asked: list[int] = []
    can = expect(property, MatteEditor.__dict__["can_have_matte"])

    def ask(editor: MatteEditor) -> object:
        asked.append(1)
        return can.__get__(editor)

    monkeypatch.setattr(MatteEditor, "can_have_matte", property(ask))
    kept.tabs.setCurrentIndex(0)
    assert len(asked) == 1, "once for all commands, after all services have followed"
    assert not kept.actions_by_name["undo"].isEnabled()


def test_in_a_busy_turn_the_focus_goes_to_a_new_entry_later(graded: MainWindow, busy_turns: None, qtbot: Any):
    qtbot.waitUntil(lambda: graded.panel.complete)
    compute(BUSY_SECONDS + 0.002)
    graded.panel.add(ops.Contrast)
    card = expect(OpCard, graded.panel.cards[graded.panel.at])
    assert card._body is None
    qtbot.waitUntil(lambda: expect(NumberField, card.editors["contrast"]).row.box.hasFocus())


def test_it_does_not_if_another_one_was_selected_meanwhile(graded: MainWindow, busy_turns: None, qtbot: Any):
    qtbot.waitUntil(lambda: graded.panel.complete)
    compute(BUSY_SECONDS + 0.002)
    graded.panel.add(ops.Contrast)
    graded.panel.select(0, focus=True)
    title = graded.panel.cards[0].title
    for _ in range(2 * MOST_WAITS):
        QApplication.processEvents()
    assert title.hasFocus()


def test_in_a_busy_turn_one_new_card_is_made_and_several_are_not(graded: MainWindow, busy_turns: None, qtbot: Any):
    stack, document = graded.panel.stack, graded.document
    qtbot.waitUntil(lambda: stack.complete)
    compute(BUSY_SECONDS + 0.002)
    document.open_grade(Grade([*document.grade.entries, ops.Contrast()]), None)
    assert len(stack.made) == len(stack.slots)
    stack._spare.drop_all()
    document.open_grade(Grade([ops.Exposure(0.1 * at) for at in range(12)]), None)
    assert len(stack.made) < len(stack.slots)
    qtbot.waitUntil(lambda: stack.complete)
    assert len(stack.made) == len(stack.slots) == 12
