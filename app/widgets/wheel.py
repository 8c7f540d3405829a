"""A colour wheel: a disc that balances red, green and blue; the compact one has a ring for all three around it."""

from __future__ import annotations

import math

from PySide6.QtCore import QPointF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QWheelEvent
from PySide6.QtWidgets import QSizePolicy

from app.widgets.gestures import Painted, arrow_of, fineness, is_command
from app.widgets.slider import decimals_of, step_of
from app.widgets.style import ACCENT
from app.widgets.wheel_face import AXES, COMPACT, GROOVE, SWEEP, WheelStyle, face, paint_arc, ring_pen
from engine.kernel.op import Slider

KEY_STEP = 0.02
SMALLEST, LARGEST = 64, 120
"""Sides of a compact wheel, in pixels."""
_FILL, _MARK, _ACCENT = QColor(140, 140, 140), QColor(222, 222, 222), QColor(ACCENT)
_COMPACT_TIP = (
    "Drag in the disc to balance red, green and blue, on the ring for all.\n"
    "Or use the arrow keys, Page Up and Page Down. Hold Shift for fine steps; double click or Delete to reset."
)
_LARGE_TIP = (
    "Drag to balance red, green and blue: fine near the centre, coarse near the rim.\n"
    "Or use the arrow keys, and Page Up and Page Down for all. Hold Shift for fine steps, Alt for coarse ones;\n"
    "double click or Delete to reset."
)


Limits = tuple[float, float]
"""Least and greatest valid number."""


class WheelScale:
    """Maps positions of the wheel to a slider of three numbers, or of three and a master.

    The disc changes the balance of the three numbers and keeps their mean. The master is the fourth number, or the
    mean if there is none.

    The balance is a vector, at the rim of length 1. Where its length is r, the handle is at the distance
    d = log(1 + bend * r) / log(1 + bend) from the centre, so that r = ((1 + bend) ** d - 1) / bend: with a bend of 15,
    the first half of the way to the rim covers a fifth of the balance. A bend of 0 makes both equal.
    """

    def __init__(
        self, kind: Slider, default: tuple[float, ...], limits: Limits | None = None, bend: float = 0.0
    ) -> None:
        self.default = default
        self.limits = limits or (-math.inf if kind.minimum is None else kind.minimum, math.inf)
        self.reach = (kind.high - kind.low) / 8.0
        self.span = max(kind.high - default[-1], default[-1] - kind.low)
        self.digits = decimals_of(kind) + 1
        self.step = step_of(kind)
        self._bend = bend

    def master(self, values: tuple[float, ...]) -> float:
        return values[3] if len(values) == 4 else sum(values) / 3.0

    def place(self, values: tuple[float, ...]) -> tuple[float, float]:
        """Return the position (x, y) of the handle on the disc; the rim has radius 1, and it may lie outside."""
        mean = sum(values[:3]) / 3.0
        deltas = [(value - mean) / self.reach * (2.0 / 3.0) for value in values[:3]]
        x, y = (sum(d * axis[i] for d, axis in zip(deltas, AXES, strict=True)) for i in range(2))
        length = math.hypot(x, y)
        if not self._bend or not length:
            return x, y
        factor = math.log1p(self._bend * length) / math.log1p(self._bend) / length
        return x * factor, y * factor

    def with_place(self, values: tuple[float, ...], x: float, y: float) -> tuple[float, ...]:
        """Return the numbers with the handle moved to a position on the disc."""
        distance = math.hypot(x, y)
        if self._bend and distance:
            factor = math.expm1(distance * math.log1p(self._bend)) / self._bend / distance
            x, y = x * factor, y * factor
        total = sum(values[:3])
        red, green, _ = (self._clamped(total / 3.0 + self.reach * (x * axis[0] + y * axis[1])) for axis in AXES)
        return (red, green, self._clamped(total - red - green), *values[3:])

    def with_master(self, values: tuple[float, ...], master: float) -> tuple[float, ...]:
        if len(values) == 4:
            return (*values[:3], self._clamped(master))
        distance = master - self.master(values)
        return tuple(self._clamped(value + distance) for value in values)

    def moved(self, values: tuple[float, ...], by: float) -> tuple[float, ...]:
        """Return the numbers with the master moved by a distance, within the range that the wheel covers."""
        master = self.master(values)
        return self.with_master(values, self.covered(master + by, master))

    def covered(self, master: float, before: float) -> float:
        """Return a master clamped to the range that the wheel covers; one that was outside `before` stays."""
        low, high = self.master(self.default) - self.span, self.master(self.default) + self.span
        return min(max(master, min(low, before)), max(high, before))

    def _clamped(self, value: float) -> float:
        low, high = self.limits
        return min(max(round(value, self.digits), low), high)


class ColourWheel(Painted):
    """Shows and edits three numbers, or three and a master; emits `edited` when the user changes them."""

    edited = Signal(tuple)
    drag_started = Signal()
    drag_ended = Signal()

    def __init__(self, scale: WheelScale, name: str, unit: str, style: WheelStyle = COMPACT) -> None:
        super().__init__()
        self._scale, self._values, self._style = scale, scale.default, style
        self._drag = ""  # disc or ring
        self._at = QPointF()
        self._place, self._master = (0.0, 0.0), scale.master(scale.default)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFixedHeight(LARGEST)
        self.setAccessibleName(f"{name} wheel")
        self.setAccessibleDescription("Arrow keys change the balance, Page Up and Page Down change the master")
        self.setToolTip(f"{name}, {unit or 'no unit'}. {_COMPACT_TIP if style.ring else _LARGE_TIP}")

    @property
    def values(self) -> tuple[float, ...]:
        return self._values

    def set_values(self, values: tuple[float, ...]) -> None:
        """Show numbers without announcing them."""
        if values != self._values:
            self._values = values
            if not self._drag:
                self._take()
            self.update()

    def sizeHint(self) -> QSize:
        return QSize(88, self.height())

    def minimumSizeHint(self) -> QSize:
        return QSize(64, self.height())

    # -- mouse and keys

    def mousePressEvent(self, event: QMouseEvent) -> None:
        part = self._part(event.position())
        if event.button() == Qt.MouseButton.LeftButton and part:
            self._drag, self._at = part, event.position()
            self._take()
            self.drag_started.emit()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if not self._drag:
            return
        before, self._at = self._at, event.position()
        gain = self._style.gain * fineness(event)
        if self._drag == "disc":
            moved = (self._at - before) * (gain / self._style.travel(self._radius()))
            self._move_place(moved.x(), -moved.y())
        else:
            self._move_master(self._turn(before, self._at) / SWEEP * self._scale.span * gain)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._drag and event.button() == Qt.MouseButton.LeftButton:
            self._drag = ""
            self._take()
            self.drag_ended.emit()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self.reset(self._part(event.position()) if self._style.ring else "")

    def wheelEvent(self, event: QWheelEvent) -> None:
        if not self.hasFocus():
            event.ignore()  # the panel scrolls
            return
        delta = event.angleDelta().y() or event.angleDelta().x()
        self._take()
        self._move_master(delta / 120 * fineness(event) * self._scale.step)
        event.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        way, fine = arrow_of(event), fineness(event)
        pages = {Qt.Key.Key_PageUp: 1.0, Qt.Key.Key_PageDown: -1.0}
        self._take()
        if is_command(event):
            event.ignore()
        elif way:
            self._move_place(way[0] * KEY_STEP * fine, way[1] * KEY_STEP * fine)
        elif event.key() in pages:
            self._move_master(pages[Qt.Key(event.key())] * self._scale.step * fine)
        elif event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self.reset("")
        else:
            event.ignore()

    def reset(self, part: str) -> None:
        """Reset the balance (`disc`), the master (`ring`), or both ('') to the default."""
        default = self._scale.default
        values = default if not part else self._values
        if part == "disc":
            values = default[:3] + values[3:] if len(default) == 4 else self._scale.with_place(values, 0.0, 0.0)
        elif part == "ring":
            values = self._scale.with_master(values, self._scale.master(default))
        self._announce(values)
        self._take()

    # -- inside

    def _take(self) -> None:
        """Start a movement from the current numbers."""
        self._place, self._master = self._scale.place(self._values), self._scale.master(self._values)

    def _move_place(self, dx: float, dy: float) -> None:
        x, y = self._place[0] + dx, self._place[1] + dy
        most = max(1.0, math.hypot(*self._place))
        beyond = max(1.0, math.hypot(x, y) / most)
        self._place = (x / beyond, y / beyond)
        self._announce(self._scale.with_place(self._values, *self._place))

    def _move_master(self, by: float) -> None:
        self._master = self._scale.covered(self._master + by, self._master)
        self._announce(self._scale.with_master(self._values, self._master))

    def _announce(self, values: tuple[float, ...]) -> None:
        if values != self._values:
            self._values = values
            self.update()
            self.edited.emit(values)

    def _radius(self) -> float:
        return min(self.width(), self.height()) / 2.0 - self._style.margin

    def _middle(self) -> QPointF:
        return QPointF(self.width() / 2.0, self.height() / 2.0)

    def _part(self, at: QPointF) -> str:
        away = at - self._middle()
        distance, radius = math.hypot(away.x(), away.y()), self._radius()
        if distance <= self._style.disc(radius) + 1.0:
            return "disc"
        return "ring" if self._style.ring and distance <= radius + 3.0 else ""

    def _turn(self, before: QPointF, after: QPointF) -> float:
        """Return the clockwise angle in degrees from one point to another about the centre."""
        a, b = before - self._middle(), after - self._middle()
        degrees = math.degrees(math.atan2(b.y(), b.x()) - math.atan2(a.y(), a.x()))
        return (degrees + 180.0) % 360.0 - 180.0

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            radius = self._radius()
            painter.drawPixmap(0, 0, face(self.width(), self.height(), self.devicePixelRatioF(), radius, self._style))
            if self._style.ring:
                self._paint_master(painter, self._middle(), radius - self._style.ring / 2.0)
            elif self.hasFocus():
                painter.setPen(QPen(_ACCENT, 1.5))
                painter.drawEllipse(self._middle(), radius + 2.0, radius + 2.0)
            self._paint_handle(painter, self._middle())

    def _paint_handle(self, painter: QPainter, middle: QPointF) -> None:
        x, y = self._scale.place(self._values)
        beyond = max(1.0, math.hypot(x, y))
        handle = middle + QPointF(x, -y) * (self._style.travel(self._radius()) / beyond)
        if not self._style.ring:
            painter.setPen(QPen(_FILL, 1.0))
            painter.drawLine(middle, handle)
        painter.setPen(QPen(GROOVE, 1.0))
        painter.setBrush(_ACCENT if self.hasFocus() else _MARK)
        painter.drawEllipse(handle, self._style.handle, self._style.handle)

    def _paint_master(self, painter: QPainter, middle: QPointF, radius: float) -> None:
        away = (self._scale.master(self._values) - self._scale.master(self._scale.default)) / self._scale.span
        turn = SWEEP * min(max(away, -1.0), 1.0)
        paint_arc(painter, middle, radius, ring_pen(_FILL, self._style), -turn)
        angle = math.radians(90.0 - turn)
        along = QPointF(math.cos(angle), -math.sin(angle))
        painter.setPen(QPen(_ACCENT if self.hasFocus() else _MARK, 3.0, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
        painter.drawLine(middle + along * (radius - 2.0), middle + along * (radius + 2.0))
