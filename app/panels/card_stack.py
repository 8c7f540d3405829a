"""The stack of cards in the Grade panel: one card for each entry of a grade, reused where that is possible."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, Qt, QTimer, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QApplication, QLabel, QVBoxLayout, QWidget

from app.model.document import Document
from app.model.grade_rows import rows_of
from app.panels.card_folding import CardFolding
from app.panels.cards import OpCard
from app.panels.drop_line import DropLine
from app.panels.entry_cards import EntryCard, shape_of
from app.panels.group_card import GroupCard
from app.widgets.gradual import Gradual
from app.widgets.scrolling import scroll_area
from engine import Layer
from engine.grade.entries import layer_of
from engine.kernel.op import Op, TableKind

SPARE_CARDS = 24
"""The most cards that are kept for other grades, the last removed ones."""


class CardStack(QWidget):
    """The content of the scroll area `area`. The bodies of open cards are built bit by bit, folded ones have none.

    Cards of ops that are removed are kept until nothing is open, so that a change between grades makes few new ones.
    """

    focus_lost = Signal()  # the card that had the focus was removed

    def __init__(self, folding: CardFolding, make: Callable[[Layer, bool], EntryCard]) -> None:
        """`make` returns a new card for an entry, open or folded."""
        super().__init__()
        self.setObjectName("cards")
        self.cards: list[EntryCard] = []
        self.rebuilding = False
        self._away: list[EntryCard] = []  # in folded groups
        self._spare: list[EntryCard] = []
        self._folding, self._make = folding, make
        self._behind = False  # whether cards out of sight show the values of another frame
        self._shown: tuple[Document, int] | None = None  # and the key of the grade file
        self._making = Gradual(self._build_next, self)
        self._wanted: EntryCard | None = None  # to be visible
        self._scrolling = QTimer(self, interval=0, singleShot=True)
        self._scrolling.timeout.connect(self._scroll)
        self._making.finished.connect(self._scrolling.start)
        self._dropping = QTimer(self, interval=0)
        self._dropping.timeout.connect(self._drop_next)
        self._catching_up = QTimer(self, interval=0, singleShot=True)
        self._catching_up.timeout.connect(self.catch_up)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(8, 8, 8, 8)
        self._column.setSpacing(4)
        self._column.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.empty = QLabel("The grade is empty.\nAdd a file or an operation below.")
        self.empty.setObjectName("hint")
        self._column.addWidget(self.empty)
        self.area = scroll_area(self)
        self.area.verticalScrollBar().valueChanged.connect(self.catch_up)
        self.line = DropLine(self, self.area)

    @property
    def complete(self) -> bool:
        """Whether the bodies of all open cards are built."""
        return not self._making.is_active

    def show_document(self, document: Document) -> None:
        """Show the grade of a document."""
        rows, shown = rows_of(document.grade_at_frame), (document, document.file)
        is_other = self._shown != shown
        if self._shown is not None and is_other:
            self._folding.leave(*self._shown, self.cards)
        layers = [layer_of(row.entry) for row in rows]
        if [shape_of(card.layer.entry) for card in self.cards] != [shape_of(layer.entry) for layer in layers]:
            self._rebuild(layers, document.current_entry)
        for card, row in zip(self.cards, rows, strict=True):
            card.set_path(row.path)
        self._show_values(document, self.cards)
        if is_other:
            self._shown = shown
            self._folding.return_to(*shown, self.cards, document.current_entry, document.open_entries)
        self.mark(document.current_entry)
        self._note_open()
        self._show_groups()
        self._dropping.start()

    def follow_frame(self) -> None:
        """Show the values of an animated grade at another frame, in the cards that are in sight; in others later."""
        document = self.document
        if document.grade.is_animated:
            seen = [card for card in self.cards if not card.visibleRegion().isEmpty()]
            self._behind = len(seen) < len(self.cards)
            self._show_values(document, seen)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._catching_up.start()  # once the cards are in sight

    def catch_up(self) -> None:
        """Show the values of cards that have come into sight."""
        if self._behind:
            self.follow_frame()

    def _show_values(self, document: Document, cards: list[EntryCard]) -> None:
        rows, keyed, frame = rows_of(document.grade_at_frame), document.entries, document.frame
        for card, row, entry in zip(self.cards, rows, keyed, strict=True):
            if card in cards:
                layer = layer_of(row.entry)
                if (card.layer, card.runs) != (layer, row.runs):
                    card.set_layer(layer, row.runs)
                card.show_keys(layer_of(entry).keys, frame)

    def remake(self, document: Document) -> None:
        """Make all cards anew; they stay open or folded."""
        opened = [card.is_open for card in self.cards]
        self._rebuild([], -1)
        self._drop_spare(0)
        self.show_document(document)
        for card, was_open in zip(self.cards, opened, strict=True):
            card.open(was_open)

    @property
    def document(self) -> Document:
        """The document that is shown."""
        assert self._shown is not None
        return self._shown[0]

    @property
    def visible_cards(self) -> list[EntryCard]:
        """The cards that are in no folded group."""
        return [card for card in self.cards if card not in self._away]

    def beside(self, card: EntryCard, by: int) -> EntryCard:
        """Return the visible card so many places below another one, or below the folded group that hides it; the first
        or the last beyond the ends."""
        shown = self.visible_cards
        at = sum(each not in self._away for each in self.cards[: self.cards.index(card) + 1]) - 1
        return shown[min(max(at + by, 0), len(shown) - 1)]

    def mark(self, current: int) -> None:
        """Mark the card of the current entry, to which commands apply even if none is selected."""
        for place, card in enumerate(self.cards):
            card.set_current(place == current)

    def _note_open(self) -> None:
        """Tell the document which cards are open, for sessions."""
        opened = tuple(card.is_open for card in self.cards)
        if self._shown is not None and not self.rebuilding and self._shown[0].open_entries != opened:
            self._shown[0].update(open_entries=opened)

    def reveal(self, card: EntryCard) -> None:
        """Open the groups around an entry."""
        for each in self.cards:
            if card.is_in(each):
                each.open()

    def _show_groups(self) -> None:
        """Show the cards whose groups are all open."""
        folded = [card for card in self.cards if isinstance(card, GroupCard) and not card.is_open]
        before, self._away = self._away, [card for card in self.cards if any(card.is_in(group) for group in folded)]
        for card in self.cards:
            if (card in before) != (card in self._away):  # a new card is shown by the layout
                card.setVisible(card in before)

    def build(self) -> None:
        """Build the bodies of open cards that are not complete."""
        self._making.start()

    def scroll_to(self, card: EntryCard) -> None:
        """Scroll until a card is visible, or at least its title, once it and the others have their sizes."""
        self._wanted = card
        self._scrolling.start()

    def at_focus(self, focused: QWidget | None) -> int:
        """Return the index of the card that a control is in; -1 if it is in none."""
        found = (at for at, card in enumerate(self.cards) if focused is not None and card.isAncestorOf(focused))
        return next(found, -1)

    def _rebuild(self, layers: list[Layer], current: int) -> None:
        """Make the cards for `layers`, with those that can be reused. The focus may move; the selection does not."""
        self.rebuilding = True
        before, focused = self.cards, self.window().focusWidget()
        self.cards = []
        for index, card in enumerate(_reused([*before, *reversed(self._spare)], layers)):
            starts_open = self._folding.starts_open(index, len(layers), current)
            if card is None:
                card = self._make(layers[index], starts_open)
                card.title.toggled.connect(self._note_open)
                card.title.toggled.connect(self._catching_up.start)
                if isinstance(card, GroupCard):
                    card.title.toggled.connect(lambda _opened: self._show_groups())
            elif card.is_spare:
                self._spare.remove(card)
                card.set_spare(False)
                card.open(starts_open)
            if self._column.indexOf(card) != index:
                self._column.removeWidget(card)
                self._column.insertWidget(index, card)
            self.cards.append(card)
        gone = [card for card in before if card not in self.cards]
        if any(focused is not None and card.isAncestorOf(focused) for card in gone):
            self.focus_lost.emit()
        for card in gone:
            self._column.removeWidget(card)
            card.set_spare(True)
        self._spare += gone
        self._drop_spare(SPARE_CARDS)
        self.empty.setVisible(not layers)
        self.build()
        self.rebuilding = False

    def _drop_spare(self, most: int) -> None:
        """Delete spare cards of entries that may have large tables, and all but the last ones."""
        kept = [card for card in self._spare if isinstance(card, OpCard) and not has_tables(type(card.op))]
        kept = kept[max(len(kept) - most, 0) :]
        for card in self._spare:
            if card not in kept:
                card.deleteLater()
        self._spare = [*kept]

    def _drop_next(self) -> None:
        """Delete the next spare card if nothing is open: one in each turn of the event loop, as that takes a while."""
        if self._spare and self.document.image_path is None and self.document.untouched:
            self._spare.pop().deleteLater()
        else:
            self._dropping.stop()

    def _scroll(self) -> None:
        card = self._wanted
        if card is not None and card in self.cards:
            QApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest)
            self.area.ensureWidgetVisible(card, 0, 8)
            self.area.ensureWidgetVisible(card.title, 0, 8)
        if self.complete:
            self._wanted = None

    def _build_next(self) -> bool:
        """Build the next part of a body; return False if all bodies are complete."""
        return any(card.advance() for card in self.cards if isinstance(card, OpCard))


def has_tables(op: type[Op]) -> bool:
    """Return whether an op has tables."""
    return any(isinstance(kind, TableKind) for kind in op.kinds().values())


def _reused(cards: list[EntryCard], layers: list[Layer]) -> list[EntryCard | None]:
    """Return a card for each layer: the one that shows its entry, else one that can; None if there is none."""
    free = list(cards)
    found: list[EntryCard | None] = [None] * len(layers)
    for fits in (_shows, _can_show):
        for index, layer in enumerate(layers):
            if found[index] is None:
                found[index] = next((card for card in free if fits(card, layer)), None)
                free = [card for card in free if card is not found[index]]
    return found


def _shows(card: EntryCard, layer: Layer) -> bool:
    return bool(card.layer.entry == layer.entry)


def _can_show(card: EntryCard, layer: Layer) -> bool:
    return bool(shape_of(card.layer.entry) == shape_of(layer.entry))
