"""Bodies of cards: an editor for each field of an op, or wheels and groups for ops that have them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QGridLayout,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from app.panels.entry_options import changes_of, options_of
from app.panels.key_marks import KeyMarks
from app.panels.wheel_field import WheelField, limits_of
from app.widgets.field_labels import label_of
from app.widgets.fields import FieldEditor, OptionalField, editor_for, label_width_for
from app.widgets.wheel import LARGEST, SMALLEST
from engine import ops
from engine.kernel.op import Kind, Op, Slider
from engine.ops.grading_primary import PIVOTS

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


class Body(QWidget):
    """Shows an op and emits changes of its fields: {field: value}, and a description for the undo step."""

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
        self._options = options_of(op)
        self.marks = KeyMarks(self)
        self._built = False
        self._rest = self._parts()

    @abstractmethod
    def _build(self) -> Iterator[None]:
        """Add the editors; yield after each part that takes a while."""

    def _parts(self) -> Iterator[None]:
        """Build all, the options last."""
        yield from self._build()
        self._built = True
        self.show_options()

    def advance(self) -> bool:
        """Build the next part; return False if all parts are built."""
        return next(self._rest, self) is None

    def finish(self) -> None:
        """Build all remaining parts."""
        while self.advance():
            pass

    def fits(self, op: Op) -> bool:
        """Return whether this body can show `op`."""
        return type(op) is type(self.op)

    def set_op(self, op: Op) -> None:
        """Show the values of `op`; update only the editors whose values differ."""
        before, self.op = self.op, op
        for field, editor in self.editors.items():
            if getattr(before, field) != getattr(op, field):
                editor.set_value(getattr(op, field))
        self.show_options()

    def show_options(self, kept: str = "") -> None:
        """Show the editors of the options that are not at their default, of the one that has the focus, and of
        `kept`."""
        if not self._built:
            return
        focused = self.window().focusWidget()
        for field, kind in self._options.items():
            changed = getattr(self.op, field) != kind.default or field == kept
            if changed and field not in self.editors:
                self._column.addWidget(self._new_editor(field))
            if field in self.editors:
                editor = self.editors[field]
                editor.setVisible(changed or (focused is not None and editor.isAncestorOf(focused)))

    def first_control(self) -> QWidget | None:
        """Return the control that the keyboard goes to first; None if there is none."""
        for editor in self.editors.values():
            if not editor.testAttribute(Qt.WidgetAttribute.WA_WState_ExplicitShowHide):
                editor.show()  # in a body that is visible, the layout would show a new one only later
        found = (editor.first_control() for editor in self.editors.values() if not editor.isHidden())
        return next((control for control in found if control is not None), None)

    def refresh(self) -> None:
        """Show the values of the op again, after a rejected edit."""
        for field, editor in self.editors.items():
            editor.set_value(getattr(self.op, field))

    def _name(self, field: str) -> str:
        return f"{self.op.title()} {label_of(field).lower()}"

    def _take(self, field: str, editor: FieldEditor) -> FieldEditor:
        """Use an editor for a field."""
        editor.set_value(getattr(self.op, field))
        editor.edited.connect(
            lambda value: self.edited.emit(changes_of(self.op, field, value), label_of(field).lower())
        )
        editor.drag_started.connect(self.drag_started)
        editor.drag_ended.connect(self.drag_ended)
        self.marks.add(field, editor.key_spots())
        self.editors[field] = editor
        return editor

    def _new_editor(self, field: str) -> FieldEditor:
        """Return the standard editor of a field, in use."""
        return self._take(field, editor_for(field, self._kind(field), self.op.title(), self._label_width))

    def _kind(self, field: str) -> Kind:
        """Return the kind of a field, with the default that it has in the op's style."""
        return self.op.kinds()[field]

    def _add_fields(self, fields: Iterable[str]) -> Iterator[None]:
        """Add the standard editors of these fields, but for the options."""
        for field in fields:
            if field not in self._options:
                self._column.addWidget(self._new_editor(field))
                yield

    def _wheel(self, field: str) -> WheelField:
        kind = self.op.kinds()[field]
        assert isinstance(kind, Slider)
        wheel = WheelField(label_of(field), kind, self._name(field), limits_of(type(self.op), field))
        self._take(field, wheel)
        return wheel

    def _add_wheels(self, fields: tuple[str, ...]) -> Iterator[None]:
        """Add wheels: three side by side, or four in two rows."""
        grid = WheelGrid(3 if len(fields) == 3 else 2)
        self._column.addWidget(grid)
        for field in fields:
            grid.add(self._wheel(field))
            yield


class WheelGrid(QWidget):
    """A grid of wheels of equal size, as large as the width allows."""

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
        """Add a wheel in the next cell."""
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


def mean_of(values: NDArray[Any]) -> Colour:
    """Return the mean colour of pixels (..., 3 or 4); numbers that are not finite count as 0."""
    pixels = values[..., :3].astype(np.float64).reshape(-1, 3)
    red, green, blue = np.nan_to_num(pixels, nan=0.0, posinf=0.0, neginf=0.0).mean(axis=0)
    return float(red), float(green), float(blue)


class FieldsBody(Body):
    """An editor for each field, in order."""

    def _build(self) -> Iterator[None]:
        yield from self._add_fields(self.op.kinds())


class CdlBody(Body):
    """Slope, offset and power as wheels; the other fields below."""

    def _build(self) -> Iterator[None]:
        yield from self._add_wheels(("slope", "offset", "power"))
        yield from self._add_fields(("saturation",))


class LogWheelsBody(Body):
    """Shadows, mid tones, highlights and the offset as wheels; where the ranges lie below."""

    def _build(self) -> Iterator[None]:
        yield from self._add_wheels(("shadow", "midtone", "highlight", "offset"))
        yield from self._add_fields(("low", "high", "falloff"))


class PrimaryBody(Body):
    """Shows the controls that the style uses."""

    def __init__(self, op: Op, wheels: bool) -> None:
        super().__init__(op)
        assert isinstance(op, ops.GradingPrimary)
        self._style, self._wheels = op.style, wheels
        self._label_width = label_width_for(("saturation", "direction", "clamp black"))

    def _build(self) -> Iterator[None]:
        add = self._add_wheels if self._wheels else self._add_fields
        yield from add(PRIMARY_WHEELS[self._style])
        yield from self._add_fields(PRIMARY_ROWS[self._style])
        for field, label, inner in (("low", "Clamp black", 0.0), ("high", "Clamp white", 1.0)):
            kind = self.op.kinds()[field]
            assert isinstance(kind, Slider)
            editor = OptionalField(label, kind, f"Primary grading {label.lower()}", inner)
            self._column.addWidget(self._take(field, editor))
            yield

    def fits(self, op: Op) -> bool:
        return super().fits(op) and getattr(op, "style", "") == self._style

    def _kind(self, field: str) -> Kind:
        kind = super()._kind(field)
        if field == "pivot" and isinstance(kind, Slider):
            return replace(kind, default=PIVOTS[self._style])
        return kind


class PickingBody(Body):
    """A body with a button to pick a colour in the image. A worker thread computes the edit from the colour."""

    pick_wanted = Signal(bool)
    wanted = ""
    """The instruction to the user while picking."""
    reach = 2
    """Pixels on each side of the clicked one that are taken with it."""
    most_side = 0
    """The largest width and height of an area that a drag on the image chooses, in pixels; 0 if a press picks."""

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
        """Return an op that is not an identity and works in the same colour space as the body's op."""

    def reduced(self, values: NDArray[Any]) -> Any:
        """Return what the finder is given for the pixels that enter the op, (rows, columns, 3 or 4): their mean."""
        return mean_of(values)

    @abstractmethod
    def finder(self) -> Callable[[Any], Any]:
        """Return a function that turns the colour that enters the op into the argument of `take`. It is called on a
        worker thread and raises TesseraError if the colour can't be used."""

    @abstractmethod
    def take(self, found: Any) -> None:
        """Emit the edit for a picked colour."""


class WhiteBalanceBody(PickingBody):
    """The fields of white balance, and a picker for a grey in the image."""

    wanted = "Click a neutral grey in the image"

    def _build(self) -> Iterator[None]:
        yield from self._add_fields(self.op.kinds())
        self.pick.setText("Pick a grey in the image")
        self.pick.setToolTip(
            f"{self.wanted}: sets temperature and tint to make it neutral. Return picks the centre, Esc cancels"
        )
        self.pick.setAccessibleName("Pick a neutral")
        self._column.addWidget(self.pick)

    def mark(self) -> Op:
        return ops.WhiteBalance(5000.0, direction="reverse")

    def finder(self) -> Callable[[Colour], ops.WhiteBalance]:
        return ops.WhiteBalance.neutralising

    def take(self, found: ops.WhiteBalance) -> None:
        self.edited.emit({name: getattr(found, name) for name in found.kinds()}, "from a picked grey")
