"""What a card shows of an op: an editor for each field, or wheels and groups where the op is made for them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QGridLayout,
    QHBoxLayout,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from app.panels.wheel_field import WheelField
from app.widgets.fields import FieldEditor, editor_for, label_of, label_width_for
from app.widgets.slider import BOX_WIDTH, NumberRow
from app.widgets.wheel import LARGEST, SMALLEST, Limits
from engine import ops
from engine.kernel.op import Op, Slider

Colour = tuple[float, float, float]

PRIMARY_WHEELS = {
    "log": ("brightness", "contrast", "gamma"),
    "linear": ("offset", "exposure", "contrast"),
    "video": ("lift", "gamma", "gain", "offset"),
}
PRIMARY_ROWS = {
    "log": ("saturation", "pivot", "black", "white"),
    "linear": ("saturation", "pivot"),
    "video": ("saturation", "black", "white"),
}
_LIMITS: dict[tuple[str, str], Limits] = {("GradingPrimary", "contrast"): (0.01, float("inf"))}


def segment(text: str, tip: str, accessible: str) -> QToolButton:
    """One of several buttons side by side of which one is pressed."""
    button = QToolButton()
    button.setText(text)
    button.setCheckable(True)
    button.setObjectName("segment")
    button.setToolTip(tip)
    button.setAccessibleName(accessible)
    button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    button.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
    return button


def add_segment(row: QHBoxLayout, button: QToolButton) -> None:
    """One more in a row of segments, which share its width by the length of their words."""
    row.addWidget(button, 5 + len(button.text()))


class Body(QWidget):
    """Shows an op and announces changes of its fields: {field: value}, and words for the edit."""

    edited = Signal(object, str)
    drag_started = Signal()
    drag_ended = Signal()

    def __init__(self, op: Op) -> None:
        super().__init__()
        self.op = op
        self.editors: dict[str, FieldEditor] = {}
        self._label_width = label_width_for(op.kinds())
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(4)
        self._rest = self._build()

    @abstractmethod
    def _build(self) -> Iterator[None]:
        """Add the editors; after each part that takes a while it pauses."""

    def advance(self) -> bool:
        """Make one more part; False where all are there."""
        return next(self._rest, self) is None

    def finish(self) -> None:
        """Make all parts that are not there yet."""
        while self.advance():
            pass

    def fits(self, op: Op) -> bool:
        """Whether this body can show another state of the op."""
        return type(op) is type(self.op)

    def set_op(self, op: Op) -> None:
        """Show other values; only what differs is touched."""
        before, self.op = self.op, op
        for field, editor in self.editors.items():
            if getattr(before, field) != getattr(op, field):
                editor.set_value(getattr(op, field))

    def refresh(self) -> None:
        """Show the op's values again, after an edit that was refused."""
        for field, editor in self.editors.items():
            editor.set_value(getattr(self.op, field))

    def _name(self, field: str) -> str:
        return f"{self.op.title()} {label_of(field).lower()}"

    def _take(self, field: str, editor: FieldEditor) -> FieldEditor:
        """Make an editor the one of a field."""
        editor.set_value(getattr(self.op, field))
        editor.edited.connect(lambda value: self.edited.emit(self._changes(field, value), label_of(field).lower()))
        editor.drag_started.connect(self.drag_started)
        editor.drag_ended.connect(self.drag_ended)
        self.editors[field] = editor
        return editor

    def _changes(self, field: str, value: Any) -> dict[str, Any]:
        """The fields that change with one: with the style, what lies on its scale."""
        if field != "style":
            return {field: value}
        new = self.op.in_style(value)
        return {name: getattr(new, name) for name in new.kinds() if getattr(new, name) != getattr(self.op, name)}

    def _add_fields(self, fields: Iterable[str]) -> Iterator[None]:
        """The usual editors of some fields."""
        kinds = self.op.kinds()
        for field in fields:
            editor = editor_for(field, kinds[field], self.op.title(), self._label_width)
            self._column.addWidget(self._take(field, editor))
            yield

    def _wheel(self, field: str) -> WheelField:
        kind = self.op.kinds()[field]
        assert isinstance(kind, Slider)
        limits = _LIMITS.get((type(self.op).__name__, field))
        wheel = WheelField(label_of(field), kind, self._name(field), limits)
        self._take(field, wheel)
        return wheel

    def _add_wheels(self, fields: tuple[str, ...]) -> Iterator[None]:
        """Wheels side by side, or two by two where there are four."""
        grid = WheelGrid(3 if len(fields) == 3 else 2)
        self._column.addWidget(grid)
        for field in fields:
            grid.add(self._wheel(field))
            yield


class WheelGrid(QWidget):
    """Wheels of one size: as large as there is room for."""

    def __init__(self, across: int) -> None:
        super().__init__()
        self._fields: list[WheelField] = []
        self._across = across
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 2)
        self._grid.setHorizontalSpacing(10)
        self._grid.setVerticalSpacing(8)
        for column in range(across):
            self._grid.setColumnStretch(column, 1)

    def add(self, field: WheelField) -> None:
        """One more, beside the last or below."""
        number = len(self._fields)
        self._fields.append(field)
        self._grid.addWidget(field, number // self._across, number % self._across)
        self._set_sizes()

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._set_sizes()

    def _set_sizes(self) -> None:
        side = min(max((self.width() - 20) // self._across, SMALLEST), LARGEST)
        for field in self._fields:
            field.wheel.setFixedHeight(side)


class FieldsBody(Body):
    """An editor for each field, in their order."""

    def _build(self) -> Iterator[None]:
        yield from self._add_fields(self.op.kinds())


class CdlBody(Body):
    """Slope, offset and power as wheels; the rest below."""

    def _build(self) -> Iterator[None]:
        yield from self._add_wheels(("slope", "offset", "power"))
        yield from self._add_fields(("saturation", "style", "direction"))


class PrimaryBody(Body):
    """The controls that the style uses."""

    def __init__(self, op: Op, wheels: bool) -> None:
        super().__init__(op)
        assert isinstance(op, ops.GradingPrimary)
        self._style, self._wheels = op.style, wheels
        self._label_width = label_width_for(("saturation", "direction", "clamp black"))

    def _build(self) -> Iterator[None]:
        yield from self._add_fields(("style",))
        add = self._add_wheels if self._wheels else self._add_fields
        yield from add(PRIMARY_WHEELS[self._style])
        yield from self._add_fields(PRIMARY_ROWS[self._style])
        for field, label, inner in (("low", "Clamp black", 0.0), ("high", "Clamp white", 1.0)):
            kind = self.op.kinds()[field]
            assert isinstance(kind, Slider)
            editor = OptionalField(label, kind, f"Primary grading {label.lower()}", inner)
            self._column.addWidget(self._take(field, editor))
            yield
        yield from self._add_fields(("direction",))

    def fits(self, op: Op) -> bool:
        return super().fits(op) and getattr(op, "style", "") == self._style


class OptionalField(FieldEditor):
    """A number that may be off, which is its default; switched on it begins at `start`."""

    def __init__(self, label: str, kind: Slider, name: str, start: float) -> None:
        super().__init__()
        self._off = kind.default
        self.switch = QCheckBox(label)
        self.switch.setAccessibleName(name)
        self.switch.setToolTip(f"{name}: on or off. {kind.help}.")
        inner = Slider(start, kind.low, kind.high, kind.unit, kind.minimum, kind.help)
        self.row = NumberRow("", inner, start, f"{name} value", label_width=0)
        self.row.label.hide()
        self.row.box.setFixedWidth(BOX_WIDTH)
        line = QHBoxLayout(self)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(8)
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

    def _toggle(self, on: bool) -> None:
        self.row.setEnabled(on)
        self.edited.emit(self.row.number if on else self._off)


class PickingBody(Body):
    """A body with a button that asks for a place of the image. What is made of its colour may take its time."""

    pick_wanted = Signal(bool)
    wanted = ""
    """What the user is asked to do."""

    def __init__(self, op: Op) -> None:
        super().__init__(op)
        self.pick = QToolButton()
        self.pick.setObjectName("wide")
        self.pick.setCheckable(True)
        self.pick.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.pick.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.pick.toggled.connect(self.pick_wanted)

    @abstractmethod
    def mark(self) -> Op:
        """An op that changes something, in the colour space that the body's op works in."""

    @abstractmethod
    def finder(self) -> Callable[[Colour], Any]:
        """What makes of a colour, as it arrives at the op, what `take` takes: called on a thread. TesseraError where it
        makes nothing of it."""

    @abstractmethod
    def take(self, found: Any) -> None:
        """Announce the edit that is made of a picked place."""


class WhiteBalanceBody(PickingBody):
    """Its fields, and a picker for something grey in the image."""

    wanted = "Click something grey in the image"

    def _build(self) -> Iterator[None]:
        yield from self._add_fields(self.op.kinds())
        self.pick.setText("Pick a grey in the image")
        self.pick.setToolTip(
            f"{self.wanted}: temperature and tint follow, and it turns neutral. Return takes the middle, Esc ends it"
        )
        self.pick.setAccessibleName("Pick a neutral")
        self._column.addWidget(self.pick)

    def mark(self) -> Op:
        return ops.WhiteBalance(5000.0, direction="reverse")

    def finder(self) -> Callable[[Colour], ops.WhiteBalance]:
        return ops.WhiteBalance.neutralising

    def take(self, found: ops.WhiteBalance) -> None:
        self.edited.emit({name: getattr(found, name) for name in found.kinds()}, "from a picked grey")
