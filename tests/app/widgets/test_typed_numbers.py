"""Numbers typed into the boxes of the panels."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import Qt

from app.shell.main_window import MainWindow
from app.widgets.arithmetic import number_of
from engine import ops
from tests.app.hands import Key, row
from tests.typed import expect


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *(("1.5", 1.5), ("1,5", 1.5), (".5", 0.5), ("-2", -2.0), ("+1", 1.0), ("007", 7.0), ("1e-3", 0.001)),
        *(("1/4", 0.25), ("2*0.18", 0.36), ("1-(2+3)*4", -19.0), ("100.05", 100.05), (" 2 ", 2.0)),
        *(("", None), ("-", None), ("1/0", None), ("1e400", None), ("2**9", None), ("1 2", None), ("1,5,2", None)),
        *(("9" * 400, None), ("(" * 60, None), ("nan", None), ("1e", None)),
    ],
)
def test_what_a_text_says(text: str, value: float | None):
    assert number_of(text) == (None if value is None else pytest.approx(value, rel=1e-15))


@pytest.mark.parametrize(("typed", "stops"), [("1,5", 1.5), ("1/4", 0.25), ("1e400", 2.0), ("nan", 2.0), ("3..", 2.0)])
def test_what_is_typed_is_taken_or_left_but_never_another_number(
    opened: MainWindow, typed: str, stops: float, qtbot: Any
):
    box = row(opened).box
    for text in ("2", typed):
        box.setFocus()
        box.selectAll()
        qtbot.keyClicks(box, text)
        qtbot.keyClick(box, Key.Key_Return)
    assert expect(ops.Exposure, opened.document.grade.entries[0]).stops == stops
    assert box.value() == stops


def test_escape_gives_up_what_was_typed(opened: MainWindow, qtbot: Any):
    box = row(opened).box
    box.setFocus()
    box.selectAll()
    qtbot.keyClicks(box, "5")
    qtbot.keyClick(box, Qt.Key.Key_Escape)
    assert expect(ops.Exposure, opened.document.grade.entries[0]).stops == 0.0
    assert box.text().startswith("0.00") and not box.hasFocus()
