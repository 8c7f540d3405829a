"""Plots over stops about mid grey: their axis, and the curve of an op."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy

from app.widgets.gestures import Painted
from app.widgets.lines import polygon_at
from app.widgets.style import MUTED

STOPS = 8.0
"""Stops on each side of mid grey, as on the axis of the histogram."""
FIELD = QColor("#1c1c1c")
_BOTTOM, _EDGE = 16.0, 5.0
_LINE, _NUMBER, _NEUTRAL, _CURVE = QColor("#4a4a4a"), QColor(MUTED), QColor("#969696"), QColor(205, 205, 205)

ToneCurve = Callable[[NDArray[np.float64]], NDArray[np.float64]]
"""Returns the stops of the graded greys of some stops."""


class StopsPlot(Painted):
    """A field with stops about mid grey from the left to the right."""

    def __init__(self, height: int) -> None:
        super().__init__()
        self._height = height
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        return QSize(280, self._height)

    def minimumSizeHint(self) -> QSize:
        return QSize(160, self._height)

    def place(self, stops: float) -> float:
        """Return the position of a number of stops, from the left."""
        box = self._box()
        return box.left() + (min(max(stops, -STOPS), STOPS) + STOPS) / (2.0 * STOPS) * box.width()

    def _box(self) -> QRectF:
        return QRectF(_EDGE, _EDGE, self.width() - 2.0 * _EDGE, self.height() - _EDGE - _BOTTOM)

    def _paint_axis(self, painter: QPainter, box: QRectF) -> None:
        painter.fillRect(box, FIELD)
        font = QFont(self.font())
        font.setPixelSize(10)
        painter.setFont(font)
        for stops in range(-6, 8, 2):
            x = round(self.place(float(stops))) + 0.5
            painter.setPen(QPen(_LINE, 1.0))
            painter.drawLine(QPointF(x, box.top()), QPointF(x, box.bottom()))
            painter.setPen(_NUMBER)
            text = f"{stops:+d}".replace("-", "−") if stops else "0"
            painter.drawText(QRectF(x - 20, box.bottom() + 2, 40, 14), Qt.AlignmentFlag.AlignCenter, text)
        painter.drawText(
            QRectF(box.right() - 24, box.bottom() + 2, 24, 14),
            Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter,
            "EV",
        )


class ToneCurvePlot(StopsPlot):
    """Shows which tone each tone becomes: the curve of an op for greys, in stops about mid grey on both axes."""

    def __init__(self, name: str) -> None:
        super().__init__(112)
        self._curve: ToneCurve | None = None
        self._drawn: tuple[ToneCurve, QRectF, QPolygonF] | None = None  # the curve as points of a box
        self.setAccessibleName(f"{name} curve")
        self.setToolTip(
            f"{name}: which tone each grey becomes, both in stops about mid grey. The straight line changes nothing."
        )

    def show_curve(self, curve: ToneCurve) -> None:
        """Show another curve."""
        self._curve = curve
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            box = self._box()
            self._paint_axis(painter, box)
            painter.setPen(QPen(_LINE, 1.0))
            for line in (-4.0, 0.0, 4.0):
                y = round(self._down(line)) + 0.5
                painter.drawLine(QPointF(box.left(), y), QPointF(box.right(), y))
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setClipRect(box)
            painter.setPen(QPen(_NEUTRAL, 1.0))
            painter.drawLine(box.bottomLeft(), box.topRight())
            if self._curve is not None:
                painter.setPen(QPen(_CURVE, 1.8))
                painter.drawPolyline(self._points_in(box, self._curve))

    def _points_in(self, box: QRectF, curve: ToneCurve) -> QPolygonF:
        """Return the curve as points of the box, which each repaint needs."""
        if self._drawn is None or self._drawn[0] is not curve or self._drawn[1] != box:
            stops = np.linspace(-STOPS, STOPS, max(2, int(box.width()) // 2))
            became = np.clip(curve(stops), -2.0 * STOPS, 2.0 * STOPS)
            line = polygon_at(map(self.place, stops.tolist()), map(self._down, became.tolist()))
            self._drawn = (curve, box, line)
        return self._drawn[2]

    def _down(self, stops: float) -> float:
        """Return the position of a number of stops, from the top."""
        box = self._box()
        return float(box.bottom() - (stops + STOPS) / (2.0 * STOPS) * box.height())
