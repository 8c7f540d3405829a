"""The labels of the two sides of a comparison, on the image."""

from __future__ import annotations

import math

from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter

from app.canvas.canvas import Canvas
from app.model.viewport import Box, Viewport
from app.render.comparison import Comparison

GROUND, TEXT = QColor(26, 26, 26, 220), QColor("#e4e4e4")
FONT, HEIGHT, PADDING = 11, 20, 7
"""Font size, height of a label, and the space beside its text, in logical pixels."""
EDGE, BESIDE = 8, 8
"""Distances of a label from the edges of the visible image and from the line, in logical pixels."""
WIDEST, NARROWEST = 260, 44
"""The greatest and least width of a label, in logical pixels; a side with less room is named on the other one."""
APART = 4
"""Distance between two labels on one side, in logical pixels."""
PARALLEL = 1e-6
"""A line with a smaller step along an axis is parallel to the other."""


class SideLabels:
    """Draws the names of both sides beside the line between them, or at the bottom where both are everywhere."""

    def __init__(self, canvas: Canvas) -> None:
        self._canvas = canvas
        self._comparison: Comparison | None = None
        self.painted: list[tuple[str, QRectF]] = []
        """The labels as they were painted last: text and rectangle in device pixels."""
        canvas.scene.overlays.append(self)

    def show(self, comparison: Comparison | None) -> None:
        """Label another frame, made for a comparison or for none."""
        if comparison != self._comparison:
            self._comparison = comparison
            self._canvas.redraw()

    def drawn(self) -> bool:
        """Return whether the frame compares."""
        return self._comparison is not None

    def paint(self, painter: QPainter, viewport: Viewport, ratio: float) -> None:
        """Paint the labels in device pixels; `ratio` is device pixels per logical pixel."""
        comparison = self._comparison
        self.painted = []
        if comparison is None:
            return
        painter.save()
        font = QFont(painter.font())
        font.setPixelSize(round(FONT * ratio))
        painter.setFont(font)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        frame = viewport.on_screen(self._canvas.scene.region)
        seen = QRectF(*frame).intersected(QRectF(0, 0, viewport.width, viewport.height))
        inside = seen.adjusted(*(sign * EDGE * ratio for sign in (1, 1, -1, -1)))
        if comparison.mode == "difference":
            self._paint_one(painter, " − ".join(comparison.names), inside, ratio)
        elif comparison.mode == "anaglyph":
            self._paint_one(painter, "{} red, {} cyan".format(*comparison.names), inside, ratio)
        else:
            self._paint_sides(painter, comparison, frame, inside, ratio)
        painter.restore()

    def _paint_one(self, painter: QPainter, text: str, inside: QRectF, ratio: float) -> None:
        """Paint a label at the lower left of the visible image."""
        size = _size_of(text, QFontMetricsF(painter.font()), ratio, min(inside.width(), 2 * WIDEST * ratio))
        if size.width() >= NARROWEST * ratio and size.height() <= inside.height():
            self._paint_label(painter, text, QRectF(inside.bottomLeft() - QPointF(0, size.height()), size), ratio)

    def _paint_sides(self, painter: QPainter, comparison: Comparison, frame: Box, inside: QRectF, ratio: float) -> None:
        """Paint a label on each side. One that is too narrow is named above the other label, with an arrow to it."""
        line, names = _line_of(comparison, frame), comparison.names
        places = [
            self._paint_side(painter, name, line, side, inside, ratio)
            for side, name in zip((-1, 1), names, strict=True)
        ]
        for side, name, place, other in zip((-1, 1), names, places, places[::-1], strict=True):
            normal = _normal(line[1], side)
            if place is not None or other is None or _depth(line[0], normal, inside) < (1 - EDGE) * ratio:
                continue
            text = f"{_arrow(normal)} {name}"
            size = _size_of(text, QFontMetricsF(painter.font()), ratio, min(WIDEST * ratio, inside.width()))
            above = QRectF(other.topLeft() - QPointF(0, size.height() + APART * ratio), size)
            if normal.x() > 0.0:
                above.moveRight(other.right())
            if inside.contains(above):
                self._paint_label(painter, text, above, ratio)

    def _paint_side(
        self, painter: QPainter, text: str, line: tuple[QPointF, float], side: int, inside: QRectF, ratio: float
    ) -> QRectF | None:
        """Paint the label of a side: as wide as its text, or narrower if there is no room for that beside the line.

        Return where it is; None if the side is too narrow.
        """
        metrics, widest = QFontMetricsF(painter.font()), WIDEST * ratio
        while widest >= NARROWEST * ratio:
            size = _size_of(text, metrics, ratio, widest)
            place = beside_line(*line, side, size, inside, BESIDE * ratio)
            if place is not None:
                self._paint_label(painter, text, place, ratio)
                return place
            widest = min(widest, size.width()) * 0.8
        return None

    def _paint_label(self, painter: QPainter, text: str, place: QRectF, ratio: float) -> None:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(GROUND)
        painter.drawRoundedRect(place, 3 * ratio, 3 * ratio)
        room = place.adjusted(PADDING * ratio, 0, -PADDING * ratio, 0)
        elided = QFontMetricsF(painter.font()).elidedText(text, Qt.TextElideMode.ElideMiddle, room.width() + 1)
        painter.setPen(TEXT)
        painter.drawText(room, Qt.AlignmentFlag.AlignCenter, elided)
        self.painted.append((elided, place))


def beside_line(middle: QPointF, angle: float, side: int, size: QSizeF, inside: QRectF, away: float) -> QRectF | None:
    """Return where a label lies beside a line, `away` pixels from it: as low as possible; None if there is no room.

    The line goes through `middle` at `angle` degrees, anticlockwise from the right. `side` -1 is the side of the
    displayed image, which is on the left of an upright line; 1 is the other.
    """
    across, down = math.cos(math.radians(angle)), -math.sin(math.radians(angle))
    normal = _normal(angle, side)
    start = middle + normal * (away + (abs(normal.x()) * size.width() + abs(normal.y()) * size.height()) / 2)
    first, last = -math.inf, math.inf  # the part of the line's direction along which the label is inside
    for at, step, low, high, length in (
        (start.x(), across, inside.left(), inside.right(), size.width()),
        (start.y(), down, inside.top(), inside.bottom(), size.height()),
    ):
        least, most = low + length / 2 - at, high - length / 2 - at
        if least > most or (abs(step) < PARALLEL and not least <= 0.0 <= most):
            return None
        if abs(step) >= PARALLEL:
            first, last = max(first, min(least / step, most / step)), min(last, max(least / step, most / step))
    if first > last:
        return None
    ends = [start + QPointF(across, down) * each for each in (first, last)]
    centre = max(ends, key=lambda end: (round(end.y()), -end.x()))
    return QRectF(centre - QPointF(size.width(), size.height()) / 2, size)


def _normal(angle: float, side: int) -> QPointF:
    """Return the direction from a line at `angle` degrees into a side."""
    return QPointF(math.sin(math.radians(angle)), math.cos(math.radians(angle))) * side


def _depth(middle: QPointF, normal: QPointF, inside: QRectF) -> float:
    """Return how far a rectangle reaches into the side of a line; negative if it does not reach the line."""
    corners = (inside.topLeft(), inside.topRight(), inside.bottomLeft(), inside.bottomRight())
    return max(QPointF.dotProduct(corner - middle, normal) for corner in corners)


def _arrow(normal: QPointF) -> str:
    """Return the arrow that points most nearly in a direction."""
    if abs(normal.x()) >= abs(normal.y()):
        return "→" if normal.x() > 0.0 else "←"
    return "↓" if normal.y() > 0.0 else "↑"


def _line_of(comparison: Comparison, frame: Box) -> tuple[QPointF, float]:
    """Return a point of the line between the sides, in device pixels, and the angle of the line."""
    left, top, width, height = frame
    if comparison.mode in ("split", "side by side"):
        return QPointF(left + width / 2, top + height / 2), 90.0
    return QPointF(left + comparison.x * width, top + comparison.y * height), comparison.angle


def _size_of(text: str, metrics: QFontMetricsF, ratio: float, widest: float) -> QSizeF:
    return QSizeF(min(math.ceil(metrics.horizontalAdvance(text)) + 2 * PADDING * ratio, widest), HEIGHT * ratio)
