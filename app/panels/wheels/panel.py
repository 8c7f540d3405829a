"""The Wheels panel, which follows the selected entry of the grade."""

from __future__ import annotations

from functools import partial
from typing import Any

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QScrollArea, QVBoxLayout, QWidget

from app.model.entries import name_of
from app.model.grade_rows import Row, entry_at, rows_of
from app.panels.empty_page import EmptyPage
from app.panels.entry_panel import EntryPanel, nearest_entry
from app.panels.wheels.row import WheelRow, shape_of, wheels_of
from app.services.keyframes import Keyframes
from app.services.messages import Messages
from app.widgets.elided import ElidedLabel
from app.widgets.field_labels import label_of
from app.widgets.gradual import Gradual
from engine import Grade, ops
from engine.grade.grade import layer_of
from engine.kernel.op import Op

LEAST_WIDTH = 320


def shown_entry(grade: Grade, current: int) -> int:
    """Return the index of the current entry if it has wheels, else of the nearest that has; -1 if there is none."""
    return nearest_entry(grade, current, wheels_of)


class WheelsPanel(EntryPanel):
    """Large wheels for an op of the current document that has some, such as a CDL. Its entry is selected once the focus
    enters the wheels."""

    def __init__(self, keyframes: Keyframes, messages: Messages) -> None:
        super().__init__(keyframes, messages)
        self._rows: dict[tuple[Any, ...], WheelRow] = {}
        self.row: WheelRow | None = None
        """The wheels on screen; None if the grade has none."""
        self._making = Gradual(self._make_next, self)
        self._lay_out()
        self._current.changed.connect(self._discard_typed)

    def _lay_out(self) -> None:
        self.name = QLabel()
        self.name.setObjectName("cardTitle")
        self.note = ElidedLabel()
        self.note.setProperty("quiet", True)
        self._header = QHBoxLayout()
        self._header.setContentsMargins(10, 4, 10, 0)
        self._header.setSpacing(8)
        self._header.addWidget(self.name)
        self._header.addWidget(self.note, 1)
        self._content = QWidget()
        self._content.setObjectName("cards")
        self._line = QHBoxLayout(self._content)
        self._line.setContentsMargins(0, 0, 0, 0)
        tip = "Add a CDL after the current entry, with wheels for slope, offset and power"
        self.empty = EmptyPage("No entry of the grade has wheels.", "Add CDL", tip, self.add)
        self._line.addWidget(self.empty)
        self._area = WheelArea(self._content)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(self._header)
        column.addWidget(self._area, 1)

    # -- showing

    @staticmethod
    def _suits(op: Any) -> object:
        return wheels_of(op)

    def _show_op(self, op: Op | None) -> None:
        self._show_row(op)
        self.name.setText(op.title() if op is not None else "")
        note = self._note()
        if note != self.note.whole:
            self.note.show_text(note)

    def _holds(self, widget: QWidget) -> bool:
        row = self.row
        return row is not None and (row.isAncestorOf(widget) or row.amounts.isAncestorOf(widget))

    def _show_row(self, op: Op | None) -> None:
        before, self.row = self.row, self._row_of(op) if op is not None else None
        if self.row is not None and op is not None:
            self._show_in(self.row, op)
            if not self.row.complete:
                self._making.start()
        if before is self.row and self.empty.isHidden() == (op is not None):
            return
        for row in self._rows.values():
            row.setVisible(row is self.row)
            row.amounts.setVisible(row is self.row)
        self.empty.setVisible(op is None)
        self._area.keep_height()

    @property
    def complete(self) -> bool:
        """Whether all wheels on screen are built."""
        return not self._waiting and not self._making.is_active

    def _make_next(self) -> bool:
        """Build a wheel; return False if all are built."""
        if self.row is not None:
            self.row.advance()
        return self.row is not None and not self.row.complete

    def _row_of(self, op: Op) -> WheelRow:
        shape = shape_of(op)
        if shape not in self._rows:
            row = WheelRow(op)
            row.edited.connect(partial(self._edit, row))
            self._follow_editor(row)
            self._line.addWidget(row)
            self._header.addWidget(row.amounts)
            self._rows[shape] = row
        return self._rows[shape]

    def _note(self) -> str:
        """Return which entry is shown, whether it is applied, and why it is not the current one."""
        document = self._current.document
        if self._index < 0:
            return ""
        rows, current = rows_of(document.grade), document.current_entry
        note = f"entry {self._index + 1} of {len(rows)}"
        if not rows[self._index].runs:
            note += f", {_why_idle(document.grade, rows[self._index])}"
        if current != self._index:
            note += f"; {name_of(rows[current].entry)}, the current entry, has no wheels"
        return note

    # -- edits

    def add(self) -> None:
        """Add a CDL after the current entry, and select it."""
        self._add(ops.Cdl())
        if self.row is not None:
            next(iter(self.row.wheels.values())).wheel.setFocus(Qt.FocusReason.OtherFocusReason)

    def _edit(self, row: WheelRow, field: str, value: Any) -> None:
        if row is self.row:  # else a box that loses the focus when its wheels are replaced
            self._change(row, {field: value}, label_of(field).lower())

    def _discard_typed(self) -> None:
        """Discard text in a box that was typed for another document."""
        if self.row is not None:
            self.row.refresh()


class WheelArea(QScrollArea):
    """Scrolls a row of wheels sideways where it is wider than the panel. It is never lower than the row."""

    def __init__(self, content: QWidget) -> None:
        super().__init__()
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setWidget(content)
        self._content, self._usual, self._least = content, 0, 0

    def keep_height(self) -> None:
        """Prefer the height of the tallest content so far, so that the panel keeps its height without wheels."""
        bar = self.horizontalScrollBar().sizeHint().height()
        self._usual = max(self._usual, self._content.sizeHint().height())
        self._least = max(self._least, self._content.minimumSizeHint().height() + bar)
        self.updateGeometry()

    def sizeHint(self) -> QSize:
        return QSize(LEAST_WIDTH, self._usual)

    def minimumSizeHint(self) -> QSize:
        return QSize(LEAST_WIDTH, self._least)


def _why_idle(grade: Grade, row: Row) -> str:
    """Return why an entry is not applied."""
    if not layer_of(row.entry).enabled:
        return "bypassed"
    groups = (layer_of(entry_at(grade, row.path[:depth])) for depth in range(1, len(row.path)))
    return "muted by a solo" if all(group.enabled for group in groups) else "in a bypassed group"
