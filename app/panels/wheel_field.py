"""A field editor with a colour wheel and boxes for its numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import ClassVar

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLabel

from app.widgets.fields import FieldEditor
from app.widgets.key_mark import HEIGHT, WIDTH, KeySpot
from app.widgets.scrubbing import ScrubLabel
from app.widgets.slider import NumberBox
from app.widgets.wheel import ColourWheel, Limits, WheelScale
from app.widgets.wheel_face import COMPACT, WheelStyle
from engine.kernel.op import Op, Slider
from engine.ops import GradingPrimary, GradingTone

LETTERS = {"R": "red", "G": "green", "B": "blue", "M": "master"}
_TONES, _CONTRASTS = (0.01, 1.99), (0.01, math.inf)


def limits_of(op: type[Op], field: str) -> Limits | None:
    """Return the limits of the numbers of a field that its slider does not have; None if there are none."""
    if op is GradingTone:
        return _TONES
    return _CONTRASTS if op is GradingPrimary and field == "contrast" else None


class WheelField(FieldEditor):
    """Edits red, green, blue and master with a wheel, and a box for each below or `beside` it.

    The master of a value of three numbers is their mean. If there are more, the fourth is the master, and the others
    do not change.
    """

    wheel_style: ClassVar[WheelStyle] = COMPACT

    def __init__(self, label: str, kind: Slider, name: str, limits: Limits | None = None, beside: bool = False) -> None:
        super().__init__()
        self._value: tuple[float, ...] = kind.default
        self._name = name
        self._beside = beside
        self.scale = WheelScale(kind, kind.default[:4], limits, self.wheel_style.bend)
        self.wheel = ColourWheel(self.scale, name, kind.unit, self.wheel_style)
        self.wheel.edited.connect(self._take)
        self.wheel.drag_started.connect(self.drag_started)
        self.wheel.drag_ended.connect(self.drag_ended)
        self.boxes = {letter: self._new_box(letter, kind, name) for letter in "MRGB"}
        self._lay_out(label, kind, name)
        self.set_value(kind.default)

    def set_value(self, value: tuple[float, ...]) -> None:
        self._value = value
        self.wheel.set_values(value[:4])
        for letter, number in self._numbers().items():
            blocked = self.boxes[letter].blockSignals(True)
            self.boxes[letter].setValue(number)
            self.boxes[letter].blockSignals(blocked)

    def key_spots(self) -> Sequence[KeySpot]:
        return (KeySpot(self, self._key_centre, self._name, tuple(range(len(self._value)))),)

    def _key_centre(self) -> QPoint:
        """Return a place at the top right of the disc."""
        wheel = self.wheel.geometry()
        side = min(wheel.width(), wheel.height())
        return QPoint(wheel.center().x() + side // 2 - WIDTH // 2, wheel.top() + HEIGHT // 2)

    def _lay_out(self, label: str, kind: Slider, name: str) -> None:
        grid = QGridLayout()
        column = self._column()
        if self._beside:
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
        for row, (letter, box) in enumerate(self.boxes.items()):
            note = ScrubLabel(letter, box.scrub)
            note.reset.connect(partial(self._reset_number, letter))
            note.setBuddy(box)
            note.setToolTip(f"{name}, {LETTERS[letter]}. Drag to change it; double click to reset it.")
            grid.addWidget(note, row, 0)
            grid.addWidget(box, row, 1)

    def _numbers(self) -> dict[str, float]:
        return {"M": self.scale.master(self._value[:4]), **dict(zip("RGB", self._value, strict=False))}

    def _new_box(self, letter: str, kind: Slider, name: str) -> NumberBox:
        box = NumberBox(kind)
        box.setMinimumWidth(48)
        box.setAccessibleName(f"{name}, {LETTERS[letter]}")
        unit = kind.unit or "no unit"
        box.setToolTip(
            f"{name}, {LETTERS[letter]}, {unit}. {kind.help}.\n"
            "Drag across it, or click and type a value, or use the arrow keys; Shift is fine, Alt coarse."
        )
        box.valueChanged.connect(lambda number: self._type(letter, number))
        box.drag_started.connect(self.drag_started)
        box.drag_ended.connect(self.drag_ended)
        return box

    def _take(self, values: tuple[float, ...]) -> None:
        """Announce other numbers of the wheel; the rest of the value stays."""
        self._announce((*values, *self._value[4:]))

    def _type(self, letter: str, number: float) -> None:
        if letter == "M":
            self._take(self.scale.with_master(self._value[:4], number))
            return
        at = "RGB".index(letter)
        self._announce((*self._value[:at], number, *self._value[at + 1 :]))

    def _reset_number(self, letter: str) -> None:
        default = self.scale.default
        self._type(letter, self.scale.master(default) if letter == "M" else default["RGB".index(letter)])

    def _announce(self, value: tuple[float, ...]) -> None:
        if value != self._value:
            self.set_value(value)
            self.edited.emit(value)
