"""Bodies of ops of hues and channels: wheels of split tone, the grid of the six vectors, and rows of the mixer."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPixmap
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from app.panels.bodies import Body
from app.widgets.field_labels import label_of
from app.widgets.vector_field import HEAD, ROW, VectorColumn, VectorField
from app.widgets.wheel import ColourWheel, WheelScale
from app.widgets.wheel_face import LARGE, RED_AT
from engine.kernel.op import Op, Slider
from engine.ops.opponent import HUES

TONES = ("shadow", "highlight")
WHEEL = replace(LARGE, hues=5.0, gap=5.0, handle=4.5)
_SIDE = 132
_TINT_TIP = (
    "Drag to choose hue and saturation: fine near the centre, the rim is a saturation of 1.\n"
    "Or use the arrow keys, and Page Up and Page Down for the saturation. Hold Shift for fine steps;\n"
    "double click or Delete to reset."
)


class TintScale(WheelScale):
    """Maps positions of the wheel to hue in degrees and saturation 0..1: the angle from red, and the distance."""

    def __init__(self) -> None:
        super().__init__(Slider((0.0, 0.0, 0.0), 0.0, 1.0, "", None, ""), (0.0, 0.0, 0.0), bend=WHEEL.bend)
        self.default = (0.0, 0.0)
        self.span, self.step = 1.0, 0.01

    def master(self, values: tuple[float, ...]) -> float:
        return values[1]

    def place(self, values: tuple[float, ...]) -> tuple[float, float]:
        distance = math.log1p(self._bend * values[1]) / math.log1p(self._bend)
        angle = math.radians(values[0] + RED_AT)
        return distance * math.cos(angle), distance * math.sin(angle)

    def with_place(self, values: tuple[float, ...], x: float, y: float) -> tuple[float, ...]:
        distance = math.hypot(x, y)
        if not distance:
            return values[0], 0.0
        saturation = math.expm1(distance * math.log1p(self._bend)) / self._bend
        hue = (math.degrees(math.atan2(y, x)) - RED_AT) % 360.0
        return round(hue, 2), round(min(saturation, 1.0), 4)

    def with_master(self, values: tuple[float, ...], master: float) -> tuple[float, ...]:
        return values[0], min(max(round(master, 4), 0.0), 1.0)


class SplitToneBody(Body):
    """A wheel for the tint of shadows and of highlights, and a row for each number."""

    def __init__(self, op: Op) -> None:
        super().__init__(op)
        self.wheels: dict[str, ColourWheel] = {}

    def _build(self) -> Iterator[None]:
        line = QHBoxLayout()
        line.setSpacing(12)
        self._column.addLayout(line)
        for tone in TONES:
            wheel = ColourWheel(TintScale(), self._name(f"{tone}_tint"), "", WHEEL)
            wheel.setFixedHeight(_SIDE)
            wheel.setToolTip(f"{self._name(f'{tone}_tint')}. {_TINT_TIP}")
            wheel.setAccessibleDescription("Arrow keys change hue and saturation, Page Up and Page Down the saturation")
            wheel.edited.connect(partial(self._tint, tone))
            wheel.drag_started.connect(self.drag_started)
            wheel.drag_ended.connect(self.drag_ended)
            caption = QLabel(f"{tone.capitalize()}s", alignment=Qt.AlignmentFlag.AlignCenter)
            caption.setToolTip(wheel.toolTip())
            column = QVBoxLayout()
            column.setSpacing(2)
            column.addWidget(caption)
            column.addWidget(wheel)
            line.addLayout(column, 1)
            self.wheels[tone] = wheel
            self._show_tints()
            yield
        yield from self._add_fields(self.op.kinds())

    def set_op(self, op: Op) -> None:
        super().set_op(op)
        self._show_tints()

    def refresh(self) -> None:
        super().refresh()
        self._show_tints()

    def first_control(self) -> QWidget | None:
        return next(iter(self.wheels.values()), None)

    def _show_tints(self) -> None:
        for tone, wheel in self.wheels.items():
            wheel.set_values((getattr(self.op, f"{tone}_hue"), getattr(self.op, f"{tone}_saturation")))

    def _tint(self, tone: str, values: tuple[float, float]) -> None:
        self.edited.emit({f"{tone}_hue": values[0], f"{tone}_saturation": values[1]}, f"{tone} tint")


class SixVectorBody(Body):
    """A row for each vector, with its density, saturation and hue."""

    def _build(self) -> Iterator[None]:
        line = QHBoxLayout()
        line.setSpacing(0)
        line.addWidget(_vector_labels())
        self._column.addLayout(line)
        for field, kind in self.op.kinds().items():
            assert isinstance(kind, Slider)
            line.addWidget(self._take(field, VectorColumn(label_of(field), kind, self._name(field), HUES)), 1)
            yield


def _vector_labels() -> QWidget:
    """Return the names of the vectors below each other, each with its colour."""
    labels = QWidget()
    grid = QGridLayout(labels)
    grid.setContentsMargins(0, 0, 0, 0)
    grid.setHorizontalSpacing(4)
    grid.setVerticalSpacing(2)
    head = QLabel()
    head.setFixedHeight(HEAD)
    grid.addWidget(head, 0, 0, 1, 2)
    for number, hue in enumerate(HUES):
        swatch, label = QLabel(), QLabel(hue.capitalize())
        pixmap = QPixmap(24, 24)
        pixmap.setDevicePixelRatio(2)
        pixmap.fill(QColor.fromHsvF(number / 6.0, 0.62, 0.8))
        swatch.setPixmap(pixmap)
        label.setFixedHeight(ROW)
        grid.addWidget(swatch, number + 1, 0)
        grid.addWidget(label, number + 1, 1)
    return labels


class MixerBody(Body):
    """The rows of the matrix, with a box for each channel, and the other numbers below."""

    def _build(self) -> Iterator[None]:
        heads = QHBoxLayout()
        heads.setSpacing(4)
        heads.addSpacing(self._label_width + 8)
        for channel in ("red", "green", "blue"):
            head = QLabel(f"from {channel}", alignment=Qt.AlignmentFlag.AlignCenter)
            head.setObjectName("note")
            head.setToolTip(f"Shares of {channel} in the new channels, no unit")
            heads.addWidget(head, 1)
        self._column.addLayout(heads)
        for field in ("red", "green", "blue"):
            self._add_row(field, f"New {field}")
            yield
        yield from self._add_fields(("monochrome",))
        self._add_row("grey", "Grey")
        yield
        yield from self._add_fields(("neutrals", "luminance"))

    def _add_row(self, field: str, label: str) -> None:
        kind = self.op.kinds()[field]
        assert isinstance(kind, Slider)
        self._column.addWidget(self._take(field, VectorField(label, kind, self._name(field), self._label_width)))
