"""A plot of curves in which the points of one curve are edited."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QFont,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPolygonF,
)
from PySide6.QtWidgets import QSizePolicy

from app.widgets.curve_points import Axis, Plane, Points, added, curve_at, moved, pinned, removed
from app.widgets.gestures import Painted, arrow_of, fineness, is_command
from app.widgets.lines import polygon_at
from app.widgets.style import MUTED

NEAR = 9.0
"""Greatest distance of a click from the point that it selects, in pixels."""
FIELD, LINE, NEUTRAL, NUMBER = QColor("#1c1c1c"), QColor("#6a6a6a"), QColor("#969696"), QColor(MUTED)
"""Lines are visible (3:1) on FIELD, numbers legible (4.5:1) on it and on cards."""
_POINT, _ACCENT = QColor(222, 222, 222), QColor(122, 162, 200)
_CURVE = QColor(205, 205, 205)
COLOURS = {"red": QColor(196, 112, 108), "green": QColor(112, 176, 112), "blue": QColor(118, 142, 204)}
_LEFT, _BOTTOM, _EDGE, _STRIP = 30.0, 18.0, 5.0, 7.0
_RIGHT = Qt.AlignmentFlag.AlignRight


class CurvePlot(Painted):
    """Shows curves on a plane and edits one of them. Emits its points when they change."""

    edited = Signal(object)  # Points
    selected = Signal(int)
    drag_started = Signal()
    drag_ended = Signal()

    def __init__(self, name: str, plane: Plane) -> None:
        super().__init__()
        self.plane = plane
        self.curves: dict[str, Points] = {}
        self.active = ""
        self.at = 0
        self._dragging = False
        self._last = QPointF()
        self._aim = (0.0, 0.0)  # displayed position of the point without clamping
        self._from = (0.0, 0.0)  # displayed position where the movement began
        self._lines: dict[Any, QPolygonF] = {}
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(f"{name} plot")
        self.setAccessibleDescription(
            "Page Up and Page Down select a point, arrow keys move it, Insert adds one, Delete removes it"
        )
        self._name = name

    def show_curves(self, curves: dict[str, Points], active: str, plane: Plane) -> None:
        """Show these curves and edit the curve `active`."""
        self.curves, self.active, self.plane = curves, active, plane
        axes = " and ".join(dict.fromkeys(named(axis) for axis in (plane.x, plane.y)))
        self.setToolTip(
            f"{self._name}, {axes}.\n"
            "Drag a point to move it; click elsewhere to add one; double click or right click to remove it.\n"
            "Page Up and Page Down select a point, arrow keys move it (Shift: fine), Insert adds, Delete removes."
        )
        self._select(min(self.at, len(self.points) - 1))
        self.update()

    @property
    def points(self) -> Points:
        """The points of the edited curve."""
        return self.curves[self.active]

    def sizeHint(self) -> QSize:
        return QSize(280, 216)

    def minimumSizeHint(self) -> QSize:
        return QSize(160, 216)

    def place(self, x: float, y: float) -> QPointF:
        """Return the position of a point of the plane in the widget."""
        return self._spot(x, y - self.plane.lean * x)

    # -- mouse and keys

    def mousePressEvent(self, event: QMouseEvent) -> None:
        near = self._near(event.position())
        if event.button() == Qt.MouseButton.RightButton and near is not None and not self._dragging:
            self._select(near)
            self._remove()
        elif event.button() == Qt.MouseButton.LeftButton:
            self.drag_started.emit()
            self._dragging, self._last = True, event.position()
            if near is None:
                x, shown = self._shown_at(event.position())
                x = self.plane.x.neat(x)
                self._add(x, self.plane.y.neat(shown) + self.plane.lean * x)
            else:
                self._select(near)
            self._take_aim()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Ignore right clicks, which remove points; the menu key still opens the card's menu."""
        if event.reason() != QContextMenuEvent.Reason.Mouse:
            super().contextMenuEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if not self._dragging:
            near = self._near(event.position()) is not None
            self.setCursor(Qt.CursorShape.SizeAllCursor if near else Qt.CursorShape.CrossCursor)
            return
        before, self._last = self._shown_at(self._last), event.position()
        here, fine = self._shown_at(self._last), fineness(event)
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
        way, key = arrow_of(event), event.key()
        if is_command(event):
            event.ignore()
        elif way:
            fine = fineness(event)
            self._take_aim()
            self._move(way[0] * self.plane.x.step * fine, way[1] * self.plane.y.step * fine)
        elif key in (Qt.Key.Key_PageUp, Qt.Key.Key_PageDown):
            self._select(self.at + (1 if key == Qt.Key.Key_PageUp else -1))
        elif key == Qt.Key.Key_Insert:
            self._insert()
        elif key in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self._remove()
        else:
            event.ignore()

    def set_point(self, x: float, y: float) -> None:
        """Move the selected point to typed coordinates."""
        self._announce(*moved(self.points, self.at, x, y, self.plane))

    def pin(self, x: float) -> None:
        """Pin the curve at `x` and, unless it must rise, on each side; select the point at `x`."""
        self._announce(*pinned(self.points, x, self.plane))

    # -- inside

    def _take_aim(self) -> None:
        x, y, _ = self.points[self.at]
        self._aim = self._from = (x, y - self.plane.lean * x)

    def _move(self, dx: float, dy: float) -> None:
        """Move the selected point as far as allowed; keep the unclamped position so that it follows the mouse back."""
        x, shown = self._aim = (self._aim[0] + dx, self._aim[1] + dy)
        to_x = self.plane.x.neat(x) if x != self._from[0] else x
        to = self.plane.y.neat(shown) if shown != self._from[1] else shown
        points, at = moved(self.points, self.at, to_x, to + self.plane.lean * to_x, self.plane)
        if at != self.at:  # it wrapped around
            whole = 1.0 if at < self.at else -1.0
            self._aim, self._from = (x - whole, shown), (self._from[0] - whole, self._from[1])
        self._announce(points, at)

    def _add(self, x: float, y: float) -> None:
        self._announce(*added(self.points, x, y, self.plane))

    def _insert(self) -> None:
        """Add a point on the curve halfway to the next point."""
        points = self.points
        left = self.at if self.plane.turning else min(self.at, len(points) - 2)
        right = points[left + 1][0] if left + 1 < len(points) else points[0][0] + 1.0
        x = 0.5 * (points[left][0] + right)
        self._add(x, float(curve_at(points, [x], self.plane)[0]))

    def _remove(self) -> None:
        self._announce(removed(self.points, self.at), self.at)

    def _select(self, at: int) -> None:
        self.at = min(max(at, 0), len(self.points) - 1)
        self.selected.emit(self.at)
        self.update()

    def _announce(self, points: Points, at: int) -> None:
        changed = points != self.points
        self.curves = {**self.curves, self.active: points}
        self._select(at)
        if changed:
            self.edited.emit(points)

    def _near(self, at: QPointF) -> int | None:
        """Return the index of the point that a click at `at` selects."""
        ways = [((at - place).manhattanLength(), index) for index, place in self._places()]
        return min(ways)[1] if ways and min(ways)[0] <= NEAR else None

    def _places(self) -> Iterator[tuple[int, QPointF]]:
        """Yield index and position of every visible point, including the periodic copies of hues."""
        x_axis, (dx, dy) = self.plane.x, self.plane.turn
        for index, (x, y, _) in enumerate(self.points):
            for whole in (-1, 0, 1) if self.plane.turning else (0,):
                if not self.plane.turning or x_axis.first <= x + whole * dx <= x_axis.last:
                    yield index, self.place(x + whole * dx, y + whole * dy)

    def _box(self) -> QRectF:
        strip = _STRIP if self.plane.strip else 0.0
        return QRectF(_LEFT, _EDGE, self.width() - _LEFT - _EDGE, self.height() - _EDGE - _BOTTOM - strip)

    def _spot(self, x: float, shown: float) -> QPointF:
        box = self._box()
        across, up = (_share(value, axis) for value, axis in ((x, self.plane.x), (shown, self.plane.y)))
        return QPointF(box.left() + across * box.width(), box.bottom() - up * box.height())

    def _shown_at(self, at: QPointF) -> tuple[float, float]:
        box, x, y = self._box(), self.plane.x, self.plane.y
        across, up = (at.x() - box.left()) / box.width(), (box.bottom() - at.y()) / box.height()
        return x.first + across * (x.last - x.first), y.first + up * (y.last - y.first)

    # -- painting

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            self._paint_field(painter)
            painter.save()
            painter.setClipRect(self._box())
            for name in (*(name for name in self.curves if name != self.active), self.active):
                colour = QColor(COLOURS.get(name, _CURVE))
                colour.setAlphaF(1.0 if name == self.active else 0.55)
                painter.setPen(QPen(colour, 1.8 if name == self.active else 1.2))
                painter.drawPolyline(self._line(self.curves[name]))
            painter.restore()
            for index, place in self._places():
                chosen = index == self.at
                painter.setPen(QPen(FIELD, 1.0))
                colour = COLOURS.get(self.active, _CURVE).darker(140)
                painter.setBrush((_ACCENT if self.hasFocus() else _POINT) if chosen else colour)
                painter.drawEllipse(place, 4.0 if chosen else 3.2, 4.0 if chosen else 3.2)

    def _paint_field(self, painter: QPainter) -> None:
        box, x, y = self._box(), self.plane.x, self.plane.y
        painter.fillRect(box, FIELD)
        font = QFont(self.font())
        font.setPixelSize(10)
        painter.setFont(font)
        below = box.bottom() + (_STRIP if self.plane.strip else 0.0) + 2
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)  # lines keep their contrast
        for line in x.lines:
            at = self._spot(line, y.first).x()
            painter.setPen(QPen(LINE, 1.0))
            painter.drawLine(QPointF(at, box.top()), QPointF(at, box.bottom()))
            painter.setPen(NUMBER)
            painter.drawText(QRectF(at - 20, below, 40, 14), Qt.AlignmentFlag.AlignCenter, f"{x.shown(line):.3g}")
        for line in y.lines:
            at = self._spot(x.first, line).y()
            painter.setPen(QPen(LINE, 1.0))
            painter.drawLine(QPointF(box.left(), at), QPointF(box.right(), at))
            painter.setPen(NUMBER)
            painter.drawText(
                QRectF(0, at - 8, _LEFT - 5, 16), _RIGHT | Qt.AlignmentFlag.AlignVCenter, f"{y.shown(line):.3g}"
            )
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_units(painter, box)
        painter.setPen(QPen(NEUTRAL, 1.0))
        ends = (x.first, x.last) if self.plane.strip else (x.lines[0], x.lines[-1])
        painter.drawLine(*(self.place(end, self.plane.neutral(end)) for end in ends))
        if self.plane.strip:
            self._paint_strip(painter, QRectF(box.left(), box.bottom(), box.width(), _STRIP))
        if self.hasFocus():
            painter.setPen(QPen(_ACCENT, 1.0))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(box.adjusted(0.5, 0.5, -0.5, -0.5))

    def _paint_units(self, painter: QPainter, box: QRectF) -> None:
        """Label the axes in their corners; with one label if both have the same unit."""
        x, y = self.plane.x, self.plane.y
        inner = box.adjusted(6, 4, -6, -4)
        same = x.unit == y.unit and not self.plane.turning
        painter.setPen(NUMBER)
        painter.drawText(inner, _RIGHT | Qt.AlignmentFlag.AlignBottom, x.unit if same else named(x))
        if not same:
            painter.drawText(inner, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop, named(y))

    def _paint_strip(self, painter: QPainter, box: QRectF) -> None:
        """Paint the colours that represent x, one per device pixel."""
        painter.drawImage(box, _strip(self.plane, max(2, math.ceil(box.width() * self.devicePixelRatioF()))))

    def _line(self, points: Points) -> QPolygonF:
        """Return the curve as a polyline with a vertex every two pixels; cached, since only one curve changes."""
        key = (points, self.width(), self.height(), self.plane)
        if key not in self._lines:
            if len(self._lines) > 16:
                self._lines.clear()
            x, y, lean = self.plane.x, self.plane.y, self.plane.lean
            xs = np.linspace(x.first, x.last, max(2, int(self._box().width()) // 2))
            shown = curve_at(points, xs, self.plane) - lean * xs
            shown = np.clip(shown, y.first - y.span, y.last + y.span)
            corner = self._spot(x.first, y.first)
            span = self._spot(x.last, y.last) - corner
            across = corner.x() + span.x() * (xs - x.first) / (x.last - x.first)
            down = corner.y() + span.y() * (shown - y.first) / (y.last - y.first)
            self._lines[key] = polygon_at(across.tolist(), down.tolist())
        return self._lines[key]


@lru_cache(maxsize=16)
def _strip(plane: Plane, count: int) -> QImage:
    """Return `count` colours that represent the visible range of x, as an image one pixel high."""
    assert plane.strip is not None
    xs = plane.x.first + (np.arange(count) + 0.5) / count * (plane.x.last - plane.x.first)
    rgb = np.round(plane.strip(xs) * 255.0).astype(np.uint8).tobytes()
    return QImage(rgb, count, 1, len(rgb), QImage.Format.Format_RGB888).copy()


def named(axis: Axis) -> str:
    """Return the name and unit of an axis."""
    return ", ".join(part for part in (axis.name.lower(), axis.unit) if part)


def _share(value: float, axis: Axis) -> float:
    return (value - axis.first) / (axis.last - axis.first)
