"""A small window that the hands of the monkey use, whose parts run event loops of their own.

`python -m tests.nested_loops` prints as JSON what came of each; it ends with an error where a loop does not end.
"""

from __future__ import annotations

import faulthandler
import json
import random
from functools import partial
from typing import Any

from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QDialog,
    QHBoxLayout,
    QListWidget,
    QMenu,
    QMessageBox,
    QToolButton,
    QWidget,
)

from tests.benchmarks.turns import Turns
from tools.monkey.hands import Hands

LIMIT = 60.0
"""Seconds; everything together takes a few."""
DRAGS = 12


class Window(QWidget):
    """A list to drag from, one to drop on, and a button that shows a menu when it is pressed."""

    workspace = None

    def __init__(self) -> None:
        super().__init__()
        mode = QAbstractItemView.DragDropMode
        self.source, self.target, self.button = QListWidget(), QListWidget(), QToolButton()
        self.source.addItems([f"still {n}" for n in range(40)])
        self.source.setDragDropMode(mode.DragOnly)
        self.target.setDragDropMode(mode.DropOnly)
        menu = QMenu(self.button)
        menu.addAction("Rename")
        self.button.setMenu(menu)
        self.button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        layout = QHBoxLayout(self)
        for widget in (self.source, self.target, self.button):
            layout.addWidget(widget)
        self.resize(600, 400)


def use() -> dict[str, Any]:
    app = QApplication([])
    window, turns = Window(), Turns(app)
    window.show()
    hands = Hands(window, turns, random.Random(1), [], [], [])
    turns.spin(0.2)
    found: dict[str, Any] = {"drags": 0}
    for _ in range(DRAGS):
        acted = hands._loops.acted
        hands._drag(window.source.viewport(), 80, 40)
        found["drags"] += hands._loops.acted > acted
    found["dropped"] = window.target.count()
    hands._drag(window.button, 5, 5)
    turns.call(window.button.menu().exec)
    turns.call(QDialog(window).exec)
    box = QMessageBox(QMessageBox.Icon.Question, "", "Replace?", QMessageBox.StandardButton.Yes, window)
    box.addButton(QMessageBox.StandardButton.No)
    turns.call(box.exec)
    turns.call(partial(_from_a_loop, window))
    return found


def _from_a_loop(window: Window) -> None:
    """A menu from which a dialog is opened, so that a loop is within the second."""
    menu, dialog = QMenu(window), QDialog(window)
    menu.aboutToHide.connect(dialog.exec)
    menu.exec()


if __name__ == "__main__":
    faulthandler.dump_traceback_later(LIMIT, exit=True)
    print(json.dumps(use()))
