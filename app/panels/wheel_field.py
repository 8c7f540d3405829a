"""A field editor with a colour wheel and boxes for its numbers."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLabel

from app.widgets.fields import FieldEditor
from app.widgets.slider import NumberBox
from app.widgets.wheel import ColourWheel, Limits, WheelScale
from engine.kernel.op import Slider

_LETTERS = {"R": "red", "G": "green", "B": "blue", "M": "master"}


class WheelField(FieldEditor):
    """Edits red, green, blue and master with a wheel, and a box for each below or `beside` it.

    The master of a value of three numbers is their mean. If there are more, the fourth is the master, and the others
    do not change.
    """

    def __init__(self, label: str, kind: Slider, name: str, limits: Limits | None = None, beside: bool = False) -> None:
        super().__init__()
        self._value: tuple[float, ...] = kind.default
        self.scale = WheelScale(kind, kind.default[:4], limits)
        self.wheel = ColourWheel(self.scale, name, kind.unit)
        self.wheel.edited.connect(lambda values: self._announce((*values, *self._value[4:])))
        self.wheel.drag_started.connect(self.drag_started)
        self.wheel.drag_ended.connect(self.drag_ended)
        grid = QGridLayout()
        column = self._column()
        if beside:
            line = QHBoxLayout()
            line.setSpacing(16)
            line.addWidget(self.wheel, 1)
            line.addLayout(grid, 1)
            column.addLayout(line)
        else:
            caption = QLabel(label, alignment=Qt.AlignmentFlag.AlignCenter)
            caption.setToolTip(self.wheel.toolTip())
            column.addWidget(caption)
            column.addWidget(self.wheel)
            column.addLayout(grid)
        grid.setContentsMargins(0, 2, 0, 0)
        grid.setHorizontalSpacing(4)
        grid.setVerticalSpacing(2)
        grid.setColumnStretch(1, 1)
        self.boxes: dict[str, NumberBox] = {}
        for row, letter in enumerate("MRGB"):
            self._add_box(grid, row, letter, kind, name)
        self.set_value(kind.default)

    def set_value(self, value: tuple[float, ...]) -> None:
        self._value = value
        self.wheel.set_values(value[:4])
        for letter, number in self._numbers().items():
            blocked = self.boxes[letter].blockSignals(True)
            self.boxes[letter].setValue(number)
            self.boxes[letter].blockSignals(blocked)

    def _numbers(self) -> dict[str, float]:
        return {"M": self.scale.master(self._value[:4]), **dict(zip("RGB", self._value, strict=False))}

    def _add_box(self, grid: QGridLayout, row: int, letter: str, kind: Slider, name: str) -> None:
        box = NumberBox(kind)
        box.setMinimumWidth(48)
        box.setAccessibleName(f"{name}, {_LETTERS[letter]}")
        unit = kind.unit or "no unit"
        box.setToolTip(f"{name}, {_LETTERS[letter]}, {unit}. {kind.help}.\nType a value or use the arrow keys.")
        box.valueChanged.connect(lambda number: self._type(letter, number))
        caption = QLabel(letter)
        caption.setProperty("quiet", True)
        caption.setBuddy(box)
        caption.setToolTip(f"{name}, {_LETTERS[letter]}")
        grid.addWidget(caption, row, 0)
        grid.addWidget(box, row, 1)
        self.boxes[letter] = box

    def _type(self, letter: str, number: float) -> None:
        if letter == "M":
            moved = self.scale.with_master(self._value[:4], number)
            self._announce((*moved, *self._value[4:]))
            return
        at = "RGB".index(letter)
        self._announce((*self._value[:at], number, *self._value[at + 1 :]))

    def _announce(self, value: tuple[float, ...]) -> None:
        if value != self._value:
            self.set_value(value)
            self.edited.emit(value)
