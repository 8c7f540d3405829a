"""The Grade panel: the entries of the grade, top to bottom in the order of application."""

from __future__ import annotations

from functools import partial
from typing import Any

from PySide6.QtCore import QPoint, QSize, Qt
from PySide6.QtWidgets import QApplication, QMenu, QVBoxLayout, QWidget

from app.model.preset import Preset
from app.panels.addition_drops import AdditionDrops
from app.panels.card_folding import ALONE, CardFolding
from app.panels.card_keys import CardKeys
from app.panels.card_menu import card_menu
from app.panels.card_picks import CardPicks
from app.panels.card_stack import CardStack
from app.panels.card_title import CardTitle
from app.panels.cards import OpCard
from app.panels.entry_cards import EntryCard, card_for
from app.panels.entry_moves import EntryMoves
from app.panels.file_card import FileCard
from app.panels.grade_footer import GradeFooter
from app.panels.mattes.card_matte import CardMatte, MatteServices
from app.panels.picking import PixelPicker
from app.services import clipboard
from app.services.current_document import CurrentDocument
from app.services.event_loop import turn_queue
from app.services.files import Files
from app.services.keyframes import Keyframes
from app.services.messages import Messages
from app.services.presets import Presets
from app.services.settings import Settings
from app.widgets.slider import NumberBox
from engine import Grade, Layer
from engine.errors import GradeError
from engine.grade.entries import bare
from engine.kernel.op import Op
from engine.mattes.tree import Matte

PANEL_WIDTH = 340
WHEELS = "wheels"
"""The setting for whether ops that have wheels show wheels or sliders."""
CARD_COMMANDS = (
    *("entry_reset", "entry_duplicate", "copy_entry", "paste", "matte_paste", "save_preset", "entry_up", "entry_down"),
    *("group", "ungroup", "fold_others", "open_all", "entry_remove"),
)


class GradePanel(QWidget):
    """A card for each entry of the current document's grade. The entry that has or had the focus is selected."""

    def __init__(
        self,
        current: CurrentDocument,
        files: Files,
        settings: Settings,
        messages: Messages,
        mattes: MatteServices,
        picker: PixelPicker,
        keyframes: Keyframes,
        presets: Presets,
    ) -> None:
        """`picker` picks colours in the image."""
        super().__init__()
        self.setObjectName("gradePanel")
        self.setMinimumWidth(PANEL_WIDTH)
        self._current, self._files, self._settings, self._messages = current, files, settings, messages
        self._mattes, self._actions = mattes, mattes.actions
        self.folding = CardFolding(settings)
        self.stack = CardStack(self.folding, self._new_card)
        self.stack.focus_lost.connect(self._focus_current)
        self.moves = EntryMoves(self.stack, messages, self)
        self.drops = AdditionDrops(self.stack, self.moves, presets)
        self.drops.added.connect(self.show_new)
        self.keys = CardKeys(keyframes, self.stack.index, self)
        self.picks = CardPicks(picker, self.stack.index)
        self.footer = GradeFooter(self._actions, presets)
        self.footer.chosen.connect(self.add)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.stack.area, 1)
        column.addWidget(self.footer)
        current.grade_changed.connect(self.show_grade)
        current.image_changed.connect(self.stack.follow_frame)
        current.selected_changed.connect(self._selection_moved)
        files.entry_added.connect(self._file_added)
        settings.changed.connect(self._setting_changed)
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        app.focusChanged.connect(self._focus_moved)
        self._actions["open_alone"].setChecked(self.folding.alone)
        self.show_grade()

    @property
    def cards(self) -> list[EntryCard]:
        """A card for each entry of the grade, in order; those that are not made yet are made now."""
        return self.stack.cards

    @property
    def complete(self) -> bool:
        """Whether all cards are made, and the bodies of the open ones are built."""
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
        self.moves.follow()

    def refresh(self) -> None:
        """Show the values of the grade again, after a rejected edit."""
        for card in self.stack.made:
            card.refresh()

    def select(self, index: int, focus: bool = False) -> None:
        """Select an entry; with `focus`, also give the focus to its title."""
        self._current.document.select(index)
        if focus and 0 <= index < len(self.stack.slots):
            card = self.stack.card(index)
            self.stack.reveal(card)
            card.title.setFocus(Qt.FocusReason.OtherFocusReason)
            self.stack.scroll_to(card)

    def show_new(self, index: int) -> None:
        """Select a new entry, open it, and give the focus to its first field, which is made first: in the next turn of
        the event loop, or before the next input, if this turn is busy."""
        card = self.stack.card(index)
        self.stack.reveal(card)
        self.folding.show(card, self.stack.slots)
        self.select(index)
        if not turn_queue().put_off(card, partial(self._focus_first, card), before_input=True):
            self._focus_first(card)

    def _focus_first(self, card: EntryCard) -> None:
        """Give the focus to the first field of a card, unless another one was selected meanwhile."""
        if self.stack.index(card) != self.at:
            return
        control = card.first_control() or card.title
        if isinstance(control, NumberBox):
            control.begin_typing()
        else:
            control.setFocus(Qt.FocusReason.OtherFocusReason)
        self.stack.scroll_to(card)

    def fold_others(self) -> None:
        """Open the current entry and fold all others."""
        card = self.stack.card(self.at)
        self.folding.fold_others(card, self.stack.slots)
        self.stack.scroll_to(card)

    def open_all(self) -> None:
        """Open all entries."""
        self.folding.open_all(self.stack.slots)

    def toggle_alone(self) -> None:
        """Keep only the selected entry open, or leave the others as they are."""
        self._settings.set(ALONE, not self.folding.alone)

    def _selection_moved(self) -> None:
        """Mark the card of the current entry, and scroll to the selected one unless the hand is on it."""
        at = self._current.document.selected
        self.moves.follow()
        self.stack.mark(self.at)
        at_hand = QApplication.mouseButtons() or self.stack.at_focus(self.window().focusWidget()) == at
        if 0 <= at < len(self.stack.slots) and not at_hand:
            self.stack.scroll_to(self.stack.card(at))

    def _focus_current(self) -> None:
        """Give the focus to the title of the current entry, or to the button that adds one."""
        last = len(self.stack.slots) - 1
        control = self.stack.card(min(self.at, last)).title if last >= 0 else self.footer.add_op
        control.setFocus(Qt.FocusReason.OtherFocusReason)

    def _new_card(self, layer: Layer, opened: bool) -> EntryCard:
        card = card_for(layer, self._settings.get(WHEELS, True), opened)
        card.edited.connect(partial(self._edit, card))
        self.moves.connect_card(card)
        card.removed.connect(partial(self._remove, card))
        card.menu_wanted.connect(partial(self._show_menu, card))
        card.build_wanted.connect(self.stack.build)
        card.title.clicked.connect(lambda: self.folding.click(card, self.stack.slots))
        card.title.extended.connect(partial(self._extend, card))
        card.title.dropped.connect(partial(self._drop, card))
        card.title.drag_cancelled.connect(self.stack.line.hide)
        card.title.stepped.connect(partial(self._step, card))
        card.title.delete_wanted.connect(partial(self._delete, card))
        card.drag_started.connect(partial(self._begin_drag, card))
        card.drag_ended.connect(lambda: self._current.document.end_drag())
        if isinstance(card, OpCard):
            card.wheels_wanted.connect(partial(self._settings.set, WHEELS))
            self.picks.connect_card(card)
        self.keys.connect_card(card, partial(self._menu, card))
        CardMatte(card, self._mattes, partial(self.stack.index, card), partial(self._reach, card))
        return card

    def _setting_changed(self, name: str) -> None:
        if name == WHEELS:
            hand = self.stack.at_focus(self.window().focusWidget())
            self.stack.remake(self._current.document)
            if hand >= 0:
                self.stack.card(hand).give_focus()
        elif name == ALONE:
            self._actions["open_alone"].setChecked(self.folding.alone)
            if self.folding.alone and self.stack.slots:
                self.fold_others()

    def _focus_moved(self, _before: QWidget | None, now: QWidget | None) -> None:
        at = self.stack.at_focus(now)
        extends = QApplication.mouseButtons() and QApplication.keyboardModifiers() & Qt.KeyboardModifier.ShiftModifier
        if at >= 0 and not self.stack.rebuilding and not (extends and isinstance(now, CardTitle)):
            self.select(at)

    # -- edits

    def _edit(self, card: EntryCard, changes: dict[str, Any], what: str) -> None:
        index = self.stack.index(card)
        if index < 0:
            return  # a box that loses the focus when its card is removed
        if isinstance(card, FileCard):
            self._files.set_interpolation(index, changes["interpolation"])
            return
        assert isinstance(card, OpCard)
        shown = bare(self._current.document.entries_at_frame[index])
        assert isinstance(shown, Op)
        try:
            op = shown.replace(**changes)
        except GradeError as error:
            self._messages.warn(str(error))
            card.refresh()
            return
        self._current.document.edit_entry(index, op, f"{card.name} {what}", f"{index}.{','.join(changes)}")

    def _begin_drag(self, card: EntryCard) -> None:
        """Select the entry, which has no focus if a label or number is dragged, and merge the edits that follow."""
        self.select(self.stack.index(card))
        self._current.document.begin_drag()

    def _remove(self, card: EntryCard) -> None:
        self._current.document.remove(self.stack.index(card), f"removal of {card.name}")

    # -- commands on the current entry

    def remove_current(self) -> None:
        at = self.at
        self._remove(self.stack.card(at))
        self.select(min(at, len(self.stack.slots) - 1), focus=True)

    def move_current(self, by: int) -> None:
        """Move the current entry up or down; it stays the current one."""
        moved = self.moves.step(self.stack.card(self.at), by)
        if moved is not None:
            self.select(moved, focus=True)

    def group(self) -> None:
        """Put the marked entries, or the current one, into a group."""
        at = self.moves.group()
        self.folding.show(self.stack.card(at), self.stack.slots)
        self.select(at, focus=True)

    def duplicate_current(self) -> None:
        entry = self._current.document.entries[self.at]
        self._insert([entry], f"copy of {self.stack.card(self.at).name}")

    def reset_current(self) -> None:
        """Reset all fields and switches of the current entry to their defaults; it keeps its matte."""
        self.moves.reset(self.at)

    def paste(self) -> None:
        """Insert the entry on the clipboard after the current one, or replace the grade with the one copied."""
        try:
            found = clipboard.pasted()
        except GradeError as error:
            self._messages.warn(str(error))
            return
        if found is None:
            self._messages.warn("There is no grade on the clipboard; copy one first.")
        elif isinstance(found, Matte):
            self._mattes.editor.paste()
        elif found[1]:
            self._insert(found[0].entries, "pasting an entry")
        else:
            self._current.document.edit(self._current.document.grade.with_entries(found[0].entries), "pasting a grade")

    def add(self, chosen: type[Op] | Preset) -> None:
        """Add an operation or a preset after the current entry, its first field ready for input."""
        at = self.moves.add(chosen)
        if at is not None:
            self.show_new(at)

    def _insert(self, entries: Any, text: str) -> None:
        at = self.moves.insert(entries, text)
        if at is not None:
            self.folding.show(self.stack.card(at), self.stack.slots)
            self.select(at, focus=True)

    def _file_added(self, document: object, index: int) -> None:
        """Show the entry that a file was read into."""
        if document is self._current.document and index < len(self.stack.slots):
            self.show_new(index)

    def _choose(self, card: EntryCard, field: str, value: str) -> None:
        if self.stack.index(card) >= 0 and value != card.option(field):
            card.choose(field, value)

    def _step(self, card: EntryCard, by: int) -> None:
        """Select the next or previous entry and open it."""
        other = self.stack.beside(card, by)
        self.folding.step(other, self.stack.slots)
        self.select(self.stack.index(other), focus=True)

    def _extend(self, card: EntryCard, by: int) -> None:
        """Mark the entries up to a card, or up to the next one in a direction, which gets the focus."""
        at = self.stack.index(self.stack.beside(card, by))
        self.moves.extend(at)
        self.select(at, focus=True)

    def _reach(self, card: EntryCard) -> None:
        """Select the entry of a card before an edit of its matte."""
        if (index := self.stack.index(card)) >= 0:
            self.select(index)

    def _delete(self, card: EntryCard) -> None:
        self.select(self.stack.index(card))
        self.remove_current()

    def _show_menu(self, card: EntryCard, where: QPoint) -> None:
        self.select(self.stack.index(card))
        self._menu(card).popup(where)

    def _menu(self, card: EntryCard) -> QMenu:
        commands = [self._actions[name] for name in CARD_COMMANDS]
        return card_menu(card, partial(self._choose, card), commands, self)

    def _drop(self, card: EntryCard, where: QPoint) -> None:
        self.select(self.moves.drop(card, where), focus=True)
