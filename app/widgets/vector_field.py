"""An editor for a few numbers in one row, such as a position."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget

from app.widgets.field_labels import components_of
from app.widgets.fields import FieldEditor
from app.widgets.key_mark import KeySpot
from app.widgets.number_row import LABEL_WIDTH
from app.widgets.slider import NumberBox
from engine.kernel.op import Slider

_GAP = 8


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
