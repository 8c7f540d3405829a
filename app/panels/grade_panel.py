"""The Grade panel: the entries of the grade, top to bottom in the order of application."""

from __future__ import annotations

import time
from collections.abc import Mapping
from functools import partial
from typing import Any

from PySide6.QtCore import QPoint, QSize, Qt, QTimer
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication, QFrame, QHBoxLayout, QLabel, QMenu, QPushButton, QVBoxLayout, QWidget

from app.model.document import Document
from app.model.entries import name_of
from app.panels.bodies import PickingBody
from app.panels.cards import Card, FileCard, OpCard, card_for, shape_of
from app.panels.op_menu import OpMenu, default_of, made
from app.panels.picking import PixelPicker
from app.services import clipboard
from app.services.files import Files
from app.services.messages import Messages
from app.services.open_documents import OpenDocuments
from app.services.settings import Settings
from app.widgets.scrolling import scroll_area
from app.widgets.style import icon
from engine import Grade, Layer
from engine.errors import GradeError
from engine.grade.grade import bare, layer_of
from engine.kernel.op import Op

PANEL_WIDTH = 340
WHEELS = "wheels"
"""The setting for whether ops that have wheels show wheels or sliders."""
MAKING_SECONDS = 0.006
"""Longest time that building cards may block other events."""
CARD_COMMANDS = ("entry_reset", "entry_duplicate", "copy_entry", "paste", "entry_up", "entry_down", "entry_remove")


class GradePanel(QWidget):
    """A card for each entry of the current document's grade. The entry that has or had the focus is selected."""

    def __init__(
        self,
        documents: OpenDocuments,
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
        self._documents, self._files, self._settings, self._messages = documents, files, settings, messages
        self._actions, self._picker = actions, picker
        self.cards: list[OpCard | FileCard] = []
        self._rebuilding = False
        self._making = QTimer(self, interval=0)
        self._making.timeout.connect(self._make_next)
        self._lay_out()
        documents.grade_changed.connect(self.show_grade)
        documents.selected_changed.connect(self._mark_selected)
        settings.changed.connect(self._setting_changed)
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        app.focusChanged.connect(self._focus_moved)
        self.show_grade(self._document.grade)

    def _lay_out(self) -> None:
        self._stack = QVBoxLayout()
        self._stack.setContentsMargins(8, 8, 8, 8)
        self._stack.setSpacing(6)
        self._stack.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._content = content = QWidget()
        content.setObjectName("cards")
        content.setLayout(self._stack)
        self.area = scroll_area(content)
        self._line = QFrame(content)
        self._line.setObjectName("dropLine")
        self._line.hide()
        self._empty = QLabel("The grade is empty.\nAdd a file or an operation below.")
        self._empty.setObjectName("hint")
        self._stack.addWidget(self._empty)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.area, 1)
        column.addWidget(self._footer())

    @property
    def _document(self) -> Document:
        return self._documents.current

    @property
    def at(self) -> int:
        """The index of the current entry: the selected one, else the last; -1 if there is none."""
        return self._document.current_entry

    def sizeHint(self) -> QSize:
        return QSize(PANEL_WIDTH, 600)

    # -- showing

    def show_grade(self, grade: Grade) -> None:
        """Update the cards to show a grade; reuse cards of the same shape."""
        layers = [layer_of(entry) for entry in grade.entries]
        if [shape_of(card.layer.entry) for card in self.cards] != [shape_of(layer.entry) for layer in layers]:
            self._rebuild(layers)
        for card, layer, runs in zip(self.cards, layers, grade.running, strict=True):
            if (card.layer, card.runs) != (layer, runs):
                card.set_layer(layer, runs)

    def refresh(self) -> None:
        """Show the values of the grade again, after a rejected edit."""
        for card in self.cards:
            card.refresh()

    def select(self, index: int, focus: bool = False) -> None:
        """Select an entry; with `focus`, also give the focus to its title."""
        self._document.select(index)
        if focus and 0 <= index < len(self.cards):
            self.cards[index].title.setFocus(Qt.FocusReason.OtherFocusReason)
            self.area.ensureWidgetVisible(self.cards[index].title)

    def _mark_selected(self) -> None:
        for place, card in enumerate(self.cards):
            card.set_current(place == self._document.selected)

    def _rebuild(self, layers: list[Layer]) -> None:
        """Make the cards for `layers`, with those that can be reused. The focus may move; the selection does not."""
        self._rebuilding = True
        kept = list(self.cards)
        self.cards = []
        for index, layer in enumerate(layers):
            card = next((c for c in kept if shape_of(c.layer.entry) == shape_of(layer.entry)), None)
            if card is not None:
                kept.remove(card)
            else:
                card = self._new_card(layer)
            if self._stack.indexOf(card) != index:
                self._stack.removeWidget(card)
                self._stack.insertWidget(index, card)
            self.cards.append(card)
        for card in kept:
            self._stack.removeWidget(card)
            card.hide()
            card.deleteLater()
        self._empty.setVisible(not layers)
        self._making.start()
        self._mark_selected()
        self._rebuilding = False

    @property
    def complete(self) -> bool:
        """Whether the bodies of all cards are built."""
        return not self._making.isActive()

    def _make_next(self) -> None:
        """Build parts of the bodies for at most MAKING_SECONDS, so that a long grade does not block the window."""
        until = time.monotonic() + MAKING_SECONDS
        while time.monotonic() < until:
            if not any(card.advance() for card in self.cards if isinstance(card, OpCard)):
                self._making.stop()
                return

    def _new_card(self, layer: Layer) -> OpCard | FileCard:
        card = card_for(layer, self._settings.get(WHEELS, True))
        card.edited.connect(partial(self._edit, card))
        card.switched.connect(partial(self._switch, card))
        card.removed.connect(partial(self._remove, card))
        card.menu_wanted.connect(partial(self._show_menu, card))
        card.title.dragged.connect(partial(self._drag, card))
        card.title.dropped.connect(partial(self._drop, card))
        card.title.drag_cancelled.connect(self._line.hide)
        card.title.stepped.connect(partial(self._step, card))
        card.title.delete_wanted.connect(partial(self._delete, card))
        card.drag_started.connect(lambda: self._document.begin_drag())
        card.drag_ended.connect(lambda: self._document.end_drag())
        if isinstance(card, OpCard):
            card.wheels_wanted.connect(partial(self._settings.set, WHEELS))
            card.pick_wanted.connect(partial(self._pick, card))
        return card

    def _setting_changed(self, name: str) -> None:
        if name == WHEELS:
            self._rebuild([])
            self.show_grade(self._document.grade)

    def _focus_moved(self, _before: QWidget | None, now: QWidget | None) -> None:
        while now is not None and not isinstance(now, Card):
            now = now.parentWidget()
        if now in self.cards and not self._rebuilding:
            self.select(self.cards.index(now))

    # -- edits

    def _edit(self, card: OpCard | FileCard, changes: dict[str, Any], what: str) -> None:
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
        self._document.edit_entry(index, op, f"{card.name} {what}", f"{index}.{','.join(changes)}")

    def _switch(self, card: OpCard | FileCard, switch: str, value: Any) -> None:
        self._document.switch(self.cards.index(card), switch, value)

    def _remove(self, card: OpCard | FileCard) -> None:
        self._document.remove(self.cards.index(card), f"removal of {card.name}")

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
            self._document.move(at, by, f"move of {self.cards[at].name}")
            self.select(at + by, focus=True)

    def duplicate_current(self) -> None:
        entry = self._document.grade.entries[self.at]
        self._document.insert(self.at + 1, [entry], f"copy of {self.cards[self.at].name}")
        self.select(self.at + 1, focus=True)

    def reset_current(self) -> None:
        """Reset all fields and switches of the current entry to their defaults."""
        at = self.at
        entry = bare(self._document.grade.entries[at])
        fresh = Layer(default_of(entry) if isinstance(entry, Op) else entry)
        self._document.edit_entry(at, fresh, f"reset of {name_of(entry)}")

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
            self._document.edit(self._document.grade.with_entries(found[0].entries), "pasting a grade")

    def show_op_menu(self) -> None:
        """Show the menu that finds and adds an operation."""
        self.op_menu.pop_up(self.add_op.mapToGlobal(QPoint(0, 0)) - QPoint(120, 0), 240, 380)

    def add(self, kind: type[Op]) -> None:
        """Add an operation after the current entry."""
        self._insert([made(kind)], f"adding {kind.title()}")

    def _insert(self, entries: Any, text: str) -> None:
        at = self.at + 1
        self._document.insert(at, entries, text)
        self.select(at, focus=True)

    def _step(self, card: OpCard | FileCard, by: int) -> None:
        """Select the next or previous entry."""
        self.select(min(max(self.cards.index(card) + by, 0), len(self.cards) - 1), focus=True)

    def _delete(self, card: OpCard | FileCard) -> None:
        self.select(self.cards.index(card))
        self.remove_current()

    def _show_menu(self, card: OpCard | FileCard, where: QPoint) -> None:
        self.select(self.cards.index(card))
        menu = QMenu(self)
        menu.setToolTipsVisible(True)
        menu.addActions([self._actions[name] for name in CARD_COMMANDS])
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(where)

    # -- moving a card with the mouse

    def _drag(self, card: OpCard | FileCard, where: QPoint) -> None:
        """Show where the card would be dropped."""
        gap = self._gap(where)
        y = self.cards[gap].y() - 4 if gap < len(self.cards) else self.cards[-1].geometry().bottom() + 3
        self._line.setGeometry(8, y, self._content.width() - 16, 2)
        self._line.show()
        self._line.raise_()
        here = self._content.mapFromGlobal(where)
        self.area.ensureVisible(here.x(), here.y(), 0, 24)

    def _drop(self, card: OpCard | FileCard, where: QPoint) -> None:
        self._line.hide()
        at, gap = self.cards.index(card), self._gap(where)
        to = gap - 1 if gap > at else gap
        if to != at:
            self._document.move(at, to - at, f"move of {card.name}")
        self.select(to, focus=True)

    def _gap(self, where: QPoint) -> int:
        """Return the index at which a card dropped at a global position is inserted."""
        y = self._content.mapFromGlobal(where).y()
        return next((i for i, card in enumerate(self.cards) if y < card.geometry().center().y()), len(self.cards))

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
