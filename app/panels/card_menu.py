"""The menu of a card: its options, and the commands on its entry."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget

from app.panels.cards import Card
from app.panels.picker import add_choice
from app.widgets.field_labels import label_of


def card_menu(card: Card, choose: Callable[[str, str], object], commands: Iterable[QAction], parent: QWidget) -> QMenu:
    """Return a menu with a submenu for each option of the entry, and these commands. `choose` sets an option."""
    menu = QMenu(parent)
    menu.setToolTipsVisible(True)
    for field, kind in card.options.items():
        inner = menu.addMenu(label_of(field))
        inner.setToolTipsVisible(True)
        for value in kind.options:
            is_current = value == card.option(field)
            add_choice(inner, value, f"{kind.help}.", is_current, partial(choose, field, value))
    if not menu.isEmpty():
        menu.addSeparator()
    menu.addActions(list(commands))
    menu.aboutToHide.connect(menu.deleteLater)
    return menu
