"""A disc of hue and saturation on which the pins of a colour warp are moved."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QWheelEvent
from PySide6.QtWidgets import QSizePolicy

from app.widgets.gestures import Painted, arrow_of, fineness, is_command
from app.widgets.warp_painting import TURN, DiscPainter, DiscPlace, Shown
from engine.core.records import dataclass
from engine.ops.warp_pins import MOST, Pin, Warp

NEAR = 9.0
"""Greatest distance of a click from the end of a pin, in pixels."""
MARGIN = 14.0
"""Pixels around the disc, for the names of hues."""
STEP = 0.5
"""Movement by an arrow key, in % of saturation."""
RADIUS_STEP = 1.0
LEAST, MOST_RADIUS = 2.0, 200.0
NEW_RADIUS = 15.0
SOURCE, TARGET, RADIUS = "source", "target", "radius"
WIDTHS = {Qt.Key.Key_Plus: 1.0, Qt.Key.Key_Equal: 1.0, Qt.Key.Key_Minus: -1.0}
"""Keys that change a radius, by how many steps."""
Pins = dict[int, Pin]


@dataclass(frozen=True)
class Grip:
    """What the mouse holds: an end of a pin, or the circle of its radius."""

    number: int
    part: str


class WarpDisc(Painted):
    """Shows pins as a ring at the source and a dot at the target, and edits them. Emits the pins when they change."""

    edited = Signal(object, str)  # Pins, and what was done
    selected = Signal(int)
    drag_started = Signal()
    drag_ended = Signal()

    def __init__(self, name: str) -> None:
        super().__init__()
        self.pins: Pins = {}
        self.at = 0
        """The number of the selected pin; 0 without one."""
        self.end = TARGET
        """The end that the arrow keys move."""
        self.flat = True
        self.reach = 1.0
        """The saturation at the rim."""
        self._grip: Grip | None = None
        self._last = QPointF()
        self._aim = (0.0, 0.0)  # u and v of the held end, not rounded
        self._painter = DiscPainter()
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.setAccessibleName(f"{name} disc")
        self.setAccessibleDescription(
            "Tab selects the next pin, arrow keys move it, Space switches between its source and its target, plus and"
            " minus change its radius, Insert adds a pin, Delete removes it"
        )
        self.setToolTip(
            f"{name}: hue as an angle, saturation in % from the centre. A pin takes the colour at its ring to its"
            " dot.\n"
            "Double click to add a pin; drag its dot, its ring or the circle of its radius; the wheel changes the"
            " radius.\n"
            "Tab selects a pin, arrow keys move its dot (Shift: fine), Space switches to its ring and back,"
            " Insert adds, Delete removes."
        )

    # -- showing

    def show_pins(self, pins: Mapping[int, Pin], warp: Warp) -> None:
        """Show the pins of a warp, and where it folds."""
        self.pins, self.flat = dict(pins), warp.flat
        self._painter.show_warp(warp)
        if self.at not in self.pins:
            self.select(next(iter(self.pins), 0))
        self.update()

    def show_samples(self, positions: NDArray[np.float64]) -> None:
        """Show where the colours (n, 3) of the image lie."""
        self._painter.show_samples(positions)
        self.update()

    def zoom(self, reach: float) -> None:
        """Set the saturation at the rim."""
        self.reach = reach
        self.update()

    @property
    def has_samples(self) -> bool:
        """Whether colours of the image are shown."""
        return self._painter.has_samples

    @property
    def folds(self) -> bool:
        """Whether the map folds somewhere on the whole disc."""
        return bool(self._painter.folds.any())

    def select(self, number: int) -> None:
        """Select a pin; 0 selects none."""
        if number != self.at:
            self.at = number
            self.selected.emit(number)
        self.update()

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return min(width, 260)

    def sizeHint(self) -> QSize:
        return QSize(260, 260)

    def minimumSizeHint(self) -> QSize:
        return QSize(160, 160)

    @property
    def disc(self) -> DiscPlace:
        """Where the disc lies in the widget."""
        radius = max(10.0, min(self.width(), self.height()) / 2.0 - MARGIN)
        return DiscPlace(QPointF(self.width() / 2.0, self.height() / 2.0), radius, self.reach)

    def place(self, u: float, v: float) -> QPointF:
        """Return the point of the widget for a position."""
        return self.disc.place(u, v)

    def position(self, at: QPointF) -> tuple[float, float]:
        """Return the position (u, v) at a point of the widget."""
        return self.disc.position(at)

    # -- mouse

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton:
            event.ignore()
            return
        self._grip = self._near(event.position())
        self._last = event.position()
        if self._grip is not None:
            self.select(self._grip.number)
            self.end = self._grip.part if self._grip.part != RADIUS else self.end
            self._take_aim()
            self.drag_started.emit()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._grip is None:
            near = self._near(event.position())
            shapes = {SOURCE: Qt.CursorShape.SizeAllCursor, TARGET: Qt.CursorShape.SizeAllCursor}
            shape = shapes.get(near.part, Qt.CursorShape.SizeFDiagCursor) if near else Qt.CursorShape.CrossCursor
            self.setCursor(shape)
            return
        before, self._last = self._last, event.position()
        if self._grip.part == RADIUS:
            self._pull_radius(before)
            return
        (u, v), (past_u, past_v), fine = self.position(self._last), self.position(before), fineness(event)
        self._move((u - past_u) * fine, (v - past_v) * fine)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._grip is not None and event.button() == Qt.MouseButton.LeftButton:
            self._grip = None
            self.drag_ended.emit()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self._near(event.position()) is None:
            self.add(*self.position(event.position()))

    def wheelEvent(self, event: QWheelEvent) -> None:
        if not self.hasFocus() or not self.at:
            event.ignore()  # the panel scrolls
            return
        delta = event.angleDelta().y() or event.angleDelta().x()
        self._widen(delta / 120.0 * RADIUS_STEP * fineness(event))
        event.accept()

    # -- keys

    def event(self, event: QEvent) -> bool:
        """Step through the pins by Tab, and leave the disc after the last one. Keep the keys of commands."""
        if isinstance(event, QKeyEvent) and not is_command(event):
            ways = {Qt.Key.Key_Tab: 1, Qt.Key.Key_Backtab: -1}
            if event.type() == QEvent.Type.ShortcutOverride and event.key() in (*WIDTHS, Qt.Key.Key_Space):
                event.accept()
                return True
            if event.type() == QEvent.Type.KeyPress and event.key() in ways and self._step(ways[Qt.Key(event.key())]):
                return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        way, key = arrow_of(event), event.key()
        if is_command(event):
            event.ignore()
        elif way and self.at:
            step = 0.01 * STEP * self.reach * 4.0 * fineness(event)
            self._take_aim()
            self._move(*self._unturned(way[0] * step, way[1] * step))
        elif key in (Qt.Key.Key_PageUp, Qt.Key.Key_PageDown):
            self._step(1 if key == Qt.Key.Key_PageDown else -1)
        elif key == Qt.Key.Key_Space and self.at:
            self.end = SOURCE if self.end == TARGET else TARGET
            self.update()
        elif key in WIDTHS and self.at:
            self._widen(WIDTHS[Qt.Key(key)] * RADIUS_STEP)
        elif key == Qt.Key.Key_Insert:
            self.add_beside()
        elif key in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace) and self.at:
            self.remove()
        else:
            event.ignore()

    def _step(self, by: int) -> bool:
        """Select the next or previous pin; return False at the ends."""
        numbers = list(self.pins)
        if self.at not in numbers or not 0 <= numbers.index(self.at) + by < len(numbers):
            return False
        self.select(numbers[numbers.index(self.at) + by])
        return True

    @staticmethod
    def _unturned(right: float, up: float) -> tuple[float, float]:
        """Return the direction in u and v of one on screen."""
        cos, sin = math.cos(TURN), math.sin(TURN)
        return right * cos + up * sin, up * cos - right * sin

    # -- edits

    def add(self, u: float, v: float, lightness: float = 0.0) -> int:
        """Add a pin that goes nowhere yet, and select it; return its number, 0 if there are MOST already."""
        number = free_number(self.pins)
        if number:
            hue, saturation = neat(u, v, 0.0)
            pin = Pin(hue, saturation, lightness, hue, saturation, lightness, NEW_RADIUS)
            self.drag_started.emit()  # a separate undo step
            self.set_pin(number, pin, f"adding pin {number}")
            self.drag_ended.emit()
            self.end = TARGET
            self.select(number)
        return number

    def add_beside(self) -> None:
        """Add a pin halfway between the centre and the right of the disc."""
        self.add(*self._unturned(0.5 * self.reach, 0.0))

    def remove(self) -> None:
        """Remove the selected pin, and select the one before it."""
        numbers = list(self.pins)
        before = [number for number in numbers if number < self.at]
        rest = {number: pin for number, pin in self.pins.items() if number != self.at}
        what = f"removal of pin {self.at}"
        self.pins = rest
        self.select(before[-1] if before else next(iter(rest), 0))
        self.drag_started.emit()  # a separate undo step
        self.edited.emit(rest, what)
        self.drag_ended.emit()

    def set_pin(self, number: int, pin: Pin, what: str = "") -> None:
        """Change or add a pin."""
        if self.pins.get(number) != pin:
            self.pins = dict(sorted({**self.pins, number: pin}.items()))
            self.update()
            self.edited.emit(self.pins, what or f"pin {number}")

    def _take_aim(self) -> None:
        pin = self.pins[self.at]
        end = pin.target if self.end == TARGET else pin.source
        self._aim = (float(end[0]), float(end[1]))

    def _move(self, du: float, dv: float) -> None:
        u, v = self._aim = (self._aim[0] + du, self._aim[1] + dv)
        pin = self.pins[self.at]
        if self.end == TARGET:
            hue, saturation = neat(u, v, pin.to_hue)
            self.set_pin(self.at, pin._replace(to_hue=hue, to_saturation=saturation))
        else:
            hue, saturation = neat(u, v, pin.hue)
            self.set_pin(self.at, pin._replace(hue=hue, saturation=saturation))

    def _pull_radius(self, before: QPointF) -> None:
        """Change the radius by as much as the mouse went away from the source."""
        pin = self.pins[self.at]
        source = self.place(*pin.source[:2])
        far, near = (math.hypot(*(p - source).toTuple()) for p in (self._last, before))
        self._set_radius(pin.radius + 100.0 * (far - near) / self.disc.radius * self.reach)

    def _widen(self, by: float) -> None:
        self._set_radius(self.pins[self.at].radius + by)

    def _set_radius(self, radius: float) -> None:
        radius = round(min(max(radius, LEAST), MOST_RADIUS), 2)
        self.set_pin(self.at, self.pins[self.at]._replace(radius=radius), f"radius of pin {self.at}")

    def _near(self, at: QPointF) -> Grip | None:
        """Return what a press at a point holds: the nearest end, targets first, or the circle of the selected pin."""
        ways = [(math.hypot(*(at - place).toTuple()), rank, grip) for rank, (place, grip) in enumerate(self._ends())]
        near = min((way for way in ways if way[0] <= NEAR), default=None, key=lambda way: way[:2])
        if near is not None:
            return near[2]
        if self.at in self.pins:
            pin = self.pins[self.at]
            circle = pin.radius / 100.0 / self.reach * self.disc.radius
            if abs(math.hypot(*(at - self.place(*pin.source[:2])).toTuple()) - circle) <= 0.5 * NEAR:
                return Grip(self.at, RADIUS)
        return None

    def _ends(self) -> Iterator[tuple[QPointF, Grip]]:
        """Yield the ends of pins, those of the selected one first."""
        for number in sorted(self.pins, key=lambda number: number != self.at):
            pin = self.pins[number]
            yield self.place(*pin.target[:2]), Grip(number, TARGET)
            yield self.place(*pin.source[:2]), Grip(number, SOURCE)

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            self._painter.paint(painter, self.disc, Shown(self.pins, self.at, self.end, self.hasFocus()))


def free_number(pins: Mapping[int, Pin]) -> int:
    """Return the first number that no pin has; 0 if there is none."""
    return next((number for number in range(1, MOST + 1) if number not in pins), 0)


def neat(u: float, v: float, near: float) -> tuple[float, float]:
    """Return hue, in whole turns as near as possible to another one, and saturation, rounded to what can be seen."""
    hue, saturation = math.degrees(math.atan2(v, u)), 100.0 * math.hypot(u, v)
    hue += 360.0 * round((near - hue) / 360.0) if near else 360.0 * (hue < 0.0)
    return round(hue, 2), round(saturation, 2)
