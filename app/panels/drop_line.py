"""The line that shows where a dragged card would be dropped."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget


class DropLine(QFrame):
    """A line between the cards in the content of a scroll area."""

    def __init__(self, content: QWidget, area: QScrollArea) -> None:
        super().__init__(content)
        self._content, self._area = content, area
        self.setObjectName("dropLine")
        self.hide()

    def show_at(self, where: QPoint, cards: Sequence[QWidget], indent: int = 0) -> None:
        """Show the line at the gap nearest to a global position, `indent` pixels from the left, and scroll there."""
        gap = self.gap(where, cards)
        y = cards[gap].y() - 3 if gap < len(cards) else cards[-1].geometry().bottom() + 2
        self.setGeometry(8 + indent, y, self._content.width() - 16 - indent, 2)
        self.show()
        self.raise_()
        here = self._content.mapFromGlobal(where)
        self._area.ensureVisible(here.x(), here.y(), 0, 24)

    def is_above_gap(self, where: QPoint, cards: Sequence[QWidget]) -> bool:
        """Return whether a global position is on the card above its gap, not on the one below."""
        gap = self.gap(where, cards)
        return gap > 0 and self._content.mapFromGlobal(where).y() <= cards[gap - 1].geometry().bottom()

    def gap(self, where: QPoint, cards: Sequence[QWidget]) -> int:
        """Return the index at which a card dropped at a global position is inserted."""
        y = self._content.mapFromGlobal(where).y()
        return next((i for i, card in enumerate(cards) if y < card.geometry().center().y()), len(cards))
