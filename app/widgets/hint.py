"""A hint in an empty list."""

from __future__ import annotations

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QAbstractScrollArea

from app.widgets.style import MUTED

WIDEST = 420
"""Greatest width of a line, in pixels; longer lines wrap."""


def paint_hint(view: QAbstractScrollArea, text: str) -> None:
    """Paint a text in the middle of an empty view; call it from the view's `paintEvent`."""
    area = view.viewport().rect().adjusted(12, 12, -12, -12)
    width = min(area.width(), WIDEST)
    place = QRect(area.center().x() - width // 2, area.top(), width, area.height())
    with QPainter(view.viewport()) as painter:
        painter.setPen(QColor(MUTED))
        painter.drawText(place, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap, text)
