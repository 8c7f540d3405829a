"""A plot of zones of tones over stops, with borders to drag."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QPolygonF

from app.widgets.gestures import arrow_of, fineness, is_command
from app.widgets.lines import polygon_at
from app.widgets.stops_plot import FIELD, STOPS, StopsPlot
from app.widgets.style import ACCENT

STEP = 0.1
"""Stops by which an arrow key moves a border."""
_NEAR = 8.0
"""Greatest distance of a click from the border that it selects, in pixels."""
_ACCENT, _BORDER, _CURVE = QColor(ACCENT), QColor(205, 205, 205), QColor(150, 150, 150)

Shares = Callable[[NDArray[np.float64]], NDArray[np.float64]]
"""Returns how much each zone counts, (number of stops, zones), at some stops."""


class ZonePlot(StopsPlot):
    """Shows how much each zone counts at each tone; each border is dragged, or moved by the arrow keys."""

    edited = Signal(int, float)  # number of the border, stops
    selected = Signal(int)  # number of the border
    zone_chosen = Signal(int)  # number of the zone
    drag_started = Signal()
    drag_ended = Signal()

    def __init__(self, name: str, borders: Sequence[str]) -> None:
        super().__init__(84)
        self.borders: tuple[float, ...] = (0.0,) * len(borders)
        self.zone = -1
        """The zone that is brighter than the others; -1 for none."""
        self.at = 0
        self._shares: Shares | None = None
        self._lines: tuple[QRectF, list[QPolygonF]] = (QRectF(), [])  # of the zones in a box
        self._dragging = False
        self._aim = 0.0
        self._last = QPointF()
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setAccessibleName(f"{name} plot")
        self.setAccessibleDescription("Page Up and Page Down select a border, Left and Right move it")
        self.setToolTip(
            f"{name}: how much each zone counts, by stops about mid grey.\n"
            "Click a zone to show its controls; drag a border to move it.\n"
            "Page Up and Page Down select one, Left and Right move it (Shift: fine)."
        )

    def show_zones(self, borders: Sequence[float], shares: Shares) -> None:
        """Show zones with these borders, in stops about mid grey."""
        self.borders, self._shares, self._lines = tuple(borders), shares, (QRectF(), [])
        self.update()

    def show_zone(self, zone: int) -> None:
        """Show a zone brighter than the others."""
        self.zone = zone
        self.update()

    def _stops_at(self, where: QPointF) -> float:
        box = self._box()
        return ((where.x() - box.left()) / box.width() * 2.0 - 1.0) * STOPS

    # -- mouse and keys

    def mousePressEvent(self, event: QMouseEvent) -> None:
        near = self._near(event.position())
        if event.button() != Qt.MouseButton.LeftButton:
            return
        if near is None and self._shares is not None:
            self.zone_chosen.emit(int(self._shares(np.array([self._stops_at(event.position())])).argmax()))
        elif near is not None:
            self._select(near)
            self._dragging, self._last, self._aim = True, event.position(), self.borders[near]
            self.drag_started.emit()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if not self._dragging:
            near = self._near(event.position()) is not None
            self.setCursor(Qt.CursorShape.SizeHorCursor if near else Qt.CursorShape.ArrowCursor)
            return
        moved = (event.position() - self._last).x() * 2.0 * STOPS / self._box().width()
        self._last = event.position()
        self._aim += moved * fineness(event)
        self._move_to(round(self._aim, 2))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._dragging and event.button() == Qt.MouseButton.LeftButton:
            self._dragging = False
            self.drag_ended.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        way = arrow_of(event)
        if is_command(event):
            event.ignore()
        elif way and way[0]:
            self._move_to(round(self.borders[self.at] + way[0] * STEP * fineness(event), 3))
        elif event.key() in (Qt.Key.Key_PageUp, Qt.Key.Key_PageDown):
            by = 1 if event.key() == Qt.Key.Key_PageUp else -1
            self._select(min(max(self.at + by, 0), len(self.borders) - 1))
        else:
            event.ignore()

    def _move_to(self, stops: float) -> None:
        stops = min(max(stops, -STOPS), STOPS)
        if stops != self.borders[self.at]:
            self.edited.emit(self.at, stops)

    def _select(self, at: int) -> None:
        self.at = at
        self.selected.emit(at)
        self.update()

    def _near(self, where: QPointF) -> int | None:
        """Return the number of the border under the mouse."""
        ways = [(abs(self.place(stops) - where.x()), number) for number, stops in enumerate(self.borders)]
        distance, number = min(ways)
        return number if distance <= _NEAR else None

    # -- painting

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            box = self._box()
            self._paint_axis(painter, box)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            if self._shares is not None:
                self._paint_zones(painter, box, self._shares)
            for number, stops in enumerate(self.borders):
                self._paint_border(painter, box, self.place(stops), number)
            if self.hasFocus():
                painter.setPen(QPen(_ACCENT, 1.0))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawRect(box.adjusted(0.5, 0.5, -0.5, -0.5))

    def _paint_zones(self, painter: QPainter, box: QRectF, shares: Shares) -> None:
        """Paint the share of each zone as a hill; the chosen one is filled more."""
        if self._lines[0] != box:
            self._lines = (QRectF(box), _lines_of(shares, box))
        ends = QPointF(box.right(), box.bottom()), QPointF(box.left(), box.bottom())
        for zone, line in enumerate(self._lines[1]):
            fill = QColor(_ACCENT if zone == self.zone else _CURVE)
            fill.setAlphaF(0.45 if zone == self.zone else 0.12)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(fill)
            hill = QPolygonF(line)
            for end in ends:
                hill.append(end)
            painter.drawPolygon(hill)
            painter.setPen(QPen(_ACCENT if zone == self.zone else _CURVE, 1.4 if zone == self.zone else 1.0))
            painter.drawPolyline(line)

    def _paint_border(self, painter: QPainter, box: QRectF, x: float, number: int) -> None:
        chosen = number == self.at and self.hasFocus()
        colour = _ACCENT if chosen else _BORDER
        painter.setPen(QPen(colour, 1.0, Qt.PenStyle.DotLine))
        painter.drawLine(QPointF(x, box.top()), QPointF(x, box.bottom()))
        painter.setPen(QPen(FIELD, 1.0))
        painter.setBrush(colour)
        grip = [
            QPointF(x - 5.0, box.bottom() + 1.0),
            QPointF(x + 5.0, box.bottom() + 1.0),
            QPointF(x, box.bottom() - 6.0),
        ]
        painter.drawPolygon(QPolygonF(grip))


def _lines_of(shares: Shares, box: QRectF) -> list[QPolygonF]:
    """Return the line of how much each zone counts, in pixels of a box."""
    stops = np.linspace(-STOPS, STOPS, max(2, int(box.width()) // 2))
    across = (box.left() + (stops + STOPS) / (2.0 * STOPS) * box.width()).tolist()
    down = (box.bottom() - shares(stops) * (box.height() - 6.0)).T.tolist()
    return [polygon_at(across, each) for each in down]
