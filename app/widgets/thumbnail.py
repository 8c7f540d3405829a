"""How thumbnails are painted."""

from __future__ import annotations

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPixmap

from app.widgets.style import icon
from engine.core.bounded_cache import SizedCache

_FITTED: SizedCache[tuple[int, int, int], QPixmap] = SizedCache(8 << 20, lambda each: 4 * each.width() * each.height())
"""Thumbnails as large as they are painted: scaling all tiles anew takes most of the time that a repaint takes."""


def forget_thumbnails() -> None:
    """Forget thumbnails as they were painted: they may be those of images that are closed."""
    _FITTED.drop()


def draw_thumbnail(painter: QPainter, place: QRect, image: QImage | None, failed: bool) -> None:
    """Paint a thumbnail in the middle of its field, or a sign that there is none."""
    painter.fillRect(place, QColor("#262626"))
    if image is not None:
        fitted = QRect(place.topLeft(), image.size().scaled(place.size(), Qt.AspectRatioMode.KeepAspectRatio))
        fitted.moveCenter(place.center())
        painter.drawPixmap(fitted, _scaled(image, fitted.size() * painter.device().devicePixelRatio()))
    elif failed:
        middle = place.center()
        icon("warning").paint(painter, middle.x() - 10, middle.y() - 10, 20, 20)


def _scaled(image: QImage, size: QSize) -> QPixmap:
    """Return an image scaled to a size in pixels of the screen."""

    def scale() -> QPixmap:
        smooth = Qt.TransformationMode.SmoothTransformation
        return QPixmap.fromImage(image.scaled(size, Qt.AspectRatioMode.IgnoreAspectRatio, smooth))

    return _FITTED.of((image.cacheKey(), size.width(), size.height()), scale)
