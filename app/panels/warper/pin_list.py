"""The pins of a colour warp as a list, and the numbers of the one that is selected."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QIcon, QPainter, QPixmap
from PySide6.QtWidgets import (
    QButtonGroup,
    QDoubleSpinBox,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from app.widgets.number_row import NumberRow, number_box
from app.widgets.small_buttons import icon_button
from app.widgets.warp_painting import swatch
from engine.kernel.op import Slider
from engine.ops.warp_pins import Pin

HUE = Slider(0.0, 0.0, 360.0, "°", None, "Angle of the hue; red is near 38°, green 141°, blue 246°")
SATURATION = Slider(0.0, 0.0, 100.0, "%", 0.0, "100 % is the blue of Rec.709")
LIGHTNESS = Slider(0.0, -8.0, 8.0, "EV", None, "Stops about mid grey")
ROWS = {
    "lightness": ("Lightness", LIGHTNESS),
    "to_lightness": ("To lightness", LIGHTNESS),
    "radius": (
        "Radius",
        Slider(15.0, 2.0, 100.0, "%", 2.0, "Distance, in saturation, at which a single pin has half of its effect"),
    ),
    "strength": (
        "Strength",
        Slider(100.0, 0.0, 100.0, "%", 0.0, "How far colours move towards the target, as a share"),
    ),
}
"""Fields of a pin with a slider each."""
BOXES = {"hue": ("Hue", HUE), "saturation": ("Saturation", SATURATION)}
"""Fields with a box for the source and one for the target."""
ROOM = 14
"""Width of the diamond before a row, in pixels."""
_NAMES = {"lightness": "lightness of the source", "to_lightness": "lightness of the target"}


class PinRow(QWidget):
    """A pin in the list: a button that selects it, and one that removes it."""

    removed = Signal()

    def __init__(self, title: str, number: int) -> None:
        super().__init__()
        self.number = number
        self.name = f"{title} pin {number}"
        self.button = QToolButton()
        self.button.setObjectName("segment")
        self.button.setCheckable(True)
        self.button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.button.setIconSize(QSize(28, 12))
        self.button.setAccessibleName(self.name)
        self.button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.button.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.remove = icon_button("remove", f"Remove pin {number}", f"Remove {self.name.lower()}")
        self.remove.clicked.connect(self.removed)
        row = QHBoxLayout(self)
        row.setContentsMargins(ROOM, 0, 0, 0)
        row.setSpacing(2)
        row.addWidget(self.button, 1)
        row.addWidget(self.remove)

    def show_pin(self, pin: Pin, flat: bool) -> None:
        """Show the numbers of the pin."""
        ends = [_numbers(*end, flat) for end in (pin[:3], pin[3:6])]
        self.button.setText(f"  {self.number}   {ends[0]}  →  {ends[1]}")
        self.button.setIcon(_icon(swatch(pin.hue, pin.saturation), swatch(pin.to_hue, pin.to_saturation)))
        self.button.setToolTip(
            f"Select pin {self.number}: hue and saturation{'' if flat else ' and lightness'} of its source and its"
            f" target; radius {pin.radius:g} %, strength {pin.strength:g} %"
        )


class PinNumbers(QWidget):
    """Edits the numbers of a pin."""

    edited = Signal(str, float)  # field, number
    drag_started = Signal()
    drag_ended = Signal()

    def __init__(self, title: str) -> None:
        super().__init__()
        self._title = title
        self.boxes: dict[str, QDoubleSpinBox] = {}
        self.rows: dict[str, NumberRow] = {}
        grid = QGridLayout()
        grid.setHorizontalSpacing(6)
        grid.setVerticalSpacing(2)
        for line, (field, (label, kind)) in enumerate(BOXES.items()):
            caption = QLabel(label)
            caption.setFixedWidth(82)
            grid.addWidget(caption, line, 0)
            grid.addWidget(self._box(field, kind, caption), line, 1)
            grid.addWidget(QLabel("→"), line, 2)
            grid.addWidget(self._box(f"to_{field}", kind), line, 3)
        grid.setColumnStretch(1, 1)
        grid.setColumnStretch(3, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        column.addLayout(grid)
        for field, (label, kind) in ROWS.items():
            row = NumberRow(label, kind, kind.default, f"{title} pin {_NAMES.get(field, field)}")
            row.edited.connect(partial(self.edited.emit, field))
            row.drag_started.connect(self.drag_started)
            row.drag_ended.connect(self.drag_ended)
            column.addWidget(row)
            self.rows[field] = row

    def show_pin(self, pin: Pin, flat: bool) -> None:
        """Show the numbers of a pin; lightness only where it counts."""
        for field, box in self.boxes.items():
            blocked = box.blockSignals(True)
            number = getattr(pin, field)
            box.setValue(number % 360.0 if "hue" in field else number)
            box.blockSignals(blocked)
        for field, row in self.rows.items():
            row.set_number(getattr(pin, field))
            row.setVisible(not (flat and "lightness" in field))

    def _box(self, field: str, kind: Slider, caption: QLabel | None = None) -> QDoubleSpinBox:
        end = "target" if field.startswith("to_") else "source"
        box = number_box(kind, f"{self._title} pin {field.removeprefix('to_')} of the {end}")
        box.setMinimumWidth(64)
        if caption is not None:
            caption.setBuddy(box)
            caption.setToolTip(box.toolTip())
        box.valueChanged.connect(partial(self.edited.emit, field))
        box.drag_started.connect(self.drag_started)
        box.drag_ended.connect(self.drag_ended)
        self.boxes[field] = box
        return box


class PinList(QWidget):
    """A row for each pin; the checked one is selected."""

    selected = Signal(int)
    removed = Signal(int)
    made = Signal(object)  # a new PinRow

    def __init__(self, title: str) -> None:
        super().__init__()
        self._title = title
        self.rows: dict[int, PinRow] = {}
        self._group = QButtonGroup(self)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(2)

    def show_pins(self, pins: Mapping[int, Pin], at: int, flat: bool) -> None:
        """Show pins by number, of which one is selected."""
        for number, pin in pins.items():
            row = self.rows.get(number) or self._new_row(number)
            row.show_pin(pin, flat)
            row.button.setChecked(number == at)
        for number, row in self.rows.items():
            row.setVisible(number in pins)
        self.setVisible(bool(pins))

    def _new_row(self, number: int) -> PinRow:
        """Make the row of a pin, in its place; it stays for when the number is used again."""
        row = PinRow(self._title, number)
        row.button.clicked.connect(partial(self.selected.emit, number))
        row.removed.connect(partial(self.removed.emit, number))
        self._group.addButton(row.button)
        self._column.insertWidget(sum(other < number for other in self.rows), row)
        self.rows[number] = row
        self.made.emit(row)
        return row


def _numbers(hue: float, saturation: float, lightness: float, flat: bool) -> str:
    text = f"{hue % 360.0:.0f}° {saturation:.0f} %"
    return text if flat else f"{text} {lightness:+.1f}"


def _icon(left: QColor, right: QColor) -> QIcon:
    """Return two colours side by side."""
    pixels = QPixmap(56, 24)
    pixels.fill(Qt.GlobalColor.transparent)
    with QPainter(pixels) as painter:
        painter.setPen(Qt.PenStyle.NoPen)
        for colour, at in ((left, 0.0), (right, 30.0)):
            painter.setBrush(colour)
            painter.drawRoundedRect(QRectF(at, 0.0, 26.0, 24.0), 4.0, 4.0)
    return QIcon(pixels)
