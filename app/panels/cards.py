"""One entry of the grade: an op with its fields, or a file with its ops."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QToolButton, QVBoxLayout, QWidget

from app.panels.elided import ElidedLabel
from app.panels.fields import ChoiceBox, FieldEditor, editor_for, label_width_for
from app.style import icon
from engine import FileLook
from engine.op import Op

INTERPOLATIONS = ("file", "linear", "tetrahedral")
_INTERPOLATION_TIP = "How colours between the entries of {} are made. file: as the file asks."


def icon_button(name: str, tip: str, accessible: str) -> QToolButton:
    """A small button with an icon alone."""
    button = QToolButton()
    button.setIcon(icon(name))
    button.setIconSize(QSize(14, 14))
    button.setToolTip(tip)
    button.setAccessibleName(accessible)
    button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    return button


class Card(QFrame):
    """What every entry's card has: it can be moved up and down, and removed."""

    moved = Signal(int)
    removed = Signal()
    edited = Signal(str, object)  # field, value
    drag_started = Signal()
    drag_ended = Signal()

    def _order_buttons(self, name: str) -> list[QToolButton]:
        self.up = icon_button("up", f"Apply {name} earlier", f"Move {name} up")
        self.down = icon_button("down", f"Apply {name} later", f"Move {name} down")
        self.remove = icon_button("remove", f"Take {name} out of the grade", f"Remove {name}")
        self.up.clicked.connect(lambda: self.moved.emit(-1))
        self.down.clicked.connect(lambda: self.moved.emit(1))
        self.remove.clicked.connect(self.removed)
        return [self.up, self.down, self.remove]

    def set_place(self, index: int, count: int) -> None:
        """Where in the grade the entry is."""
        self.up.setEnabled(index > 0)
        self.down.setEnabled(index < count - 1)


class OpCard(Card):
    """An op: its title, and an editor for each of its fields."""

    def __init__(self, op: Op) -> None:
        super().__init__()
        self.op = op
        title = op.title()
        column = QVBoxLayout(self)
        column.setContentsMargins(10, 4, 10, 8)
        column.setSpacing(4)
        column.addLayout(self._header(title))
        self.body = QWidget()
        fields = QVBoxLayout(self.body)
        fields.setContentsMargins(0, 0, 0, 0)
        fields.setSpacing(4)
        label_width = label_width_for(op.kinds())
        self.editors: dict[str, FieldEditor] = {}
        for field, kind in op.kinds().items():
            editor = editor_for(field, kind, title, label_width)
            editor.set_value(getattr(op, field))
            editor.edited.connect(lambda value, name=field: self.edited.emit(name, value))
            editor.drag_started.connect(self.drag_started)
            editor.drag_ended.connect(self.drag_ended)
            self.editors[field] = editor
            fields.addWidget(editor)
        column.addWidget(self.body)

    def set_entry(self, op: Op) -> None:
        """Show other values of the same op; only what differs is touched."""
        before, self.op = self.op, op
        for field, editor in self.editors.items():
            if getattr(before, field) != getattr(op, field):
                editor.set_value(getattr(op, field))
        self.reset.setEnabled(not op.at_default())

    def refresh(self) -> None:
        """Show the op's values again, after an edit that was refused."""
        for field, editor in self.editors.items():
            editor.set_value(getattr(self.op, field))

    def _header(self, title: str) -> QHBoxLayout:
        self.fold = QToolButton()
        self.fold.setText(title)
        self.fold.setObjectName("cardTitle")
        self.fold.setCheckable(True)
        self.fold.setChecked(True)
        self.fold.setIcon(icon("chevron-down"))
        self.fold.setIconSize(QSize(12, 12))
        self.fold.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.fold.setToolTip(f"Show or hide the fields of {title}")
        self.fold.setAccessibleName(f"Show {title}")
        self.fold.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.fold.toggled.connect(self._fold)
        self.reset = icon_button("reset", f"Reset every field of {title}", f"Reset {title}")
        self.reset.setEnabled(not self.op.at_default())
        self.reset.clicked.connect(lambda: self.edited.emit("", None))
        row = QHBoxLayout()
        row.setSpacing(2)
        row.addWidget(self.fold)
        row.addStretch(1)
        for button in (self.reset, *self._order_buttons(title)):
            row.addWidget(button)
        return row

    def _fold(self, shown: bool) -> None:
        self.body.setVisible(shown)
        self.fold.setIcon(icon("chevron-down" if shown else "chevron-right"))


class FileCard(Card):
    """A LUT or CDL file: its name and how its entries are interpolated."""

    def __init__(self, look: FileLook) -> None:
        super().__init__()
        self.look = look
        name = Path(look.path).name
        label = ElidedLabel(name)
        label.setObjectName("cardTitle")
        label.setToolTip(f"{look.path}\n{', '.join(op.title() for op in look.ops) or 'changes nothing'}")
        self.box = ChoiceBox(INTERPOLATIONS, f"Interpolation of {name}", _INTERPOLATION_TIP.format(name))
        self.box.setCurrentText(look.interpolation)
        self.box.textActivated.connect(lambda word: self.edited.emit("interpolation", word))
        caption = QLabel("Interpolation")
        caption.setFixedWidth(label_width_for(["interpolation"]))
        caption.setBuddy(self.box)
        head, row = QHBoxLayout(), QHBoxLayout()
        head.setSpacing(2)
        head.addWidget(label, 1)
        for button in self._order_buttons(name):
            head.addWidget(button)
        row.setSpacing(8)
        row.addWidget(caption)
        row.addWidget(self.box, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(10, 4, 10, 8)
        column.setSpacing(4)
        column.addLayout(head)
        column.addLayout(row)

    def set_entry(self, look: FileLook) -> None:
        self.look = look
        self.box.setCurrentText(look.interpolation)

    def refresh(self) -> None:
        """Show the look's values again, after an edit that was refused."""
        self.box.setCurrentText(self.look.interpolation)


def card_for(entry: Op | FileLook) -> OpCard | FileCard:
    """The card for an entry of a grade."""
    return FileCard(entry) if isinstance(entry, FileLook) else OpCard(entry)


def shape_of(entry: Op | FileLook) -> Any:
    """What two entries must share to be shown on the same card."""
    return entry.path if isinstance(entry, FileLook) else type(entry)
