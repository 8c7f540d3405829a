"""Graticules of the scopes: the lines of an axis with their numbers, and how they are painted."""

from __future__ import annotations

import math
from collections.abc import Sequence

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from engine.compute.statistics import Axis
from engine.core.colorimetry import MID_GREY
from engine.viewing.nits import HLG, PQ, signal_of
from engine.viewing.scopes import STOPS, ScopeReading

GROUND, FIELD = QColor("#232323"), QColor("#161616")
LINE, STRONG = QColor("#6e6e6e"), QColor("#a8a8a8")
NUMBER, NAME, CLIPPED = QColor("#b8b8b8"), QColor("#e0e0e0"), QColor("#ff7468")
"""Numbers and names are legible (4.5:1) on GROUND and FIELD, lines are visible (3:1) on FIELD."""
LEFT, RIGHT, TOP, BOTTOM = 40, 38, 6, 18
LABEL_HEIGHT = 12
NITS = {
    PQ: (0.0, 1.0, 10.0, 100.0, 203.0, 1000.0, 4000.0, 10000.0),
    HLG: (0.0, 10.0, 50.0, 100.0, 203.0, 400.0, 1000.0),
}
"""Lines of the scale in nits; 203 nits is the reference white of BT.2408."""
REFERENCE_WHITE = 203.0
Mark = tuple[float, str, str, bool]
"""A line: its position on the axis, 0..1, the text on the left, the text on the right, and whether it is stronger."""


def marks_of(reading: ScopeReading, transfer: str = "") -> list[Mark]:
    """Return the lines of a reading's axis; `transfer` is that of the display, PQ, HLG or ''.

    They show nits and percent, percent and 8-bit codes, stops from mid grey and scene-linear values, or only
    scene-linear values.
    """
    axis = reading.options.axis
    if reading.options.values == "display" and transfer:
        signals = [(nits, signal_of(transfer, nits)) for nits in NITS[transfer]]
        return [(place_on(axis, s), f"{nits:g}", f"{100 * s:.0f} %", nits == REFERENCE_WHITE) for nits, s in signals]
    if reading.options.values == "display":
        return [(place_on(axis, n / 4), f"{25 * n} %", f"{round(255 * n / 4)}", False) for n in range(5)]
    if axis.log2:
        values = [(n, MID_GREY * 2.0**n) for n in range(-STOPS, STOPS + 1, 2)]
        return [(place_on(axis, v), f"{n:+d}".replace("-", "−") if n else "0", light(v), n == 0) for n, v in values]
    return [(place_on(axis, axis.high * n / 4), f"{axis.high * n / 4:g}", "", False) for n in range(5)]


def place_on(axis: Axis, value: float) -> float:
    """Return the position of a value on an axis, 0..1."""
    value = math.log2(value) if axis.log2 else value
    return (value - axis.start) * axis.scale / axis.bins


def light(value: float) -> str:
    """Format a scene-linear value with at most 5 characters."""
    if value >= 10:
        return f"{value:.0f}"
    return f"{value:.2g}".lstrip("0") if value >= 0.001 else f"{value:.4f}".lstrip("0")


def line(painter: QPainter, start: QPointF, end: QPointF, strong: bool) -> None:
    """Paint a horizontal or vertical line on whole pixels, so that it keeps its contrast."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    painter.setPen(QPen(STRONG if strong else LINE, 1))
    painter.drawLine(QLineF(start, end))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)


def paint_levels(painter: QPainter, fields: Sequence[QRectF], marks: list[Mark]) -> None:
    """Paint lines across fields that lie side by side, with numbers left of the first and right of the last one.

    Numbers that would touch another one are left out, those of stronger lines last.
    """
    taken: list[float] = []
    middle = Qt.AlignmentFlag.AlignVCenter
    for place, left, right, strong in sorted(marks, key=lambda mark: not mark[3]):
        y = fields[0].bottom() - place * fields[0].height()
        for field in fields:
            line(painter, QPointF(field.left(), y), QPointF(field.right() - 1, y), strong)
        if all(abs(y - other) >= LABEL_HEIGHT - 1 for other in taken):
            taken.append(y)
            painter.setPen(NUMBER)
            box = QRectF(0, y - LABEL_HEIGHT / 2, fields[0].left() - 4, LABEL_HEIGHT)
            painter.drawText(box, Qt.AlignmentFlag.AlignRight | middle, left)
            box = QRectF(fields[-1].right() + 4, y - LABEL_HEIGHT / 2, RIGHT, LABEL_HEIGHT)
            painter.drawText(box, Qt.AlignmentFlag.AlignLeft | middle, right)


def paint_values(painter: QPainter, field: QRectF, marks: list[Mark], width: float) -> None:
    """Paint lines down a field at the marks, with their numbers below it; `width` is that of the widget."""
    taken: list[tuple[float, float]] = []
    for place, text, _, strong in sorted(marks, key=lambda mark: not mark[3]):
        x = field.left() + place * field.width()
        line(painter, QPointF(x, field.top()), QPointF(x, field.bottom() - 1), strong)
        across = painter.fontMetrics().horizontalAdvance(text)
        left = min(max(x - across / 2, 2.0), width - across - 2.0)
        if all(left >= end + 6 or left + across + 6 <= start for start, end in taken):
            taken.append((left, left + across))
            painter.setPen(NUMBER)
            box = QRectF(left, field.bottom() + 2, across + 2, BOTTOM - 4)
            painter.drawText(box, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, text)


def paint_name(painter: QPainter, at: QPointF, name: str, colour: QColor) -> None:
    """Paint a name centred on a point, with a dark outline so that it is legible on a trace."""
    box = QRectF(at.x() - 24, at.y() - 7, 48, 14)
    painter.setPen(FIELD)
    for dx, dy in ((-1, 0), (1, 0), (0, -1), (0, 1), (-1, -1), (1, 1), (-1, 1), (1, -1)):
        painter.drawText(box.translated(dx, dy), Qt.AlignmentFlag.AlignCenter, name)
    painter.setPen(colour)
    painter.drawText(box, Qt.AlignmentFlag.AlignCenter, name)
