"""Editors for a few numbers in one row, such as a position, or in one column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget

from app.widgets.field_labels import components_of
from app.widgets.fields import FieldEditor
from app.widgets.key_mark import KeySpot
from app.widgets.number_row import LABEL_WIDTH
from app.widgets.slider import NumberBox
from engine.kernel.op import Slider

_GAP, _MARGIN = 8, 11
HEAD, ROW = 18, 24
"""Heights of the caption of a column and of its boxes, in pixels."""
_BOX_TIP = "Drag across it, or click and type a value, or use the arrow keys; Shift is fine, Alt coarse."


class VectorField(FieldEditor):
    """Edits a slider with two or three numbers in a box each; the unit is beside the label."""

    def __init__(self, label: str, kind: Slider, name: str, label_width: int = LABEL_WIDTH) -> None:
        super().__init__()
        self._value: tuple[float, ...] = kind.default
        self._name = name
        unit = f", {kind.unit}" if kind.unit else ", no unit"
        caption = QLabel(label)
        caption.setToolTip(f"{name}{unit}. {kind.help}.")
        self.unit = QLabel("deg" if kind.unit == "°" else kind.unit)  # the sign alone is hardly seen
        self.unit.setObjectName("note")
        self.unit.setToolTip(caption.toolTip())
        self.unit.setFixedWidth(self.unit.sizeHint().width())
        caption.setFixedWidth(label_width - self.unit.width())
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(caption)
        row.addWidget(self.unit)
        row.addSpacing(_GAP)
        plain = Slider(0.0, kind.low, kind.high, "", kind.minimum, kind.help, kind.visible)
        self.boxes: list[NumberBox] = []
        for index, component in enumerate(components_of(kind)):
            box = NumberBox(plain)
            box.setMinimumWidth(48)
            box.setAccessibleName(f"{name}, {component}")
            box.setToolTip(
                f"{name}, {component}{unit}. {kind.help}.\n"
                "Drag across it, or click and type a value, or use the arrow keys; Shift is fine, Alt coarse."
            )
            box.drag_started.connect(self.drag_started)
            box.drag_ended.connect(self.drag_ended)
            box.valueChanged.connect(lambda number, at=index: self._edit(at, number))
            row.addSpacing(4 if index else 0)
            row.addWidget(box, 1)
            self.boxes.append(box)
        caption.setBuddy(self.boxes[0])
        self.set_value(kind.default)

    def set_value(self, value: tuple[float, ...]) -> None:
        self._value = value
        for box, number in zip(self.boxes, value, strict=True):
            blocked = box.blockSignals(True)
            box.setValue(number)
            box.blockSignals(blocked)

    def first_control(self) -> QWidget:
        return self.boxes[0]

    def key_spots(self) -> Sequence[KeySpot]:
        return (KeySpot(self, self._key_centre, self._name, tuple(range(len(self.boxes)))),)

    def _key_centre(self) -> QPoint:
        """Return the middle of the gap before the boxes."""
        return QPoint(self.boxes[0].x() - _GAP // 2, self.height() // 2)

    def _edit(self, index: int, number: float) -> None:
        self._value = (*self._value[:index], number, *self._value[index + 1 :])
        self.edited.emit(self._value)


class VectorColumn(FieldEditor):
    """Edits a slider with several numbers in boxes below each other; a column of its own names them."""

    def __init__(self, label: str, kind: Slider, name: str, parts: Sequence[str]) -> None:
        super().__init__()
        self._value: tuple[float, ...] = kind.default
        self._name, self._parts = name, tuple(parts)
        unit = f", {kind.unit}" if kind.unit else ", no unit"
        about = kind.help.partition(":")[0]
        shown = {"": "", "°": ", deg"}.get(kind.unit, f", {kind.unit}")
        caption = QLabel(f"{label}{shown}", alignment=Qt.AlignmentFlag.AlignCenter)
        caption.setObjectName("note")
        caption.setToolTip(f"{name}{unit}. {about}.")
        caption.setFixedHeight(HEAD)
        column = self._column()
        column.setContentsMargins(_MARGIN, 0, 0, 0)
        column.addWidget(caption)
        plain = replace(kind, default=kind.default[0], unit="", help=about)
        self.boxes: list[NumberBox] = []
        for index, part in enumerate(parts):
            box = NumberBox(plain)
            box.setMinimumWidth(48)
            box.setFixedHeight(ROW)
            box.setAccessibleName(f"{name}, {part}")
            box.setToolTip(f"{name}, {part}{unit}. {about}.\n{_BOX_TIP}")
            box.drag_started.connect(self.drag_started)
            box.drag_ended.connect(self.drag_ended)
            box.valueChanged.connect(partial(self._edit, index))
            column.addWidget(box)
            self.boxes.append(box)

    def set_value(self, value: tuple[float, ...]) -> None:
        self._value = value
        for box, number in zip(self.boxes, value, strict=True):
            blocked = box.blockSignals(True)
            box.setValue(number)
            box.blockSignals(blocked)

    def key_spots(self) -> Sequence[KeySpot]:
        return [
            KeySpot(self, partial(self._key_centre, box), f"{self._name}, {part}", (index,))
            for index, (box, part) in enumerate(zip(self.boxes, self._parts, strict=True))
        ]

    @staticmethod
    def _key_centre(box: NumberBox) -> QPoint:
        return QPoint(_MARGIN // 2, box.geometry().center().y())

    def _edit(self, index: int, number: float) -> None:
        self._value = (*self._value[:index], number, *self._value[index + 1 :])
        self.edited.emit(self._value)
