"""What one turn of the event loop builds and asks: counts, as times vary."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, cast

import pytest

from app.panels.cards import OpCard
from app.panels.mattes.card_matte import CardMatte
from app.panels.mattes.section import MatteSection
from app.panels.mattes.source_body import SourceBody
from app.services.matte_editor import MatteEditor
from app.shell.main_window import MainWindow
from engine import ops
from engine.mattes import HslQualifier
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
