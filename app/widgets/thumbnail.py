"""How thumbnails are painted."""

from __future__ import annotations

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QColor, QImage, QPainter

from app.widgets.style import icon


def draw_thumbnail(painter: QPainter, place: QRect, image: QImage | None, failed: bool) -> None:
    """Paint a thumbnail in the middle of its field, or a sign that there is none."""
    painter.fillRect(place, QColor("#262626"))
    if image is not None:
        fitted = QRect(place.topLeft(), image.size().scaled(place.size(), Qt.AspectRatioMode.KeepAspectRatio))
        fitted.moveCenter(place.center())
        size = fitted.size() * painter.device().devicePixelRatio()
        smooth = Qt.TransformationMode.SmoothTransformation
        painter.drawImage(fitted, image.scaled(size, Qt.AspectRatioMode.IgnoreAspectRatio, smooth))
    elif failed:
        middle = place.center()
        icon("warning").paint(painter, middle.x() - 10, middle.y() - 10, 20, 20)
