"""Moves entries of a grade with the mouse and the keys, marks several of them, and puts them into groups."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from typing import Any

from PySide6.QtCore import QObject, QPoint

from app.model.entries import name_of
from app.model.grade_rows import (
    Path,
    grouped,
    index_of,
    inserted,
    new_group_name,
    path_of,
    place_beside,
    places_at,
    siblings,
    span,
    ungrouped,
)
from app.model.preset import Preset
from app.panels.card_stack import CardStack
from app.panels.entry_cards import EntryCard
from app.panels.group_card import GroupCard
from app.panels.missing_card import MissingCard
from app.panels.op_menu import default_of, made
from app.services.messages import Messages
from engine.errors import GradeError
from engine.grade.curves import Keys
from engine.grade.entries import Entry, Group, Layer, layer_of
from engine.grade.missing import MissingOp, adopted
from engine.grade.parameters import MIX, is_of_op
from engine.grade.renewal import renewed, with_op
from engine.kernel.op import Op

INDENT = 12
"""Pixels by which the cards in a group are moved to the right."""


class EntryMoves(QObject):
    """Changes the order of the entries. Entries from the one selected last to the current one can be marked."""

    def __init__(self, stack: CardStack, messages: Messages, parent: QObject) -> None:
        super().__init__(parent)
        self._stack, self._messages = stack, messages
        self._anchor = -1  # where the marked entries begin
        self._end = -1

    @property
    def marked(self) -> tuple[int, int]:
        """The first and the last of the marked entries; twice the current one if none are marked."""
        at = self._stack.document.current_entry
        return (min(self._anchor, self._end), max(self._anchor, self._end)) if self._end >= 0 else (at, at)

    def extend(self, index: int) -> None:
        """Mark the entries from the one selected last to this one, which is then the current one."""
        anchor = self._anchor if self._anchor >= 0 else index
        self._stack.document.select(index)
        self._mark(anchor, index)

    def connect_card(self, card: EntryCard) -> None:
        """Follow what a card wants."""
        card.switched.connect(partial(self.switch, card))
        card.title.dragged.connect(partial(self.drag, card))
        if isinstance(card, GroupCard):
            card.renamed.connect(partial(self.rename, card))
        if isinstance(card, MissingCard):
            card.adopt_wanted.connect(partial(self.adopt, card))

    # -- edits, which are refused with a message where the grade can't have them

    def insert(self, entries: Iterable[Entry], text: str) -> int | None:
        """Insert entries after the current one; return the index of the first, None if the grade can't have them."""
        document = self._stack.document
        try:
            return document.insert(document.current_entry + 1, entries, text)
        except GradeError as error:  # a group with a mix or a matte can't hold an entry that resizes
            self._messages.warn(str(error))
            return None

    def add(self, chosen: type[Op] | Preset, where: QPoint | None = None) -> int | None:
        """Insert an op, or the entries of a preset, after the current entry, or at a global position.

        Returns the index of the first, None if the grade can't have them.
        """
        entries: Iterable[Entry] = renewed(chosen.grade).entries if isinstance(chosen, Preset) else [made(chosen)]
        what = f"the preset {chosen.name}" if isinstance(chosen, Preset) else chosen.title()
        at = self.insert(entries, f"adding {what}") if where is None else self._insert_at(where, entries, what)
        if at is not None and isinstance(chosen, Preset) and chosen.warning:
            self._messages.warn(chosen.warning)
        return at

    def _insert_at(self, where: QPoint, entries: Iterable[Entry], what: str) -> int | None:
        document, place = self._stack.document, self._gap(where, ())
        try:
            document.edit(inserted(document.grade, place, entries), f"adding {what}")
        except GradeError as error:
            self._messages.warn(str(error))
            return None
        return index_of(document.grade, place)

    def switch(self, card: EntryCard, switch: str, value: Any) -> None:
        """Set a switch of the entry of a card."""
        try:
            self._stack.document.switch(self._stack.index(card), switch, value)
        except GradeError as error:
            self._messages.warn(str(error))
            card.refresh()

    def rename(self, card: GroupCard, name: str) -> None:
        """Rename the group of a card, unless that was removed while its name was being typed."""
        if self._stack.index(card) >= 0:
            renamed = replace(card.layer, entry=replace(card.group, name=name))
            self._stack.document.edit_entry(self._stack.index(card), renamed, f"renaming {card.name}")

    def adopt(self, card: MissingCard) -> None:
        """Replace the missing op of a card by the op of its name that is loaded, with the values that this takes."""
        index = self._stack.index(card)
        op = adopted(card.missing)
        if op is not None:
            entry = with_op(self._stack.document.entries[index], op)
            self._stack.document.replace_entry(index, entry, f"use of {op.title()} as it is now")

    def reset(self, index: int) -> None:
        """Reset all fields and switches of an entry to their defaults, without keys; it keeps its matte, and a missing
        op its values."""
        document = self._stack.document
        layer = layer_of(document.entries[index])
        entry = default_of(layer.entry) if isinstance(layer.entry, Op) else layer.entry
        is_missing = isinstance(layer.entry, MissingOp)
        lost = [path for path in layer.keys if path == MIX or (is_of_op(path) and not is_missing)]
        keys = Keys({path: curve for path, curve in layer.keys.items() if path not in lost})
        fresh = Layer(entry, matte=layer.matte, keys=keys)
        document.replace_entry(index, fresh, f"reset of {name_of(layer)}")

    # -- moving

    def drag(self, card: EntryCard, where: QPoint) -> None:
        """Show where a dragged card would go."""
        place = self._place(card, where)
        shown = self._stack.visible_cards
        self._stack.line.show_at(where, shown, INDENT * (len(place) - 1))

    def show_gap(self, where: QPoint) -> None:
        """Show where something new would be inserted at a global position."""
        shown = self._stack.visible_cards
        if shown:
            self._stack.line.show_at(where, shown, INDENT * (len(self._gap(where, ())) - 1))

    def drop(self, card: EntryCard, where: QPoint) -> int:
        """Move the entry of a card to where it was dropped; return its index."""
        self._stack.line.hide()
        return self._move(card, self._place(card, where))

    def step(self, card: EntryCard, by: int) -> int | None:
        """Move the entry of a card up (-1) or down (1), also into and out of open groups; None if it can't go on."""
        grade = self._stack.document.grade
        opened = [slot.path for slot in self._stack.slots if isinstance(slot.layer.entry, Group) and slot.is_open]
        place = place_beside(grade, card.path, by, opened)
        return self._move(card, place) if place is not None else None

    def _move(self, card: EntryCard, place: Path) -> int:
        try:
            return self._stack.document.move_to(self._stack.index(card), place, f"move of {card.name}")
        except GradeError as error:  # groups would lie too deep
            self._messages.warn(str(error))
            return self._stack.index(card)

    def _place(self, card: EntryCard, where: QPoint) -> Path:
        """Return the place that a drop of a card at a global position means; its own if there is none."""
        return self._gap(where, card.path) or card.path

    def _gap(self, where: QPoint, dragged: Path) -> Path:
        """Return the place at a global position, outside of folded groups and of a dragged entry; () if there is none.

        Where a group ends, a drop on the card above goes into it, one on the card below behind it.
        """
        shown, line = self._stack.visible_cards, self._stack.line
        gap = line.gap(where, shown)
        row = self._stack.index(shown[gap]) if gap < len(shown) else len(self._stack.slots)
        folded = [slot.path for slot in self._stack.slots if isinstance(slot.layer.entry, Group) and not slot.is_open]
        closed = [*folded, *([dragged] if dragged else [])]
        places = [
            place
            for place in places_at(self._stack.document.grade, row)
            if not any(place[:-1][: len(path)] == path for path in closed)
        ]
        if not places:
            return ()
        return places[-1] if line.is_above_gap(where, shown) else places[0]

    # -- groups

    def group(self) -> int:
        """Put the marked entries, or the current one, into a group; return its index."""
        document = self._stack.document
        first, last = self.marked
        place, count = span(document.grade, first, last)
        entries = siblings(document.grade, place[:-1])[place[-1] : place[-1] + count]
        what = name_of(entries[0]) if count == 1 else f"{count} entries"
        try:
            grade, path = grouped(document.grade, first, last, new_group_name(document.grade))
        except GradeError as error:
            self._messages.warn(str(error))
            return document.current_entry
        document.edit(grade, f"grouping {what}")
        return index_of(grade, path)

    def ungroup(self) -> None:
        """Replace the current group by its entries; offer it if that loses its matte, mix or bypass."""
        document = self._stack.document
        path = path_of(document.grade, document.current_entry)
        group = layer_of(document.entries[document.current_entry])
        if not isinstance(group.entry, Group):
            return
        if group.plain:
            self._ungroup(path)
            return
        lost = {"matte": group.matte is not None, "mix": group.mix != 1.0, "bypass": not group.enabled}
        names = ", ".join([name for name, is_lost in lost.items() if is_lost] or ["solo"])
        grade = document.grade

        def go_on() -> None:
            if document is self._stack.document and document.grade == grade:
                self._ungroup(path)

        self._messages.offer(f"{name_of(group)} has a {names} of its own, which would be lost.", "Ungroup", go_on)

    def _ungroup(self, path: Path) -> None:
        document = self._stack.document
        name = name_of(document.entries[index_of(document.grade, path)])
        document.edit(ungrouped(document.grade, path), f"ungrouping {name}")

    # -- marks

    def follow(self) -> None:
        """Begin anew at the selected entry, after a change of the grade or of the selection."""
        self._mark(self._stack.document.selected, -1)

    def _mark(self, anchor: int, end: int) -> None:
        none_before, self._anchor, self._end = self._end < 0, anchor, end
        if end < 0 and none_before:
            return
        first, last = self.marked
        marked = self._stack.cards[first : last + 1] if end >= 0 else []
        for card in self._stack.made:
            card.set_marked(card in marked)
