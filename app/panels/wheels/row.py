"""The wheels of an op in a row."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QApplication, QHBoxLayout, QSizePolicy, QWidget

from app.panels.bodies import PRIMARY_WHEELS
from app.panels.key_marks import KeyMarks
from app.panels.range_field import Place
from app.panels.tone_body import places_of as places_of_tone
from app.panels.wheel_field import limits_of
from app.panels.wheels.large_wheel import USUAL, LargeWheel
from app.widgets.field_labels import label_of
from app.widgets.fields import FieldEditor, NumberField
from app.widgets.number_row import LABEL_WIDTH
from engine import FileLook, ops
from engine.grade.entries import Group
from engine.kernel.op import Op, Slider
from engine.ops.grading_tone import PLACES
from engine.ops.hdr_wheels import ZONES

AMOUNT_WIDTH, OF_SEVERAL = 280, 210
"""Width of an amount in pixels, and of each where there are several."""
AMOUNTS: dict[type[Op], tuple[str, ...]] = {
    ops.GradingTone: ("contrast",),
    ops.HdrWheels: (),
    ops.LogWheels: ("low", "high", "falloff"),
}
"""The fields beside the wheels; saturation for all other ops."""


def wheels_of(op: Op | FileLook | Group) -> tuple[str, ...]:
    """Return the fields of an op that have wheels; () if there are none."""
    if isinstance(op, ops.Cdl):
        return "slope", "offset", "power"
    if isinstance(op, ops.GradingPrimary):
        return PRIMARY_WHEELS[op.style]
    if isinstance(op, ops.LogWheels):
        return "shadow", "midtone", "highlight", "offset"
    if isinstance(op, ops.HdrWheels):
        return *ZONES, "overall"
    return tuple(PLACES[op.style]) if isinstance(op, ops.GradingTone) else ()


def shape_of(op: Op) -> tuple[type[Op], tuple[str, ...], str]:
    """Return what ops have in common that one row can show: their type, their wheels, and the scale of tone ranges."""
    return type(op), wheels_of(op), op.style if isinstance(op, ops.GradingTone) else ""


def _places_of(op: Op, field: str) -> list[Place]:
    """Return where the range of tones of a wheel lies, on the scale of the op's style; [] if the wheel has none."""
    if isinstance(op, ops.HdrWheels):
        from app.panels.zone_body import places_of  # loaded when first shown

        return places_of(field)
    kind = op.kinds()[field]
    assert isinstance(kind, Slider)
    return places_of_tone(op.style, field, kind) if isinstance(op, ops.GradingTone) else []


class WheelRow(QWidget):
    """A large wheel for each field of an op that has one, and its other numbers, such as saturation, as `amounts`.

    Only the first wheel is built at once; nothing is painted until `advance` has built the others.
    """

    edited = Signal(str, object)  # field, value
    drag_started = Signal()
    drag_ended = Signal()

    def __init__(self, op: Op) -> None:
        super().__init__()
        self.setObjectName("cards")
        self.op = op
        self.wheels: dict[str, LargeWheel] = {}
        self.editors: dict[str, FieldEditor] = {}
        self.marks = KeyMarks(self)
        self._waiting = list(wheels_of(op))
        self._line = QHBoxLayout(self)
        self._line.setContentsMargins(10, 2, 10, 6)
        self._line.setSpacing(12)
        self._line.addStretch(1)
        self._line.addStretch(1)
        self.amounts = self._amounts(AMOUNTS.get(type(op), ("saturation",)))
        self.setUpdatesEnabled(False)
        self.advance()

    @property
    def complete(self) -> bool:
        """Whether all wheels are built."""
        return not self._waiting

    def advance(self) -> None:
        """Build the next wheel."""
        if self._waiting:
            field = self._waiting.pop(0)
            self.wheels[field] = wheel = self._wheel(field)
            self._line.insertWidget(len(self.wheels), wheel, 1000)
            self._take(field, wheel)
            self.setUpdatesEnabled(self.complete)

    def finish(self) -> None:
        """Build all remaining wheels."""
        while self._waiting:
            self.advance()

    def set_op(self, op: Op) -> None:
        """Show the values of `op`; update only the editors whose values differ."""
        before, self.op = self.op, op
        for field, editor in self.editors.items():
            if getattr(before, field) != getattr(op, field):
                editor.set_value(getattr(op, field))

    def refresh(self) -> None:
        """Show the values of the op again, after a rejected edit."""
        for field, editor in self.editors.items():
            editor.set_value(getattr(self.op, field))

    def sizeHint(self) -> QSize:
        least = self.minimumSizeHint()
        return QSize(least.width(), least.height() + USUAL - next(iter(self.wheels.values())).wheel.minimumHeight())

    def _wheel(self, field: str) -> LargeWheel:
        kind = self.op.kinds()[field]
        assert isinstance(kind, Slider)
        name = f"{self.op.title()} {label_of(field).lower()}"
        limits, places = limits_of(type(self.op), field), _places_of(self.op, field)
        if places:
            kind = replace(kind, help=", ".join(kind.help.split(", ")[:4]))
        return LargeWheel(label_of(field), kind, name, limits, places)

    def _amounts(self, fields: tuple[str, ...]) -> QWidget:
        """Return the editors of fields in a row."""
        row = QWidget()
        line = QHBoxLayout(row)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(12)
        for field in fields:
            kind = self.op.kinds()[field]
            assert isinstance(kind, Slider)
            label, short = label_of(field), len(fields) > 1
            width = QFontMetrics(QApplication.font()).horizontalAdvance(label) + 4 if short else LABEL_WIDTH
            editor = NumberField(label, kind, f"{self.op.title()} {field}", width)
            editor.setFixedWidth(OF_SEVERAL if short else AMOUNT_WIDTH)
            editor.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
            self._take(field, editor)
            line.addWidget(editor)
        return row

    def _take(self, field: str, editor: FieldEditor) -> None:
        """Use an editor for a field."""
        editor.set_value(getattr(self.op, field))
        editor.edited.connect(lambda value: self.edited.emit(field, value))
        editor.drag_started.connect(self.drag_started)
        editor.drag_ended.connect(self.drag_ended)
        self.marks.add(field, editor.key_spots())
        self.editors[field] = editor
