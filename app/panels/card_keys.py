"""The diamonds and key menus of the cards of the Grade panel."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QObject, QPoint
from PySide6.QtWidgets import QMenu

from app.panels.entry_cards import EntryCard
from app.panels.key_menu import key_menu
from app.services.keyframes import Keyframes
from app.widgets.key_mark import KeyFocus


class CardKeys(QObject):
    """Edits the keys of the controls of cards."""

    def __init__(self, keyframes: Keyframes, index: Callable[[EntryCard], int], parent: QObject) -> None:
        """`index` returns the index of the entry of a card; -1 if it was removed."""
        super().__init__(parent)
        self._keyframes, self._index = keyframes, index
        self._focus = KeyFocus(self)

    def connect_card(self, card: EntryCard, menu: Callable[[], QMenu]) -> None:
        """Follow the diamonds of a card; `menu` returns the menu of its entry."""
        card.key_toggled.connect(partial(self._toggle, card))
        card.key_menu_wanted.connect(partial(self._show_menu, card, menu))

    def _toggle(self, card: EntryCard, paths: Sequence[str], name: str) -> None:
        index = self._index(card)
        if index >= 0:
            self._keyframes.current.document.select(index)
            self._keyframes.toggle(index, paths, name)

    def _show_menu(
        self, card: EntryCard, of_entry: Callable[[], QMenu], paths: Sequence[str], name: str, where: QPoint
    ) -> None:
        index = self._index(card)
        if index >= 0:
            self._keyframes.current.document.select(index)
            menu = key_menu(self._keyframes, index, paths, name, card)
            menu.addSeparator()
            inner = of_entry()
            inner.setTitle(card.name.replace("&", "&&"))
            inner.setParent(menu, inner.windowFlags())
            menu.addMenu(inner)
            menu.popup(where)
