"""The stack of cards in the Grade panel: one card for each entry of a grade, reused where that is possible."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, Qt, QTimer, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QApplication, QLabel, QVBoxLayout, QWidget

from app.model.document import Document
from app.model.grade_rows import is_within, rows_of
from app.panels.awaited_card import AwaitedCard
from app.panels.card_folding import CardFolding
from app.panels.cards import OpCard
from app.panels.drop_line import DropLine
from app.panels.entry_cards import EntryCard, shape_of
from app.panels.group_card import GroupCard
from app.panels.spare_cards import SpareCards
from app.services.event_loop import turn_queue
from app.widgets.gradual import MAKING_SECONDS, Gradual
from app.widgets.scrolling import scroll_area
from engine import Layer
from engine.grade.entries import Group, layer_of
from engine.grade.keys import keys_of


class CardStack(QWidget):
    """The content of the scroll area `area`. Cards are made bit by bit, and the bodies of open cards after them; folded
    cards have none.

    `cards` and `card` make at once what is not made yet. Cards of ops that are removed are kept until nothing is open,
    so that a change between grades makes few new ones.
    """

    focus_lost = Signal()  # the card that had the focus was removed

    def __init__(self, folding: CardFolding, make: Callable[[Layer, bool], EntryCard]) -> None:
        """`make` returns a new card for an entry, open or folded."""
        super().__init__()
        self.setObjectName("cards")
        self.setAttribute(Qt.WidgetAttribute.WA_StaticContents)  # a card that grows repaints no other
        self.slots: list[EntryCard | AwaitedCard] = []
        """The card of each entry, or what stands for it."""
        self.rebuilding = False
        self._away: list[EntryCard | AwaitedCard] = []  # in folded groups
        self._spare = SpareCards(lambda: self.document.image_path is None and self.document.untouched, self)
        self._folding, self._make = folding, make
        self._behind = False  # whether cards out of sight show the values of another frame
        self._shown: tuple[Document, int] | None = None  # and the key of the grade file
        self._making = Gradual(self._build_next, self)
        self._wanted: EntryCard | None = None  # to be visible
        self._scrolling = QTimer(self, interval=0, singleShot=True)
        self._scrolling.timeout.connect(self._scroll)
        self._making.finished.connect(self._scrolling.start)
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
        """Whether all cards are made, and the bodies of the open ones are built."""
        return not self._making.is_active

    @property
    def cards(self) -> list[EntryCard]:
        """The card of each entry, in order; those that are not made yet are made now."""
        return [self.card(index) for index in range(len(self.slots))]

    def card(self, index: int) -> EntryCard:
        """Return the card of an entry; it is made now if it is not made yet."""
        slot = self.slots[index]
        return self._fill(index, slot) if isinstance(slot, AwaitedCard) else slot

    def index(self, card: EntryCard) -> int:
        """Return the index of the entry of a card; -1 if the card was removed."""
        return self.slots.index(card) if card in self.slots else -1

    @property
    def made(self) -> list[EntryCard]:
        """The cards that are made."""
        return [slot for slot in self.slots if not isinstance(slot, AwaitedCard)]

    def show_document(self, document: Document) -> None:
        """Show the grade of a document."""
        rows, shown = rows_of(document.grade_at_frame), (document, document.file)
        is_other = self._shown != shown
        if self._shown is not None and is_other:
            self._folding.leave(*self._shown, self.slots)
        layers = [layer_of(row.entry) for row in rows]
        if [shape_of(slot.layer.entry) for slot in self.slots] != [shape_of(layer.entry) for layer in layers]:
            self._rebuild(layers, document.current_entry)
        for slot, row in zip(self.slots, rows, strict=True):
            if slot.path != row.path:
                slot.set_path(row.path)
        self._show_values(document, self.slots)
        if is_other:
            self._shown = shown
            self._folding.return_to(*shown, self.slots, document.current_entry, document.open_entries)
        self.mark(document.current_entry)
        self._show_groups()
        if len(self.slots) - len(self.made) == 1 or not turn_queue().is_busy:  # one may have to take the focus now
            self._make_some()
        awaits = len(self.made) < len(self.slots)
        self.setMinimumHeight(self.height() if awaits else 0)  # or the area would scroll
        self._note_open()
        self._spare.drop_unused()

    def follow_frame(self) -> None:
        """Show the values of an animated grade at another frame, in the cards that are in sight; in others later."""
        document = self.document
        if document.grade.is_animated:
            behind = [card for card in self.made if card.visibleRegion().isEmpty()]
            self._behind = bool(behind)
            self._show_values(document, [slot for slot in self.slots if slot not in behind])

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._catching_up.start()  # once the cards are in sight

    def catch_up(self) -> None:
        """Show the values of cards that have come into sight."""
        if self._behind:
            self.follow_frame()

    def _show_values(self, document: Document, slots: Sequence[EntryCard | AwaitedCard]) -> None:
        rows, keyed, frame = rows_of(document.grade_at_frame), document.entries, document.frame
        for slot, row, entry in zip(self.slots, rows, keyed, strict=True):
            if slot in slots:
                layer, keys = layer_of(row.entry), keys_of(entry)
                if (slot.layer, slot.runs) != (layer, row.runs):
                    slot.set_layer(layer, row.runs)
                if slot.keys != (keys, frame):
                    slot.show_keys(keys, frame)

    def remake(self, document: Document) -> None:
        """Make all cards anew; they stay open or folded."""
        opened = [slot.is_open for slot in self.slots]
        self._rebuild([], -1)
        self._spare.drop_all()
        self.show_document(document)
        for slot, was_open in zip(self.slots, opened, strict=True):
            slot.open(was_open)

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
        for place, slot in enumerate(self.slots):
            slot.set_current(place == current)

    def _note_open(self) -> None:
        """Tell the document which cards are open, for sessions."""
        opened = tuple(slot.is_open for slot in self.slots)
        if self._shown is not None and not self.rebuilding and self._shown[0].open_entries != opened:
            self._shown[0].update(open_entries=opened)

    def reveal(self, card: EntryCard) -> None:
        """Open the groups around an entry."""
        for slot in self.slots:
            if is_within(card.path, slot.path):
                slot.open()

    def _show_groups(self) -> None:
        """Show the cards whose groups are all open."""
        folded = [slot.path for slot in self.slots if isinstance(slot.layer.entry, Group) and not slot.is_open]
        before, self._away = self._away, [slot for slot in self.slots if any(is_within(slot.path, at) for at in folded)]
        for card in self.made:
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
        found = (card for card in self.made if focused is not None and card.isAncestorOf(focused))
        return next((self.index(card) for card in found), -1)

    def _rebuild(self, layers: list[Layer], current: int) -> None:
        """Take the cards for `layers` that can be reused, await the others, and remove the rest. The focus may move;
        the selection does not."""
        self.rebuilding = True
        before, focused = self.made, self.window().focusWidget()
        spare = [*self._reserved, *reversed(self._spare.cards)]
        self.slots = [
            card
            if card is not None and card in before
            else AwaitedCard(layer, self._folding.starts_open(at, len(layers), current), card, self._awaited_toggled)
            for at, (card, layer) in enumerate(zip(_reused([*before, *spare], layers), layers, strict=True))
        ]
        reserved = self._reserved
        gone = [card for card in before if card not in self.slots]
        if any(focused is not None and card.isAncestorOf(focused) for card in gone):
            self.focus_lost.emit()
        for card in gone:
            self._column.removeWidget(card)
            card.set_spare(True)
        self._spare.keep([*(card for card in reversed(spare) if card not in reserved), *gone])
        for place, card in enumerate(self.made):
            if self._column.indexOf(card) != place:
                self._column.removeWidget(card)
                self._column.insertWidget(place, card)
        self.empty.setVisible(not layers)
        self.build()
        self.rebuilding = False

    @property
    def _reserved(self) -> list[EntryCard]:
        """The spare cards that awaited ones will take."""
        return [slot.spare for slot in self.slots if isinstance(slot, AwaitedCard) and slot.spare is not None]

    def _make_some(self) -> None:
        """Make the first of the awaited cards; the others follow in later turns of the event loop."""
        until = time.monotonic() + MAKING_SECONDS
        while self._make_next() and time.monotonic() < until:
            pass

    def _make_next(self) -> bool:
        """Make the next awaited card; return False if there is none."""
        at = next((at for at, slot in enumerate(self.slots) if isinstance(slot, AwaitedCard)), -1)
        if at >= 0:
            self.card(at)
        return at >= 0

    def _fill(self, index: int, awaited: AwaitedCard) -> EntryCard:
        """Put a card where one is awaited."""
        card = awaited.spare
        if card is None:
            card = self._make(awaited.layer, awaited.is_open)
            card.title.toggled.connect(self._note_open)
            card.title.toggled.connect(self._catching_up.start)
            if isinstance(card, GroupCard):
                card.title.toggled.connect(lambda _opened: self._show_groups())
        else:
            card.set_spare(False)
        self._column.insertWidget(sum(not isinstance(slot, AwaitedCard) for slot in self.slots[:index]), card)
        self.slots[index] = card
        awaited.pass_to(card)
        if awaited in self._away:
            self._away[self._away.index(awaited)] = card
            card.hide()
        if len(self.made) == len(self.slots):
            self.setMinimumHeight(0)
        return card

    def _awaited_toggled(self) -> None:
        self._note_open()
        self._show_groups()

    def _scroll(self) -> None:
        card = self._wanted
        if card is not None and card in self.slots:
            QApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest)
            self.area.ensureWidgetVisible(card, 0, 8)
            self.area.ensureWidgetVisible(card.title, 0, 8)
        if self.complete:
            self._wanted = None

    def _build_next(self) -> bool:
        """Make the next card, or the next part of a body; return False if all are complete."""
        return self._make_next() or any(card.advance() for card in self.made if isinstance(card, OpCard))


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
