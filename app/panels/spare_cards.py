"""Cards of the Grade panel that show no entry, kept for other grades."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject

from app.panels.cards import OpCard
from app.panels.entry_cards import EntryCard
from app.widgets.discarding import Discarding
from engine.kernel.op import Op, TableKind

MOST = 24
"""The most cards that are kept, the last removed ones."""


class SpareCards(QObject):
    """Keeps cards of ops, and deletes all others, bit by bit."""

    def __init__(self, is_idle: Callable[[], bool], parent: QObject) -> None:
        """`is_idle` returns whether nothing is open, so that no card is kept."""
        super().__init__(parent)
        self.cards: list[EntryCard] = []
        self._is_idle = is_idle
        self._discarding = Discarding(self)

    def keep(self, cards: Sequence[EntryCard]) -> None:
        """Keep the last of these cards, the last removed one at the end, but none of entries that may have large
        tables."""
        kept = [card for card in cards if isinstance(card, OpCard) and not has_tables(type(card.op))]
        self.cards = [*kept[max(len(kept) - MOST, 0) :]]
        self._discarding.add(card for card in cards if card not in self.cards)

    def drop_all(self) -> None:
        """Keep none of the cards."""
        self._discarding.add(self.cards)
        self.cards = []

    def drop_unused(self) -> None:
        """Keep none if nothing is open."""
        if self._is_idle():
            self.drop_all()


def has_tables(op: type[Op]) -> bool:
    """Return whether an op has tables."""
    return any(isinstance(kind, TableKind) for kind in op.kinds().values())
