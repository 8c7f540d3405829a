"""A plot of the curves of the RGB curves op, one of which is edited: its points are dragged, added and removed."""

from __future__ import annotations

from typing import Any

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFocusEvent, QFont, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.panels.curve_points import AXES, Axes, Points, added, curve_of, moved, removed
from app.panels.slider import FINE

NEAR = 9.0
"""Pixels within which a click takes a point."""
_FIELD, _LINE, _DIAGONAL, _TEXT = QColor(44, 44, 44), QColor(62, 62, 62), QColor(84, 84, 84), QColor(150, 150, 150)
_POINT, _ACCENT = QColor(222, 222, 222), QColor(122, 162, 200)
COLOURS = {
    "master": QColor(205, 205, 205),
    "red": QColor(196, 112, 108),
    "green": QColor(112, 176, 112),
    "blue": QColor(118, 142, 204),
}
_LEFT, _BOTTOM, _EDGE = 30.0, 18.0, 5.0


class CurvePlot(QWidget):
    """Shows four curves on the axes of a style. Announces the points of the one that is edited."""

    edited = Signal(object)  # Points
    selected = Signal(int)
    drag_started = Signal()
    drag_ended = Signal()

    def __init__(self, name: str) -> None:
        super().__init__()
        self.axes: Axes = AXES["log"]
        self.curves: dict[str, Points] = {}
        self.active = "master"
        self.at = 0
        self._dragging = False
        self._grab = (0.0, 0.0)  # from the mouse to the point, on the axes
        self._last = QPointF()
        self._lines: dict[Any, QPolygonF] = {}
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(f"{name} plot")
        self.setAccessibleDescription(
            "Page Up and Page Down choose a point, arrow keys move it, Insert adds one, Delete removes it"
        )
        self._name = name

    def show_curves(self, curves: dict[str, Points], active: str, style: str) -> None:
        """Other curves, or another one to edit."""
        self.curves, self.active, self.axes = curves, active, AXES[style]
        self.setToolTip(
            f"{self._name}, {self.axes.unit}. Drag a point; a click elsewhere adds one, a double click removes it.\n"
            "Page Up and Page Down choose a point, arrow keys move it (Shift is finer), Insert adds, Delete removes."
        )
        self._select(min(self.at, len(self.points) - 1))
        self.update()

    @property
    def points(self) -> Points:
        """Those of the curve that is edited."""
        return self.curves[self.active]

    def sizeHint(self) -> QSize:
        return QSize(280, 216)

    def minimumSizeHint(self) -> QSize:
        return QSize(160, 216)

    def place(self, x: float, y: float) -> QPointF:
        """Where a point of the axes lies on the widget."""
        box, axes = self._box(), self.axes
        across, up = (x - axes.first) / (axes.last - axes.first), (y - axes.first) / (axes.last - axes.first)
        return QPointF(box.left() + across * box.width(), box.bottom() - up * box.height())

    def value(self, at: QPointF) -> tuple[float, float]:
        """The point of the axes under a place of the widget."""
        box, axes = self._box(), self.axes
        across, up = (at.x() - box.left()) / box.width(), (box.bottom() - at.y()) / box.height()
        return axes.first + across * (axes.last - axes.first), axes.first + up * (axes.last - axes.first)

    # -- mouse and keys

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton:
            return
        near = self._near(event.position())
        self.drag_started.emit()
        self._dragging, self._last = True, event.position()
        if near is None:
            self._add(*self.value(event.position()))
        else:
            self._select(near)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if not self._dragging:
            self.setCursor(
                Qt.CursorShape.SizeAllCursor if self._near(event.position()) is not None else Qt.CursorShape.CrossCursor
            )
            return
        before, self._last = self.value(self._last), event.position()
        here = self.value(self._last)
        fine = FINE if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1.0
        self._move((here[0] - before[0]) * fine, (here[1] - before[1]) * fine)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._dragging and event.button() == Qt.MouseButton.LeftButton:
            self._dragging = False
            self.drag_ended.emit()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        near = self._near(event.position())
        if event.button() == Qt.MouseButton.LeftButton and near is not None:
            self._select(near)
            self._remove()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = self.axes.step * (FINE if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1.0)
        arrows = {
            Qt.Key.Key_Left: (-step, 0.0),
            Qt.Key.Key_Right: (step, 0.0),
            Qt.Key.Key_Up: (0.0, step),
            Qt.Key.Key_Down: (0.0, -step),
        }
        alone = not event.modifiers() & (Qt.KeyboardModifier.AltModifier | Qt.KeyboardModifier.ControlModifier)
        if alone and event.key() in arrows:
            self._move(*arrows[Qt.Key(event.key())])
        elif alone and event.key() in (Qt.Key.Key_PageUp, Qt.Key.Key_PageDown):
            self._select(self.at + (1 if event.key() == Qt.Key.Key_PageUp else -1))
        elif alone and event.key() == Qt.Key.Key_Insert:
            self._insert()
        elif alone and event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self._remove()
        else:
            event.ignore()

    def set_point(self, x: float, y: float) -> None:
        """Put the chosen point where it was typed to be."""
        self._announce(moved(self.points, self.at, x, y, self.axes))

    # -- inside

    def _move(self, dx: float, dy: float) -> None:
        x, y, _ = self.points[self.at]
        self._announce(moved(self.points, self.at, x + dx, y + dy, self.axes))

    def _add(self, x: float, y: float) -> None:
        ends = curve_of(self.points, [x - 1e-3 * self.axes.span, x + 1e-3 * self.axes.span])
        slope = float(ends[1] - ends[0]) / (2e-3 * self.axes.span)
        points, at = added(self.points, x, y, slope, self.axes)
        self._announce(points)
        self._select(at)

    def _insert(self) -> None:
        """A point on the curve, half way to the next one."""
        left = min(self.at, len(self.points) - 2)
        x = 0.5 * (self.points[left][0] + self.points[left + 1][0])
        self._add(x, float(curve_of(self.points, [x])[0]))

    def _remove(self) -> None:
        self._announce(removed(self.points, self.at))
        self._select(self.at)

    def _select(self, at: int) -> None:
        self.at = min(max(at, 0), len(self.points) - 1)
        self.selected.emit(self.at)
        self.update()

    def _announce(self, points: Points) -> None:
        if points != self.points:
            self.curves = {**self.curves, self.active: points}
            self.at = min(self.at, len(points) - 1)
            self.update()
            self.edited.emit(points)
            self.selected.emit(self.at)

    def _near(self, at: QPointF) -> int | None:
        """The point that a click at a place takes."""
        ways = [(at - self.place(x, y)).manhattanLength() for x, y, _ in self.points]
        nearest = min(range(len(ways)), key=ways.__getitem__)
        return nearest if ways[nearest] <= NEAR else None

    def _box(self) -> QRectF:
        return QRectF(_LEFT, _EDGE, self.width() - _LEFT - _EDGE, self.height() - _EDGE - _BOTTOM)

    # -- painting

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_field(painter)
        painter.setClipRect(self._box())
        order = [name for name in self.curves if name != self.active]
        for name in (*order, self.active):
            colour = QColor(COLOURS[name])
            colour.setAlphaF(1.0 if name == self.active else 0.55)
            painter.setPen(QPen(colour, 1.8 if name == self.active else 1.2))
            painter.drawPolyline(self._line(self.curves[name]))
        for index, (x, y, _) in enumerate(self.points):
            chosen = index == self.at
            painter.setPen(QPen(_FIELD, 1.0))
            painter.setBrush((_ACCENT if self.hasFocus() else _POINT) if chosen else COLOURS[self.active].darker(140))
            painter.drawEllipse(self.place(x, y), 4.0 if chosen else 3.2, 4.0 if chosen else 3.2)

    def _paint_field(self, painter: QPainter) -> None:
        box = self._box()
        painter.fillRect(box, _FIELD)
        font = QFont(self.font())
        font.setPixelSize(10)
        painter.setFont(font)
        for line in self.axes.lines:
            at = self.place(line, line)
            painter.setPen(QPen(_LINE, 1.0))
            painter.drawLine(QPointF(at.x(), box.top()), QPointF(at.x(), box.bottom()))
            painter.drawLine(QPointF(box.left(), at.y()), QPointF(box.right(), at.y()))
            painter.setPen(_TEXT)
            right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
            painter.drawText(QRectF(0, at.y() - 8, _LEFT - 5, 16), right, f"{line:g}")
            painter.drawText(QRectF(at.x() - 20, box.bottom() + 2, 40, 14), Qt.AlignmentFlag.AlignCenter, f"{line:g}")
        corner = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignBottom
        painter.setPen(_TEXT)
        painter.drawText(box.adjusted(0, 0, -6, -4), corner, self.axes.unit)
        painter.setPen(QPen(_DIAGONAL, 1.0))
        painter.drawLine(
            self.place(self.axes.first, self.axes.first),
            self.place(self.axes.last, self.axes.last),
        )
        if self.hasFocus():
            painter.setPen(QPen(_ACCENT, 1.0))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(box.adjusted(0.5, 0.5, -0.5, -0.5))

    def _line(self, points: Points) -> QPolygonF:
        """The curve as a line, a place for each two pixels; kept, since only one curve changes at a time."""
        key = (points, self.width(), self.height(), self.axes)
        if key not in self._lines:
            if len(self._lines) > 16:
                self._lines.clear()
            xs = np.linspace(self.axes.first, self.axes.last, max(2, int(self._box().width()) // 2))
            ys = np.clip(curve_of(points, xs), self.axes.first - self.axes.span, self.axes.last + self.axes.span)
            self._lines[key] = QPolygonF([self.place(float(x), float(y)) for x, y in zip(xs, ys, strict=True)])
        return self._lines[key]
