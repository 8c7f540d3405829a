"""A field editor with a large wheel, a jog for its master, and its numbers below."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QApplication, QHBoxLayout, QLabel, QSizePolicy

from app.panels.range_field import Place
from app.panels.wheel_field import WheelField
from app.panels.wheels.place_row import PlaceRow
from app.widgets.jog import JogDial
from app.widgets.number_row import ResetDot
from app.widgets.wheel_face import LARGE
from engine.kernel.op import Slider

LEAST, USUAL, MOST = 92, 156, 186
"""Sides of a wheel in pixels: in the smallest window, as preferred, and in a tall dock; its ring is 6 smaller."""
WIDEST = 270
"""Width of a wheel's numbers in pixels, at most."""
_CAPTION, _BOX_MARGIN = 16, 12


class LargeWheel(WheelField):
    """Edits red, green and blue with a wheel, the master with a jog, and each with a box below."""

    wheel_style = LARGE

    def __init__(
        self,
        label: str,
        kind: Slider,
        name: str,
        limits: tuple[float, float] | None = None,
        places: Sequence[Place] = (),
    ) -> None:
        """`places` are the numbers of the value after the four of the wheel."""
        self._turned: tuple[tuple[float, ...], float] | None = None  # while the jog is dragged
        self._placed = tuple(place.default for _, place in places)
        self.places = PlaceRow(name, places) if places else None
        super().__init__(label, kind, name, limits)
        self.setMaximumWidth(WIDEST)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    @property
    def changed(self) -> bool:
        """Whether the numbers differ from their defaults."""
        return self._value[:4] != self.scale.default or self._value[4:] != self._placed

    def set_value(self, value: tuple[float, ...]) -> None:
        super().set_value(value)
        self.jog.set_number(self.scale.master(value[:4]))
        self.reset_dot.setVisible(self.changed)
        if self.places is not None:
            self.places.set_numbers(value[4:])

    def _lay_out(self, label: str, kind: Slider, name: str) -> None:
        column = self._column()
        column.setSpacing(3)
        column.addStretch(1)
        column.addLayout(self._caption(f"{label}, {kind.unit}" if kind.unit else label, name))
        self.wheel.setMinimumSize(LEAST, LEAST)
        self.wheel.setMaximumHeight(MOST)
        self.wheel.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        column.addWidget(self.wheel, 1000)
        self.jog = JogDial(self.scale.step, self.scale.master(self.scale.default), f"{name}, master", kind.unit)
        self.jog.drag_started.connect(self._start_turning)
        self.jog.drag_ended.connect(self._end_turning)
        self.jog.turned.connect(self._turn)
        self.jog.reset.connect(lambda: self._turn_to(self.scale.master(self.scale.default)))
        width = _box_width(kind.low < 0.0)
        for letter, box in self.boxes.items():
            box.setSuffix("")  # the caption has the unit
            box.setProperty("channel", letter)
            box.setMinimumWidth(width)
        master, channels = QHBoxLayout(), QHBoxLayout()
        master.setSpacing(4)
        master.addWidget(self.jog, 2)
        master.addWidget(self.boxes["M"], 1)
        channels.setSpacing(4)
        for letter in "RGB":
            channels.addWidget(self.boxes[letter], 1)
        column.addLayout(master)
        column.addLayout(channels)
        if self.places is not None:
            self.places.edited.connect(self._place)
            self.places.drag_started.connect(self.drag_started)
            self.places.drag_ended.connect(self.drag_ended)
            column.addWidget(self.places)
        column.addStretch(1)

    def _caption(self, label: str, name: str) -> QHBoxLayout:
        """Return the line above the wheel: its name, and a dot that resets it while it is changed."""
        caption = QLabel(label)
        caption.setToolTip(self.wheel.toolTip())
        caption.setBuddy(self.wheel)
        self.reset_dot = ResetDot(name, self.scale.master(self.scale.default), self)
        self.reset_dot.setToolTip(f"{name} is changed. Click to reset it (double click or Delete on the wheel).")
        self.reset_dot.clicked.connect(self._reset)
        line = QHBoxLayout()
        line.setSpacing(0)
        line.addStretch(1)
        line.addSpacing(self.reset_dot.sizeHint().width())
        line.addWidget(caption)
        line.addWidget(self.reset_dot)
        line.addStretch(1)
        policy = self.reset_dot.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        self.reset_dot.setSizePolicy(policy)
        self.reset_dot.setFixedHeight(_CAPTION)
        return line

    def _reset(self) -> None:
        self.wheel.setFocus(Qt.FocusReason.OtherFocusReason)  # the dot goes
        self._announce((*self.scale.default, *self._placed))

    def _place(self, at: int, number: float) -> None:
        """Take another number of a place."""
        at += 4
        self._announce((*self._value[:at], number, *self._value[at + 1 :]))

    # -- the jog

    def _start_turning(self) -> None:
        self._turned = (self._value[:4], 0.0)
        self.drag_started.emit()

    def _end_turning(self) -> None:
        self._turned = None
        self.drag_ended.emit()

    def _turn(self, by: float) -> None:
        """Move the master. A drag moves it from where it started, so that rounding does not add up."""
        start, before = self._turned or (self._value[:4], 0.0)
        if self._turned is not None:
            self._turned = (start, before + by)
        self._take(self.scale.moved(start, before + by))

    def _turn_to(self, master: float) -> None:
        self._take(self.scale.with_master(self._value[:4], master))


@cache
def _box_width(signed: bool) -> int:
    """Return the width of a box that shows four decimals."""
    sample = f"{'-' if signed else ''}0.0000"
    return QFontMetrics(QApplication.font()).horizontalAdvance(sample) + _BOX_MARGIN
