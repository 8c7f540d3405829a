"""Cards of the Grade panel that show no entry, kept for other grades."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, QTimer

from app.panels.cards import OpCard
from app.panels.entry_cards import EntryCard
from engine.kernel.op import Op, TableKind

MOST = 24
"""The most cards that are kept, the last removed ones."""


class SpareCards(QObject):
    """Keeps cards of ops, and deletes all others: one in each turn of the event loop, as that takes a while."""

    def __init__(self, is_idle: Callable[[], bool], parent: QObject) -> None:
        """`is_idle` returns whether nothing is open, so that no card is kept."""
        super().__init__(parent)
        self.cards: list[EntryCard] = []
        self._is_idle = is_idle
        self._dropped: list[EntryCard] = []
        self._timer = QTimer(self, interval=0)
        self._timer.timeout.connect(self._drop_next)

    def keep(self, cards: Sequence[EntryCard]) -> None:
        """Keep the last of these cards, the last removed one at the end, but none of entries that may have large
        tables."""
        kept = [card for card in cards if isinstance(card, OpCard) and not has_tables(type(card.op))]
        self.cards = [*kept[max(len(kept) - MOST, 0) :]]
        self._dropped += [card for card in cards if card not in self.cards]
        self.drop()

    def drop_all(self) -> None:
        """Keep none of the cards."""
        self._dropped += self.cards
        self.cards = []
        self.drop()

    def drop(self) -> None:
        """Delete what is not kept, from the next turn of the event loop on."""
        self._timer.start()

    def _drop_next(self) -> None:
        if not self._dropped and self.cards and self._is_idle():
            self._dropped.append(self.cards.pop())
        if self._dropped:
            self._dropped.pop().deleteLater()
        else:
            self._timer.stop()


def has_tables(op: type[Op]) -> bool:
    """Return whether an op has tables."""
    return any(isinstance(kind, TableKind) for kind in op.kinds().values())
