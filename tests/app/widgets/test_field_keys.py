"""Ctrl shortcuts work from text and number fields; what is typed goes into the field."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QApplication, QComboBox, QDoubleSpinBox, QLineEdit, QMainWindow, QVBoxLayout, QWidget

from app.widgets.field_keys import FieldKeys
from tests.app.hands import ALT, CTRL, SHIFT, Key

KEYS = (
    "Ctrl+E",
    "Ctrl+K",
    "Ctrl+D",
    "Ctrl+Z",
    "Ctrl+C",
    "Ctrl+V",
    "Ctrl+A",
    "Ctrl+Shift+E",
    "Ctrl+Alt+E",
    "E",
    "Ctrl+9",
)


class Fields(QMainWindow):
    """A window with a field of each kind, and actions that note their keys."""

    def __init__(self) -> None:
        super().__init__()
        self.number, self.text, self.choice = QDoubleSpinBox(), QLineEdit(), QComboBox()
        self.number.setSuffix(" EV")
        self.choice.addItems(["one", "two"])
        self.taken: list[str] = []
        column = QVBoxLayout(holder := QWidget())
        for field in (self.number, self.text, self.choice):
            column.addWidget(field)
        self.setCentralWidget(holder)
        for key in KEYS:
            action = QAction(key, self)
            action.setShortcut(QKeySequence(key))
            action.triggered.connect(lambda _checked, key=key: self.taken.append(key))
            self.addAction(action)
        self.keys = FieldKeys(self)


@pytest.fixture(scope="module")
def shared(qapp: Any) -> Iterator[Fields]:
    window = Fields()
    window.show()
    window.activateWindow()
    yield window
    window.close()


@pytest.fixture
def fields(shared: Fields) -> Fields:
    shared.taken.clear()
    shared.number.setValue(1.5)
    shared.text.setText("name")
    shared.setFocus()
    QApplication.processEvents()
    return shared


@pytest.mark.parametrize("field", ["number", "text", "choice"])
def test_commands_work_from_every_field(fields: Fields, field: str, qtbot: Any):
    widget = getattr(fields, field)
    widget.setFocus()
    for key in (Key.Key_E, Key.Key_K, Key.Key_D, Key.Key_Z, Key.Key_9):
        qtbot.keyClick(widget, key, CTRL)
    qtbot.keyClick(widget, Key.Key_E, CTRL | SHIFT)
    qtbot.keyClick(widget, Key.Key_E, CTRL | ALT)
    assert fields.taken == ["Ctrl+E", "Ctrl+K", "Ctrl+D", "Ctrl+Z", "Ctrl+9", "Ctrl+Shift+E", "Ctrl+Alt+E"]
    assert (fields.number.text(), fields.text.text()) == ("1.50 EV", "name")


def test_letters_and_the_keys_of_text_go_into_the_field(fields: Fields, qtbot: Any):
    fields.text.setFocus()
    fields.text.selectAll()
    qtbot.keyClick(fields.text, Key.Key_C, CTRL)
    assert QApplication.clipboard().text() == "name"
    qtbot.keyClicks(fields.text, "e")
    qtbot.keyClick(fields.text, Key.Key_V, CTRL)
    assert fields.text.text() == "ename"
    qtbot.keyClick(fields.text, Key.Key_A, CTRL)
    assert fields.text.selectedText() == "ename" and fields.taken == []
    fields.text.deselect()
    qtbot.keyClick(fields.text, Key.Key_C, CTRL)
    assert fields.taken == ["Ctrl+C"], "without a selection there is no text to copy"


def test_undo_takes_back_what_is_typed_then_edits(fields: Fields, qtbot: Any):
    fields.number.setFocus()
    fields.number.selectAll()
    qtbot.keyClicks(fields.number, "2")
    qtbot.keyClick(fields.number, Key.Key_Z, CTRL)
    assert fields.taken == [] and fields.number.text() == "1.50 EV"
    qtbot.keyClick(fields.number, Key.Key_Z, CTRL)
    assert fields.taken == ["Ctrl+Z"]
