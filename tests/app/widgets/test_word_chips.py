"""Fields of words with a search, and rows of widgets."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QApplication

from app.widgets.word_chips import MOST_CHIPS, MOST_MATCHES, NumberChips, WordChips, WordSearch
from tests.app.hands import LEFT, Key

OBJECTS = ("hero_body", "hero_cape", "street_lamp", "Hero_prop", "set_floor")


def field(qtbot: Any, *words: str) -> tuple[WordChips, list[Any]]:
    chips = WordChips("Names", "Cryptomatte names", "Names of objects.", lambda: OBJECTS)
    qtbot.addWidget(chips)
    chips.resize(300, 200)
    chips.show()
    chips.set_value(words)
    QApplication.processEvents()
    edits: list[Any] = []
    chips.edited.connect(edits.append)
    return chips, edits


def test_the_search_finds_all_parts_of_a_text_in_any_case():
    matches = WordSearch().matches
    assert matches(OBJECTS, "hero") == ["hero_body", "hero_cape", "Hero_prop"]
    assert matches(OBJECTS, "o cape") == ["hero_cape"]
    assert matches(OBJECTS, "lamp") == ["street_lamp"]
    assert matches(OBJECTS, "s") == ["street_lamp", "set_floor"], "its start first"
    found = matches([*(f"object_{n}" for n in range(1000)), "9_first"], "9")
    assert len(found) == MOST_MATCHES and found[:3] == ["9_first", "object_9", "object_19"]


def test_the_search_waits_until_the_text_rests(qtbot: Any, monkeypatch: pytest.MonkeyPatch):
    searched: list[str] = []

    def matches(_: WordSearch, words: Any, text: str) -> list[str]:
        searched.append(text)
        return list(words)

    monkeypatch.setattr(WordSearch, "matches", matches)
    chips, _ = field(qtbot)
    chips._resting.setInterval(0)
    chips.field.setFocus()
    for text in ("h", "he", "her"):
        chips.field.setText(text)
        chips.field.textEdited.emit(text)
    assert not searched
    popup: Any = chips.field.completer().popup()
    qtbot.waitUntil(lambda: popup.isVisible())
    assert searched == ["her"]
    chips.field.textEdited.emit(" ")
    assert popup.model().rowCount() == 0, "an empty text has no list"
    chips.field.textEdited.emit("her")
    qtbot.keyClick(chips.field, Key.Key_Return)
    assert not chips._resting.isActive() and chips.words == ("her",)


def test_words_that_mean_nothing_are_marked_with_the_reason(qtbot: Any):
    known = set(OBJECTS)
    chips = WordChips(
        "Names",
        "Names",
        "Names.",
        list,
        doubts=lambda words: {word: "no such object" for word in words if word not in known},
    )
    qtbot.addWidget(chips)
    chips.set_value(("hero_body", "zebra"))
    good, bad = chips.chips
    assert not good.label.property("failed") and good.label.toolTip() == "hero_body"
    assert bad.label.property("failed") and bad.label.toolTip() == "zebra\nno such object"
    assert bad.accessibleDescription() == "no such object"
    known.add("zebra")
    chips.check()
    assert not bad.label.property("failed") and bad.label.toolTip() == "zebra"


def test_a_match_is_chosen_by_keys_and_by_a_click(qtbot: Any):
    chips, edits = field(qtbot)
    chips.field.setFocus()
    qtbot.keyClicks(chips.field, "her")
    popup: Any = chips.field.completer().popup()
    qtbot.waitUntil(lambda: popup.isVisible())
    assert popup.model().rowCount() == 3
    qtbot.keyClick(popup, Key.Key_Down)
    qtbot.keyClick(popup, Key.Key_Return)
    QApplication.processEvents()
    assert edits == [("hero_body",)] and chips.field.text() == ""
    qtbot.keyClicks(chips.field, "lamp")
    assert not popup.isVisible(), "what was found before does not belong to this word"
    qtbot.waitUntil(lambda: popup.isVisible())
    index = popup.model().index(0, 0)
    qtbot.mouseClick(popup.viewport(), LEFT, pos=popup.visualRect(index).center())
    QApplication.processEvents()
    assert chips.words == ("hero_body", "street_lamp") and chips.field.text() == ""


def test_words_are_added_once_and_removed_by_keys_and_clicks(qtbot: Any):
    chips, edits = field(qtbot, "a", "b", "c")
    qtbot.keyClicks(chips.field, "b")
    qtbot.keyClick(chips.field, Key.Key_Return)
    assert not edits and chips.field.text() == ""
    chips.chips[0].button.setFocus()
    qtbot.keyClick(chips.chips[0].button, Key.Key_Delete)
    assert chips.words == ("b", "c") and chips.chips[0].button.hasFocus()
    qtbot.mouseClick(chips.chips[1].button, LEFT)
    chips.field.setFocus()
    qtbot.keyClick(chips.field, Key.Key_Backspace)
    assert not chips.words and edits[-1] == ()


def test_escape_clears_the_text(qtbot: Any):
    chips, edits = field(qtbot)
    qtbot.keyClicks(chips.field, "zzz")
    qtbot.keyClick(chips.field, Key.Key_Escape)
    assert chips.field.text() == "" and not edits


def test_many_words_are_counted(qtbot: Any):
    chips, _ = field(qtbot, *(f"w{n}" for n in range(MOST_CHIPS + 5)))
    assert len(chips.chips) == MOST_CHIPS and chips.count.text() == "and 5 more"
    chips.set_value(("w0",))
    assert len(chips.chips) == 1 and chips.count.isHidden()


def test_chips_are_laid_out_in_rows_within_the_width(qtbot: Any):
    chips, _ = field(qtbot, "hero_body", "hero_cape", "street_lamp_on_the_left_side_of_the_road", "floor")
    boxes = [chip.geometry() for chip in chips.chips]
    assert all(box.right() < chips.width() and box.left() >= 0 for box in boxes)
    assert not any(one.intersects(other) for at, one in enumerate(boxes) for other in boxes[at + 1 :])
    assert chips.field.geometry().right() == chips._box.width() - 1
    assert chips.chips[2].label.toolTip() == "street_lamp_on_the_left_side_of_the_road"
    assert boxes[-1].top() > boxes[0].top()
    assert chips.childAt(chips.chips[0].mapTo(chips, QPoint(3, 3))) is not None


def test_numbers_are_read_as_decimals_and_hexadecimals(qtbot: Any):
    chips = NumberChips("IDs", "Cryptomatte IDs", "Numbers.")
    qtbot.addWidget(chips)
    edits: list[Any] = []
    chips.edited.connect(edits.append)
    for text in ("12", "0xff", "-1", "4294967296", "1.5", "x"):
        chips.field.clear()
        qtbot.keyClicks(chips.field, text)
        qtbot.keyClick(chips.field, Key.Key_Return)
    assert edits == [(12,), (12, 255)]


def test_a_text_that_is_no_number_is_marked_until_it_is_changed(qtbot: Any):
    chips = NumberChips("IDs", "Cryptomatte IDs", "Numbers.")
    qtbot.addWidget(chips)
    tip = chips.field.toolTip()
    qtbot.keyClicks(chips.field, "1.5")
    assert not chips.field.property("failed")
    qtbot.keyClick(chips.field, Key.Key_Return)
    assert chips.field.property("failed") and chips.field.toolTip().startswith("1.5: type a whole number")
    qtbot.keyClick(chips.field, Key.Key_Backspace)
    assert not chips.field.property("failed") and chips.field.toolTip() == tip
