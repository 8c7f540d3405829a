"""Areas of the image that are dragged on the canvas: which pixels they have, and how they are drawn."""

from __future__ import annotations

import math

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from app.canvas.canvas import Canvas
from app.model.viewport import Viewport
from engine.core.geometry import Rect

CLICK = 3.0
"""A drag over a smaller distance is a click, in pixels."""
DARK, LIGHT = QColor(0, 0, 0, 170), QColor(230, 230, 230)


def is_drag(start: QPointF, end: QPointF) -> bool:
    """Return whether the mouse moved far enough to be dragged."""
    return (end - start).manhattanLength() >= CLICK


def dragged_area(canvas: Canvas, start: QPointF, end: QPointF, most: int = 0) -> Rect | None:
    """Return the pixels between two points of the widget, None beside the image; `most` limits width and height."""
    viewport, ratio = canvas.viewport, canvas.devicePixelRatioF()
    if viewport is None:
        return None
    first, last = ([math.floor(v) for v in viewport.source_at(p.x() * ratio, p.y() * ratio)] for p in (start, end))
    if most:
        last = [min(max(b, a - most + 1), a + most - 1) for a, b in zip(first, last, strict=True)]
    left, top = (min(pair) for pair in zip(first, last, strict=True))
    width, height = (abs(b - a) + 1 for a, b in zip(first, last, strict=True))
    area = Rect(left, top, width, height).clipped(viewport.image_width, viewport.image_height)
    return area if area.pixels else None


def draw_area(painter: QPainter, viewport: Viewport, area: Rect, ratio: float) -> None:
    """Draw the dashed outline of an area in device pixels; `ratio` is device pixels per logical pixel."""
    place = QRectF(*viewport.on_screen((float(area.x), float(area.y), float(area.width), float(area.height))))
    for colour, style in ((DARK, Qt.PenStyle.SolidLine), (LIGHT, Qt.PenStyle.DashLine)):
        painter.setPen(QPen(colour, ratio, style))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(place)
