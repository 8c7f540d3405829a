"""The grade, top to bottom in the order it is applied, and what can be added to it."""

from __future__ import annotations

from functools import partial
from typing import Any

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QMenu, QPushButton, QScrollArea, QVBoxLayout, QWidget

from app.document import Document
from app.panels.cards import FileCard, OpCard, card_for, shape_of
from app.panels.fields import label_of
from app.style import icon
from app.workspace import Workspace
from engine import FileLook, Grade
from engine.errors import GradeError
from engine.op import REGISTRY, ColorOp, Op, TableKind

PANEL_WIDTH = 324


def addable_ops() -> list[type[Op]]:
    """Ops that can be made from nothing, by title: those without a table, and of filters those that begin as none."""
    made = [op for op in REGISTRY.values() if not any(isinstance(k, TableKind) for k in op.kinds().values())]
    return sorted((op for op in made if issubclass(op, ColorOp) or op().is_identity()), key=lambda op: op.title())


class GradePanel(QWidget):
    """A card for each entry. Edits go to the current document."""

    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        self.setObjectName("gradePanel")
        self.setMinimumWidth(PANEL_WIDTH)
        self._workspace = workspace
        self.cards: list[OpCard | FileCard] = []
        self._stack = QVBoxLayout()
        self._stack.setContentsMargins(8, 8, 8, 8)
        self._stack.setSpacing(6)
        self._stack.setAlignment(Qt.AlignmentFlag.AlignTop)
        content = QWidget()
        content.setObjectName("cards")
        content.setLayout(self._stack)
        self.area = QScrollArea()
        self.area.setWidgetResizable(True)
        self.area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.area.setFrameShape(QFrame.Shape.NoFrame)
        self.area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.area.setWidget(content)
        self._empty = QLabel("The grade is empty.\nAdd a file or an operation below.")
        self._empty.setObjectName("hint")
        self._stack.addWidget(self._empty)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.area, 1)
        column.addWidget(self._footer())
        workspace.grade_changed.connect(self.show_grade)
        self.show_grade(self._document.grade)

    @property
    def _document(self) -> Document:
        return self._workspace.document

    def show_grade(self, grade: Grade) -> None:
        """Bring the cards in line with a grade, keeping those that fit."""
        entries = grade.entries
        if [shape_of(self._entry(card)) for card in self.cards] != [shape_of(entry) for entry in entries]:
            self._rebuild(entries)
        for card, entry in zip(self.cards, entries, strict=True):
            if self._entry(card) is not entry:
                card.set_entry(entry)  # type: ignore[arg-type]

    def _rebuild(self, entries: tuple[Op | FileLook, ...]) -> None:
        kept = list(self.cards)
        self.cards = []
        for index, entry in enumerate(entries):
            card = next((c for c in kept if shape_of(self._entry(c)) == shape_of(entry)), None)
            if card is not None:
                kept.remove(card)
            else:
                card = self._new_card(entry)
            self._stack.removeWidget(card)
            self._stack.insertWidget(index, card)
            card.set_place(index, len(entries))
            self.cards.append(card)
        for card in kept:
            self._stack.removeWidget(card)
            card.hide()
            card.deleteLater()
        self._empty.setVisible(not entries)

    def _new_card(self, entry: Op | FileLook) -> OpCard | FileCard:
        card = card_for(entry)
        card.edited.connect(partial(self._edit, card))
        card.moved.connect(partial(self._move, card))
        card.removed.connect(partial(self._remove, card))
        card.drag_started.connect(lambda: self._document.begin_drag())
        card.drag_ended.connect(lambda: self._document.end_drag())
        return card

    def _edit(self, card: OpCard | FileCard, field: str, value: Any) -> None:
        index = self.cards.index(card)
        if isinstance(card, FileCard):
            self._workspace.files.set_interpolation(index, value)
            return
        title = card.op.title()
        try:
            if not field:
                self._document.edit_entry(index, default_of(card.op), f"reset of {title}")
                return
            op = card.op.replace(**{field: value})
        except GradeError as error:
            self._workspace.tell(str(error))
            card.refresh()
            return
        self._document.edit_entry(index, op, f"{title} {label_of(field).lower()}", f"{index}.{field}")

    def _move(self, card: OpCard | FileCard, by: int) -> None:
        self._document.move(self.cards.index(card), by, f"move of {self._title(card)}")

    def _remove(self, card: OpCard | FileCard) -> None:
        self._document.remove(self.cards.index(card), f"removal of {self._title(card)}")

    def refresh(self) -> None:
        """Show the grade's values again, after an edit that was refused."""
        for card in self.cards:
            card.refresh()

    def _footer(self) -> QWidget:
        footer = QWidget()
        footer.setObjectName("panelFooter")
        self.add_file = QPushButton(icon("add"), "Add LUT or CDL file…")
        self.add_file.setToolTip("Add LUT, CDL or CLF files to the end of the grade; they can also be dropped here")
        self.add_file.setAccessibleName("Add LUT or CDL file")
        self.add_file.clicked.connect(self._workspace.actions["add_look"].trigger)
        self.add_op = QPushButton("Operation")
        self.add_op.setToolTip("Add an operation to the end of the grade")
        self.add_op.setAccessibleName("Add operation")
        menu = QMenu(self.add_op)
        menu.setToolTipsVisible(True)
        for op in addable_ops():
            action = menu.addAction(op.title())
            action.setToolTip((op.__doc__ or op.title()).strip().splitlines()[0])
            action.triggered.connect(partial(self._add, op))
        self.add_op.setMenu(menu)
        for button in (self.add_file, self.add_op):
            button.setIconSize(QSize(14, 14))
        row = QHBoxLayout(footer)
        row.setContentsMargins(8, 8, 8, 8)
        row.setSpacing(6)
        row.addWidget(self.add_file, 1)
        row.addWidget(self.add_op)
        return footer

    def _add(self, op: type[Op]) -> None:
        self._document.add(op(), f"adding {op.title()}")

    @staticmethod
    def _entry(card: OpCard | FileCard) -> Op | FileLook:
        return card.look if isinstance(card, FileCard) else card.op

    def _title(self, card: OpCard | FileCard) -> str:
        return card.look.path.rpartition("/")[2] if isinstance(card, FileCard) else card.op.title()


def default_of(op: Op) -> Op:
    """The op with every field but its tables at the default."""
    return op.replace(**{n: k.default for n, k in op.kinds().items() if not isinstance(k, TableKind)})
