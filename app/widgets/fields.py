"""Editors for all kinds of op fields. None of them depends on a particular op."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QVBoxLayout,
    QWidget,
)

from app.widgets.choice_box import ChoiceBox
from app.widgets.field_labels import components_of, label_of
from app.widgets.key_mark import WIDTH as MARK_WIDTH
from app.widgets.key_mark import KeySpot
from app.widgets.number_row import BOX_WIDTH, GAP, LABEL_WIDTH, NumberRow
from app.widgets.slider import NumberBox
from engine.kernel.op import Choice, Kind, Slider, Table, TableKind


def first_focusable(widget: QWidget) -> QWidget | None:
    """Return the first control in a widget that the Tab key reaches."""
    inside = widget.findChildren(QWidget)
    return next((w for w in inside if w.focusPolicy() & Qt.FocusPolicy.TabFocus and not w.isHidden()), None)


class FieldEditor(QWidget):
    """Shows the value of a field and emits `edited` when the user changes it."""

    edited = Signal(object)
    drag_started = Signal()
    drag_ended = Signal()

    @abstractmethod
    def set_value(self, value: Any) -> None:
        """Show a value without announcing it."""

    def first_control(self) -> QWidget | None:
        """Return the control that the keyboard goes to first; None if there is none."""
        return first_focusable(self)

    def key_spots(self) -> Sequence[KeySpot]:
        """Return where diamonds for keys go; nowhere for a value that can't be animated."""
        return ()

    def _column(self) -> QVBoxLayout:
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(2)
        return layout


class NumberField(FieldEditor):
    """Edits a slider with one number."""

    def __init__(self, label: str, kind: Slider, name: str, label_width: int = LABEL_WIDTH) -> None:
        super().__init__()
        self.row = NumberRow(label, kind, kind.default, name, label_width=label_width)
        self._column().addWidget(self.row)
        self.row.edited.connect(self.edited.emit)
        self.row.drag_started.connect(self.drag_started)
        self.row.drag_ended.connect(self.drag_ended)

    def set_value(self, value: float) -> None:
        self.row.set_number(value)

    def first_control(self) -> QWidget:
        return self.row.box

    def key_spots(self) -> Sequence[KeySpot]:
        return (self.row.key_spot(),)


class NumbersField(FieldEditor):
    """Edits a slider with a few numbers, one row each. Three numbers with equal defaults have a master row."""

    def __init__(self, label: str, kind: Slider, name: str, label_width: int = LABEL_WIDTH) -> None:
        super().__init__()
        self._kind, self._value = kind, kind.default
        self._start: tuple[float, ...] | None = None
        column = self._column()
        self.master: NumberRow | None = None
        if self._has_master():
            self.master = NumberRow(label, kind, kind.default[0], f"{name}, master", label_width=label_width)
            column.addWidget(self.master)
            self._connect(self.master, self._edit_all)
        else:
            column.addWidget(QLabel(label))
        self.rows: list[NumberRow] = []
        for index, component in enumerate(components_of(kind)):
            row = NumberRow(component, kind, kind.default[index], f"{name}, {component}", True, label_width)
            self._connect(row, lambda number, at=index: self._edit_one(at, number))
            self.rows.append(row)
            column.addWidget(row)

    def set_value(self, value: tuple[float, ...]) -> None:
        self._value = value
        for row, number in zip(self.rows, value, strict=True):
            if row.number != number:
                row.set_number(number)
        if self.master:
            self.master.set_number(sum(value) / len(value))
            self.master.mark_changed(value != self._kind.default)

    def first_control(self) -> QWidget:
        return (self.master or self.rows[0]).box

    def key_spots(self) -> Sequence[KeySpot]:
        each = [row.key_spot((index,)) for index, row in enumerate(self.rows)]
        return [self.master.key_spot(tuple(range(self._kind.size))), *each] if self.master else each

    def _has_master(self) -> bool:
        return self._kind.size == 3 and len(set(self._kind.default)) == 1

    def _connect(self, row: NumberRow, edit: Any) -> None:
        row.drag_started.connect(self._begin)
        row.drag_ended.connect(self._end)
        row.edited.connect(edit)

    def _begin(self) -> None:
        self._start = self._value
        self.drag_started.emit()

    def _end(self) -> None:
        self._start = None
        self.drag_ended.emit()

    def _edit_one(self, index: int, number: float) -> None:
        self._announce((*self._value[:index], number, *self._value[index + 1 :]))

    def _edit_all(self, mean: float) -> None:
        """Move all numbers by the same distance from the start of the drag; a reset makes them equal again."""
        start = self._start or self._value
        if mean == self._kind.default[0]:
            moved = self._kind.default
        else:
            distance = mean - sum(start) / len(start)
            floor = float("-inf") if self._kind.minimum is None else self._kind.minimum
            moved = tuple(max(floor, round(number + distance, 6)) for number in start)
        self._announce(moved)

    def _announce(self, value: tuple[float, ...]) -> None:
        self.set_value(value)
        self.edited.emit(value)


class OptionalField(FieldEditor):
    """Edits a number that can be switched off, which is its default; switched on, it starts at `start`."""

    def __init__(self, label: str, kind: Slider, name: str, start: float) -> None:
        super().__init__()
        self._off = kind.default
        self.switch = QCheckBox(label)
        self.switch.setAccessibleName(name)
        self.switch.setToolTip(f"{name}: on or off. {kind.help}.")
        self.row = NumberRow("", replace(kind, default=start), start, f"{name} value", label_width=0)
        self.row.label.hide()
        self.row.box.setFixedWidth(BOX_WIDTH)
        line = QHBoxLayout(self)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(0)
        self.row.setContentsMargins(GAP, 0, 0, 0)  # the diamond of its keys is there
        line.addWidget(self.switch)
        line.addWidget(self.row, 1)
        self.switch.toggled.connect(self._toggle)
        self.row.edited.connect(self.edited.emit)
        self.row.drag_started.connect(self.drag_started)
        self.row.drag_ended.connect(self.drag_ended)

    def set_value(self, value: float) -> None:
        on = value != self._off
        blocked = self.switch.blockSignals(True)
        self.switch.setChecked(on)
        self.switch.blockSignals(blocked)
        self.row.setEnabled(on)
        if on:
            self.row.set_number(value)

    def key_spots(self) -> Sequence[KeySpot]:
        """Return the place before the number, which can be animated while it is on."""
        return (self.row.key_spot(),)

    def _toggle(self, on: bool) -> None:
        self.row.setEnabled(on)
        self.edited.emit(self.row.number if on else self._off)


class GridField(FieldEditor):
    """Edits a slider with many numbers in a grid of boxes, four per row."""

    def __init__(self, label: str, kind: Slider, name: str) -> None:
        super().__init__()
        self._value = kind.default
        self._name = name
        column = self._column()
        self._caption = QLabel(label)
        column.addWidget(self._caption)
        grid = QGridLayout()
        grid.setSpacing(4)
        column.addLayout(grid)
        self.boxes: list[NumberBox] = []
        for index in range(kind.size):
            where = f"{name}, row {index // 4 + 1}, column {index % 4 + 1}"
            box = NumberBox(kind)
            box.setMinimumWidth(40)
            box.setAccessibleName(where)
            box.setToolTip(
                f"{where}, no unit. {kind.help}.\n"
                "Drag across it, or click and type a value, or use the arrow keys; Shift is fine, Alt coarse."
            )
            box.drag_started.connect(self.drag_started)
            box.drag_ended.connect(self.drag_ended)
            box.valueChanged.connect(lambda number, at=index: self._edit(at, number))
            grid.addWidget(box, index // 4, index % 4)
            self.boxes.append(box)
        self.set_value(kind.default)

    def set_value(self, value: tuple[float, ...]) -> None:
        self._value = value
        for box, number in zip(self.boxes, value, strict=True):
            blocked = box.blockSignals(True)
            box.setValue(number)
            box.blockSignals(blocked)

    def key_spots(self) -> Sequence[KeySpot]:
        return (KeySpot(self, self._key_centre, self._name, tuple(range(len(self.boxes)))),)

    def _key_centre(self) -> QPoint:
        caption = self._caption.geometry()
        return QPoint(caption.left() + self._caption.sizeHint().width() + MARK_WIDTH, caption.center().y())

    def _edit(self, index: int, number: float) -> None:
        self._value = (*self._value[:index], number, *self._value[index + 1 :])
        self.edited.emit(self._value)


class ChoiceField(FieldEditor):
    """Edits a choice in a combo box."""

    def __init__(self, label: str, kind: Choice, name: str, label_width: int = LABEL_WIDTH) -> None:
        super().__init__()
        tip = f"{name}. {kind.help}".rstrip(". ") + "."
        self.box = ChoiceBox(kind.options, name, tip)
        caption = QLabel(label)
        caption.setFixedWidth(label_width)
        caption.setBuddy(self.box)
        caption.setToolTip(tip)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(caption)
        row.addWidget(self.box, 1)
        self._column().addLayout(row)
        self.box.textActivated.connect(self.edited.emit)

    def set_value(self, value: str) -> None:
        self.box.setCurrentText(value)


class TableField(FieldEditor):
    """Shows the shape of a look-up table, read-only."""

    def __init__(self, label: str, kind: TableKind, name: str, label_width: int = LABEL_WIDTH) -> None:
        super().__init__()
        self._text = QLabel()
        self._text.setAccessibleName(name)
        self._text.setToolTip(f"{name}. {kind.help}.")
        caption = QLabel(label)
        caption.setFixedWidth(label_width)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(caption)
        row.addWidget(self._text, 1)
        self._column().addLayout(row)

    def set_value(self, value: Table) -> None:
        self._text.setText(" × ".join(map(str, value.array.shape)))


def editor_for(field: str, kind: Kind, op_title: str, label_width: int = LABEL_WIDTH) -> FieldEditor:
    """Return an editor for a field of an op; `label_width` aligns it with the op's other fields."""
    label = label_of(field)
    name = op_title if label == op_title else f"{op_title} {label.lower()}"
    if isinstance(kind, Choice):
        return ChoiceField(label, kind, name, label_width)
    if isinstance(kind, TableKind):
        return TableField(label, kind, name, label_width)
    if kind.size == 0:
        return NumberField(label, kind, name, label_width)
    if components_of(kind):
        return NumbersField(label, kind, name, label_width)
    return GridField(label, kind, name)


def label_width_for(fields: Iterable[str]) -> int:
    """Return the width of the longest label of these fields, in pixels."""
    metrics = QFontMetrics(QApplication.font())
    return max([LABEL_WIDTH, *(metrics.horizontalAdvance(label_of(field)) + 4 for field in fields)])
