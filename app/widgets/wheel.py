"""A colour wheel: a disc that balances red, green and blue, and a ring around it for all three."""

from __future__ import annotations

import math
from functools import cache, lru_cache

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QConicalGradient,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
    QWheelEvent,
)
from PySide6.QtWidgets import QSizePolicy

from app.widgets.gestures import Painted, arrow_of, fineness, is_command
from app.widgets.slider import decimals_of, step_of
from engine.kernel.op import Slider

RED_AT = 103.0
"""Angle of red in degrees, anticlockwise from the right, as on a vectorscope; green and blue follow by 120 degrees."""
_ANGLES = tuple(math.radians(RED_AT + 120.0 * channel) for channel in range(3))
AXES = tuple((math.cos(angle), math.sin(angle)) for angle in _ANGLES)
SWEEP = 150.0
"""Extent of the ring on each side of its top, in degrees."""
DRAG_GAIN = 0.5
"""Movement of the mark per movement of the mouse; below 1, so that a small wheel is precise enough."""
KEY_STEP = 0.02
SMALLEST, LARGEST = 64, 120
_GROOVE, _DISC, _LINE = QColor(38, 38, 38), QColor(56, 56, 56), QColor(82, 82, 82)
_FILL, _MARK, _ACCENT = QColor(140, 140, 140), QColor(222, 222, 222), QColor(122, 162, 200)
_RING = 5.0


Limits = tuple[float, float]
"""Least and greatest valid number."""


class WheelScale:
    """Maps positions of the wheel to a slider of three numbers, or of three and a master.

    The disc changes the balance of the three numbers and keeps their mean. The ring sets the fourth number, or the
    mean if there is none.
    """

    def __init__(self, kind: Slider, default: tuple[float, ...], limits: Limits | None = None) -> None:
        self.default = default
        self.limits = limits or (-math.inf if kind.minimum is None else kind.minimum, math.inf)
        self.reach = (kind.high - kind.low) / 8.0
        self.span = max(kind.high - default[-1], default[-1] - kind.low)
        self.digits = decimals_of(kind) + 1
        self.step = step_of(kind)

    def master(self, values: tuple[float, ...]) -> float:
        return values[3] if len(values) == 4 else sum(values) / 3.0

    def place(self, values: tuple[float, ...]) -> tuple[float, float]:
        """Return the position (x, y) of the balance on the disc; the rim has radius 1, and it may lie outside."""
        mean = sum(values[:3]) / 3.0
        deltas = [(value - mean) / self.reach * (2.0 / 3.0) for value in values[:3]]
        return tuple(sum(d * axis[i] for d, axis in zip(deltas, AXES, strict=True)) for i in range(2))  # type: ignore[return-value]

    def with_place(self, values: tuple[float, ...], x: float, y: float) -> tuple[float, ...]:
        """Return the numbers with their balance moved to a position on the disc."""
        total = sum(values[:3])
        red, green, _ = (self._clamped(total / 3.0 + self.reach * (x * axis[0] + y * axis[1])) for axis in AXES)
        return (red, green, self._clamped(total - red - green), *values[3:])

    def with_master(self, values: tuple[float, ...], master: float) -> tuple[float, ...]:
        if len(values) == 4:
            return (*values[:3], self._clamped(master))
        distance = master - self.master(values)
        return tuple(self._clamped(value + distance) for value in values)

    def _clamped(self, value: float) -> float:
        low, high = self.limits
        return min(max(round(value, self.digits), low), high)


class ColourWheel(Painted):
    """Shows and edits three numbers, or three and a master; emits `edited` when the user changes them."""

    edited = Signal(tuple)
    drag_started = Signal()
    drag_ended = Signal()

    def __init__(self, scale: WheelScale, name: str, unit: str) -> None:
        super().__init__()
        self._scale, self._values = scale, scale.default
        self._drag = ""  # disc or ring
        self._at = QPointF()
        self._place, self._master = (0.0, 0.0), scale.master(scale.default)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFixedHeight(LARGEST)
        self.setAccessibleName(f"{name} wheel")
        self.setAccessibleDescription("Arrow keys change the balance, Page Up and Page Down change the master")
        self.setToolTip(
            f"{name}, {unit or 'no unit'}. Drag in the disc to balance red, green and blue, on the ring for all.\n"
            "Or use the arrow keys, Page Up and Page Down. Hold Shift for fine steps; double click or Delete to reset."
        )

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
        gain = DRAG_GAIN * fineness(event)
        if self._drag == "disc":
            moved = (self._at - before) * (gain / self._disc_radius())
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
            self.reset(self._part(event.position()))

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
        low, high = self._scale.master(self._scale.default) - self._scale.span, self._scale.span
        high += self._scale.master(self._scale.default)
        self._master = min(max(self._master + by, min(low, self._master)), max(high, self._master))
        self._announce(self._scale.with_master(self._values, self._master))

    def _announce(self, values: tuple[float, ...]) -> None:
        if values != self._values:
            self._values = values
            self.update()
            self.edited.emit(values)

    def _radius(self) -> float:
        return min(self.width(), self.height()) / 2.0 - 1.0

    def _disc_radius(self) -> float:
        return self._radius() - _RING - 4.0

    def _middle(self) -> QPointF:
        return QPointF(self.width() / 2.0, self.height() / 2.0)

    def _part(self, at: QPointF) -> str:
        away = at - self._middle()
        distance = math.hypot(away.x(), away.y())
        return "disc" if distance <= self._disc_radius() + 1.0 else "ring" if distance <= self._radius() + 3.0 else ""

    def _turn(self, before: QPointF, after: QPointF) -> float:
        """Return the clockwise angle in degrees from one point to another about the centre."""
        a, b = before - self._middle(), after - self._middle()
        degrees = math.degrees(math.atan2(b.y(), b.x()) - math.atan2(a.y(), a.x()))
        return (degrees + 180.0) % 360.0 - 180.0

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        middle, disc = self._middle(), self._disc_radius()
        painter.drawPixmap(0, 0, _face(self.width(), self.height(), self.devicePixelRatioF(), self._radius(), disc))
        self._paint_master(painter, middle)
        x, y = self._scale.place(self._values)
        beyond = max(1.0, math.hypot(x, y))
        mark = middle + QPointF(x, -y) * ((disc - 4.0) / beyond)
        painter.setPen(QPen(_GROOVE, 1.0))
        painter.setBrush(_ACCENT if self.hasFocus() else _MARK)
        painter.drawEllipse(mark, 3.5, 3.5)

    def _paint_master(self, painter: QPainter, middle: QPointF) -> None:
        radius = self._radius() - _RING / 2.0
        away = (self._scale.master(self._values) - self._scale.master(self._scale.default)) / self._scale.span
        turn = SWEEP * min(max(away, -1.0), 1.0)
        _arc(painter, middle, radius, _FILL, -turn)
        angle = math.radians(90.0 - turn)
        along = QPointF(math.cos(angle), -math.sin(angle))
        painter.setPen(QPen(_ACCENT if self.hasFocus() else _MARK, 3.0, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
        painter.drawLine(middle + along * (radius - 2.0), middle + along * (radius + 2.0))


def _arc(painter: QPainter, middle: QPointF, radius: float, colour: QColor, sweep: float, start: float = 90.0) -> None:
    """Paint an arc of the ring, anticlockwise from `start`, in degrees."""
    box = QRectF(middle.x() - radius, middle.y() - radius, 2.0 * radius, 2.0 * radius)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(colour, _RING - 1.0, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap))
    painter.drawArc(box, round(start * 16), round(sweep * 16))


@lru_cache(maxsize=32)
def _face(width: int, height: int, ratio: float, radius: float, disc: float) -> QPixmap:
    """Return the static part of a wheel; cached, since strokes in many colours are slow."""
    face = QPixmap(round(width * ratio), round(height * ratio))
    face.setDevicePixelRatio(ratio)
    face.fill(Qt.GlobalColor.transparent)
    painter = QPainter(face)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    middle = QPointF(width / 2.0, height / 2.0)
    _arc(painter, middle, radius - _RING / 2.0, _GROOVE, -2.0 * SWEEP, 90.0 + SWEEP)
    painter.setPen(QPen(rim(middle.x(), middle.y()), 2.0))
    painter.setBrush(_DISC)
    painter.drawEllipse(middle, disc - 1.0, disc - 1.0)
    painter.setPen(QPen(_LINE, 1.0))
    for angle in _ANGLES:
        end = QPointF(math.cos(angle), -math.sin(angle)) * (disc - 4.0)
        painter.drawLine(middle + end, middle - end)
    painter.end()
    return face


@cache
def _hues() -> list[tuple[float, QColor]]:
    """Return muted colours for the rim, with their fractions of a turn."""
    return [(k / 12.0, QColor.fromHsvF(k / 12.0 % 1.0, 0.45, 0.62)) for k in range(13)]


def rim(x: float, y: float) -> QConicalGradient:
    """Return a gradient of the hues around a point, with red at RED_AT."""
    gradient = QConicalGradient(x, y, RED_AT)
    for share, colour in _hues():
        gradient.setColorAt(share, colour)
    return gradient
