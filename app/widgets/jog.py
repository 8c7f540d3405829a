"""A jog: a horizontal dial that is turned by any distance, for one number."""

from __future__ import annotations

import math

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QHideEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QWheelEvent
from PySide6.QtWidgets import QSizePolicy

from app.widgets.gestures import Painted, arrow_of, fineness, is_command
from app.widgets.scrubbing import Scrub
from app.widgets.style import ACCENT

STEPS_PER_PIXEL = 0.25
"""Steps that a drag of one pixel turns the dial by."""
HEIGHT = 20
_RIB = math.radians(9.0)
"""Angle between two ribs."""
_GROOVE, _RIM, _RIBS, _MARK = QColor(38, 38, 38), QColor(82, 82, 82), QColor(110, 110, 110), QColor(222, 222, 222)


class JogDial(Painted):
    """Emits how far it was turned. It has no ends, and a press alone changes nothing.

    Its ribs move with the mouse; the bright one is in the middle while the number has its default.
    """

    turned = Signal(float)  # distance since the last signal, in the unit of the number
    drag_started = Signal()
    drag_ended = Signal()
    reset = Signal()

    def __init__(self, step: float, default: float, name: str, unit: str) -> None:
        super().__init__()
        self._step, self._number, self._default = step, default, default
        self._scrub = Scrub(self)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFixedHeight(HEIGHT)
        self.setAccessibleName(f"{name} dial")
        self.setAccessibleDescription("Left and Right arrow keys turn it")
        self.setToolTip(
            f"{name}, {unit or 'no unit'}. Drag to the left or right by any distance, or use the arrow keys or the "
            f"wheel.\nHold Shift for fine steps, Alt for coarse ones; double click or Delete to reset to {default:g}."
        )

    def set_number(self, number: float) -> None:
        """Show the dial turned to a number."""
        if number != self._number:
            self._number = number
            self.update()

    def sizeHint(self) -> QSize:
        return QSize(80, HEIGHT)

    def minimumSizeHint(self) -> QSize:
        return QSize(40, HEIGHT)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._scrub.press(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._scrub.move(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._scrub.release(event)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._scrub.finish()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self.reset.emit()

    def wheelEvent(self, event: QWheelEvent) -> None:
        if not self.hasFocus():
            event.ignore()
            return
        self._turn((event.angleDelta().y() or event.angleDelta().x()) / 120 * fineness(event))
        event.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        way, pages = arrow_of(event), {Qt.Key.Key_PageUp: 10.0, Qt.Key.Key_PageDown: -10.0}
        if is_command(event):
            event.ignore()
        elif way:
            self._turn(sum(way) * fineness(event))
        elif event.key() in pages:
            self._turn(pages[Qt.Key(event.key())] * fineness(event))
        elif event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self.reset.emit()
        else:
            event.ignore()

    def begin_drag(self) -> None:
        self.drag_started.emit()

    def drag(self, pixels: float) -> None:
        self._turn(pixels * STEPS_PER_PIXEL)

    def _turn(self, steps: float) -> None:
        if steps:
            self.turned.emit(steps * self._step)

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            box = QRectF(self.rect()).adjusted(0.5, 2.5, -0.5, -2.5)
            painter.setPen(QPen(QColor(ACCENT) if self.hasFocus() else _RIM, 1.0))
            painter.setBrush(_GROOVE)
            painter.drawRoundedRect(box, 3.0, 3.0)
            middle, radius = box.center().x(), box.width() / 2.0 - 3.0
            turn = (self._number - self._default) / self._step / STEPS_PER_PIXEL / max(radius, 1.0)
            first = math.ceil((-math.pi / 2.0 - turn) / _RIB)
            for rib in range(first, math.floor((math.pi / 2.0 - turn) / _RIB) + 1):
                x = middle + radius * math.sin(turn + rib * _RIB)
                painter.setPen(QPen(_RIBS if rib else _MARK, 1.0 if rib else 2.0))
                painter.drawLine(round(x), round(box.top()) + 3, round(x), round(box.bottom()) - 3)
