"""The menus of pickers open at the chosen item."""

from __future__ import annotations

from functools import partial
from typing import Any

from PySide6.QtWidgets import QMenu

from app.panels.picker import Picker, add_choice
from tests.app.hands import Key


def test_a_menu_opens_at_its_choice(qtbot: Any):
    chosen = ["space 40"]

    def fill(menu: QMenu) -> None:
        for number in range(60):
            name = f"space {number}"
            add_choice(menu, name, "", name == chosen[-1], partial(chosen.append, name))

    picker = Picker("Input", "The colour space of the image", fill)
    qtbot.addWidget(picker)
    picker.show()
    menu = picker.menu()
    menu.popup(picker.mapToGlobal(picker.rect().bottomLeft()))
    qtbot.waitUntil(lambda: menu.activeAction() is not None)
    assert menu.activeAction().text() == "space 40"
    qtbot.keyClick(menu, Key.Key_Down)
    qtbot.keyClick(menu, Key.Key_Return)
    assert chosen[-1] == "space 41"
