"""Which cards of the Grade panel are open: as the user left them, or only the selected one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol
from weakref import WeakKeyDictionary

from PySide6.QtCore import QObject

from app.model.grade_rows import Path, is_within
from app.services.settings import Settings

ALONE = "open_entry_alone"
"""The setting for whether only the selected entry is open."""
OPEN_AT_FIRST = 4
"""A grade of more entries is first shown as rows, with only its current entry open."""


class Foldable(Protocol):
    """A card, or what stands for one that is not made yet."""

    path: Path

    @property
    def is_open(self) -> bool:
        """Whether the fields are shown."""

    def open(self, opened: bool = True) -> None:
        """Show or hide the fields."""


class CardFolding:
    """Opens and folds cards. A card that was opened by stepping through the titles is folded when the step goes on."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._stepped: Foldable | None = None
        self._left: WeakKeyDictionary[QObject, dict[int, list[bool]]] = WeakKeyDictionary()  # by document

    @property
    def alone(self) -> bool:
        """Whether only the selected entry is open."""
        return self._settings.get(ALONE, False)

    def starts_open(self, index: int, count: int, current: int) -> bool:
        """Return whether the card of an entry of a grade is open when it is first shown."""
        return index == current or (count <= OPEN_AT_FIRST and not self.alone)

    def leave(self, document: QObject, file: int, cards: Sequence[Foldable]) -> None:
        """Remember which cards are open, while another document, or another grade file in it, is shown."""
        self._left.setdefault(document, {})[file] = [card.is_open for card in cards]

    def return_to(
        self, document: QObject, file: int, cards: Sequence[Foldable], current: int, kept: Sequence[bool]
    ) -> None:
        """Open and fold the cards as they were left; as in a new grade if they are shown for the first time.

        `current` is the index of the current entry. `kept` says which cards of a document that was not shown yet are
        open; () if no session kept that.
        """
        files = self._left.get(document)
        left = list(kept) if files is None else files.pop(file, [])
        if len(left) != len(cards):
            left = [self.starts_open(at, len(cards), current) for at in range(len(cards))]
        for card, opened in zip(cards, left, strict=True):
            card.open(opened)

    def click(self, card: Foldable, cards: Sequence[Foldable]) -> None:
        """Follow a click that opened or folded a card."""
        self._stepped = None
        if self.alone and card.is_open:
            self.fold_others(card, cards)

    def show(self, card: Foldable, cards: Sequence[Foldable]) -> None:
        """Open the card of a new entry."""
        card.open()
        self.click(card, cards)

    def step(self, card: Foldable, cards: Sequence[Foldable]) -> None:
        """Open a card that was reached by the keyboard, until the next step."""
        before, was_open = self._stepped, card.is_open
        if before is not None and before is not card and before in cards:
            before.open(False)
        card.open()
        self._stepped = card if not was_open or card is before else None
        if self.alone:
            self.fold_others(card, cards)

    def fold_others(self, card: Foldable, cards: Sequence[Foldable]) -> None:
        """Open a card and the groups around it, and fold all others."""
        for each in cards:
            each.open(each is card or is_within(card.path, each.path))

    def open_all(self, cards: Sequence[Foldable]) -> None:
        """Open all cards."""
        for each in cards:
            each.open()
