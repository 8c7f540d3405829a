"""The Grade panel: the entries of the grade, top to bottom in the order of application."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from PySide6.QtCore import QPoint, QSize, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from app.model.entries import name_of
from app.panels.bodies import PickingBody
from app.panels.card_folding import ALONE, CardFolding
from app.panels.card_menu import card_menu
from app.panels.card_stack import CardStack, EntryCard
from app.panels.cards import FileCard, OpCard, card_for
from app.panels.op_menu import OpMenu, default_of, made
from app.panels.picking import PixelPicker
from app.services import clipboard
from app.services.current_document import CurrentDocument
from app.services.files import Files
from app.services.messages import Messages
from app.services.settings import Settings
from app.widgets.slider import NumberBox
from app.widgets.style import icon
from engine import Grade, Layer
from engine.errors import GradeError
from engine.grade.grade import bare
from engine.kernel.op import Op

PANEL_WIDTH = 340
WHEELS = "wheels"
"""The setting for whether ops that have wheels show wheels or sliders."""
CARD_COMMANDS = (
    "entry_reset",
    "entry_duplicate",
    "copy_entry",
    "paste",
    "entry_up",
    "entry_down",
    "fold_others",
    "open_all",
    "entry_remove",
)


class GradePanel(QWidget):
    """A card for each entry of the current document's grade. The entry that has or had the focus is selected."""

    def __init__(
        self,
        current: CurrentDocument,
        files: Files,
        settings: Settings,
        messages: Messages,
        actions: Mapping[str, QAction],
        picker: PixelPicker,
    ) -> None:
        """`picker` picks colours in the image."""
        super().__init__()
        self.setObjectName("gradePanel")
        self.setMinimumWidth(PANEL_WIDTH)
        self._current, self._files, self._settings, self._messages = current, files, settings, messages
        self._actions, self._picker = actions, picker
        self.folding = CardFolding(settings)
        self.stack = CardStack(self.folding, self._new_card)
        self.stack.focus_lost.connect(self._focus_current)
        self._lay_out()
        current.grade_changed.connect(self.show_grade)
        current.selected_changed.connect(self._selection_moved)
        files.entry_added.connect(self._file_added)
        settings.changed.connect(self._setting_changed)
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        app.focusChanged.connect(self._focus_moved)
        actions["open_alone"].setChecked(self.folding.alone)
        self.show_grade()

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.stack.area, 1)
        column.addWidget(self._footer())

    @property
    def cards(self) -> list[EntryCard]:
        """A card for each entry of the grade, in order."""
        return self.stack.cards

    @property
    def complete(self) -> bool:
        """Whether the bodies of all open cards are built."""
        return self.stack.complete

    @property
    def at(self) -> int:
        """The index of the current entry: the selected one, else the last; -1 if there is none."""
        return self._current.document.current_entry

    def sizeHint(self) -> QSize:
        return QSize(PANEL_WIDTH, 600)

    # -- showing

    def show_grade(self, _grade: Grade | None = None) -> None:
        """Show the grade of the current document."""
        self.stack.show_document(self._current.document)

    def refresh(self) -> None:
        """Show the values of the grade again, after a rejected edit."""
        for card in self.cards:
            card.refresh()

    def select(self, index: int, focus: bool = False) -> None:
        """Select an entry; with `focus`, also give the focus to its title."""
        self._current.document.select(index)
        if focus and 0 <= index < len(self.cards):
            self.cards[index].title.setFocus(Qt.FocusReason.OtherFocusReason)
            self.stack.scroll_to(self.cards[index])

    def show_new(self, index: int) -> None:
        """Select a new entry, open it, and give the focus to its first field."""
        card = self.cards[index]
        self.folding.show(card, self.cards)
        self.select(index)
        control = card.first_control() or card.title
        if isinstance(control, NumberBox):
            control.begin_typing()
        else:
            control.setFocus(Qt.FocusReason.OtherFocusReason)
        self.stack.scroll_to(card)

    def fold_others(self) -> None:
        """Open the current entry and fold all others."""
        self.folding.fold_others(self.cards[self.at], self.cards)
        self.stack.scroll_to(self.cards[self.at])

    def open_all(self) -> None:
        """Open all entries."""
        self.folding.open_all(self.cards)

    def toggle_alone(self) -> None:
        """Keep only the selected entry open, or leave the others as they are."""
        self._settings.set(ALONE, not self.folding.alone)

    def _selection_moved(self) -> None:
        """Mark the card of the current entry, and scroll to the selected one unless the hand is on it."""
        at = self._current.document.selected
        self.stack.mark(self.at)
        at_hand = QApplication.mouseButtons() or self.stack.at_focus(self.window().focusWidget()) == at
        if 0 <= at < len(self.cards) and not at_hand:
            self.stack.scroll_to(self.cards[at])

    def _focus_current(self) -> None:
        """Give the focus to the title of the current entry, or to the button that adds one."""
        control = self.cards[min(self.at, len(self.cards) - 1)].title if self.cards else self.add_op
        control.setFocus(Qt.FocusReason.OtherFocusReason)

    def _new_card(self, layer: Layer, opened: bool) -> EntryCard:
        card = card_for(layer, self._settings.get(WHEELS, True), opened)
        card.edited.connect(partial(self._edit, card))
        card.switched.connect(partial(self._switch, card))
        card.removed.connect(partial(self._remove, card))
        card.menu_wanted.connect(partial(self._show_menu, card))
        card.build_wanted.connect(self.stack.build)
        card.title.clicked.connect(lambda: self.folding.click(card, self.cards))
        card.title.dragged.connect(lambda where: self.stack.line.show_at(where, self.cards))
        card.title.dropped.connect(partial(self._drop, card))
        card.title.drag_cancelled.connect(self.stack.line.hide)
        card.title.stepped.connect(partial(self._step, card))
        card.title.delete_wanted.connect(partial(self._delete, card))
        card.drag_started.connect(partial(self._begin_drag, card))
        card.drag_ended.connect(lambda: self._current.document.end_drag())
        if isinstance(card, OpCard):
            card.wheels_wanted.connect(partial(self._settings.set, WHEELS))
            card.pick_wanted.connect(partial(self._pick, card))
        return card

    def _setting_changed(self, name: str) -> None:
        if name == WHEELS:
            hand = self.stack.at_focus(self.window().focusWidget())
            self.stack.remake(self._current.document)
            if hand >= 0:
                self.cards[hand].give_focus()
        elif name == ALONE:
            self._actions["open_alone"].setChecked(self.folding.alone)
            if self.folding.alone and self.cards:
                self.fold_others()

    def _focus_moved(self, _before: QWidget | None, now: QWidget | None) -> None:
        at = self.stack.at_focus(now)
        if at >= 0 and not self.stack.rebuilding:
            self.select(at)

    # -- edits

    def _edit(self, card: EntryCard, changes: dict[str, Any], what: str) -> None:
        if card not in self.cards:
            return  # a box that loses the focus when its card is removed
        index = self.cards.index(card)
        if isinstance(card, FileCard):
            self._files.set_interpolation(index, changes["interpolation"])
            return
        try:
            op = card.op.replace(**changes)
        except GradeError as error:
            self._messages.warn(str(error))
            card.refresh()
            return
        self._current.document.edit_entry(index, op, f"{card.name} {what}", f"{index}.{','.join(changes)}")

    def _begin_drag(self, card: EntryCard) -> None:
        """Select the entry, which has no focus if a label or number is dragged, and merge the edits that follow."""
        self.select(self.cards.index(card))
        self._current.document.begin_drag()

    def _switch(self, card: EntryCard, switch: str, value: Any) -> None:
        self._current.document.switch(self.cards.index(card), switch, value)

    def _remove(self, card: EntryCard) -> None:
        self._current.document.remove(self.cards.index(card), f"removal of {card.name}")

    def _pick(self, card: OpCard, wanted: bool) -> None:
        assert isinstance(card.body, PickingBody)
        self._picker.pick(card.body, wanted, lambda: self.cards.index(card) if card in self.cards else None)

    # -- commands on the current entry

    def remove_current(self) -> None:
        at = self.at
        self._remove(self.cards[at])
        self.select(min(at, len(self.cards) - 1), focus=True)

    def move_current(self, by: int) -> None:
        """Move the current entry up or down; it stays the current one."""
        at = self.at
        if 0 <= at + by < len(self.cards):
            self._current.document.move(at, by, f"move of {self.cards[at].name}")
            self.select(at + by, focus=True)

    def duplicate_current(self) -> None:
        entry = self._current.document.grade.entries[self.at]
        self._insert([entry], f"copy of {self.cards[self.at].name}")

    def reset_current(self) -> None:
        """Reset all fields and switches of the current entry to their defaults."""
        at = self.at
        entry = bare(self._current.document.grade.entries[at])
        fresh = Layer(default_of(entry) if isinstance(entry, Op) else entry)
        self._current.document.edit_entry(at, fresh, f"reset of {name_of(entry)}")

    def paste(self) -> None:
        """Insert the entry on the clipboard after the current one, or replace the grade with the one copied."""
        try:
            found = clipboard.pasted()
        except GradeError as error:
            self._messages.warn(str(error))
            return
        if found is None:
            self._messages.warn("There is no grade on the clipboard; copy one first.")
        elif found[1]:
            self._insert(found[0].entries, "pasting an entry")
        else:
            self._current.document.edit(self._current.document.grade.with_entries(found[0].entries), "pasting a grade")

    def show_op_menu(self) -> None:
        """Show the menu that finds and adds an operation."""
        self.op_menu.pop_up(self.add_op.mapToGlobal(QPoint(0, 0)) - QPoint(160, 0), 280, 380)

    def add(self, kind: type[Op]) -> None:
        """Add an operation after the current entry, its first field ready for input."""
        at = self.at + 1
        self._current.document.insert(at, [made(kind)], f"adding {kind.title()}")
        self.show_new(at)

    def _insert(self, entries: Any, text: str) -> None:
        at = self.at + 1
        self._current.document.insert(at, entries, text)
        self.folding.show(self.cards[at], self.cards)
        self.select(at, focus=True)

    def _file_added(self, document: object, index: int) -> None:
        """Show the entry that a file was read into."""
        if document is self._current.document and index < len(self.cards):
            self.show_new(index)

    def _choose(self, card: EntryCard, field: str, value: str) -> None:
        if card in self.cards and value != card.option(field):
            card.choose(field, value)

    def _step(self, card: EntryCard, by: int) -> None:
        """Select the next or previous entry and open it."""
        at = min(max(self.cards.index(card) + by, 0), len(self.cards) - 1)
        self.folding.step(self.cards[at], self.cards)
        self.select(at, focus=True)

    def _delete(self, card: EntryCard) -> None:
        self.select(self.cards.index(card))
        self.remove_current()

    def _show_menu(self, card: EntryCard, where: QPoint) -> None:
        self.select(self.cards.index(card))
        commands = [self._actions[name] for name in CARD_COMMANDS]
        card_menu(card, partial(self._choose, card), commands, self).popup(where)

    # -- moving a card with the mouse

    def _drop(self, card: EntryCard, where: QPoint) -> None:
        self.stack.line.hide()
        at, gap = self.cards.index(card), self.stack.line.gap(where, self.cards)
        to = gap - 1 if gap > at else gap
        if to != at:
            self._current.document.move(at, to - at, f"move of {card.name}")
        self.select(to, focus=True)

    def _footer(self) -> QWidget:
        footer = QWidget()
        footer.setObjectName("panelFooter")
        self.add_file = QPushButton(icon("add"), "Add LUT or CDL file…")
        self.add_file.setToolTip("Add LUT, CDL or CLF files to the end of the grade; they can also be dropped here")
        self.add_file.setAccessibleName("Add LUT or CDL file")
        self.add_file.clicked.connect(self._actions["add_look"].trigger)
        self.add_op = QPushButton(icon("add"), "Operation…")
        self.add_op.setToolTip("Find an operation and add it after the current entry (Shift+A)")
        self.add_op.setAccessibleName("Add operation")
        self.add_op.clicked.connect(self.show_op_menu)
        self.op_menu = OpMenu(self)
        self.op_menu.chosen.connect(self.add)
        for button in (self.add_file, self.add_op):
            button.setIconSize(QSize(14, 14))
        row = QHBoxLayout(footer)
        row.setContentsMargins(8, 8, 8, 8)
        row.setSpacing(6)
        row.addWidget(self.add_file, 1)
        row.addWidget(self.add_op)
        return footer
