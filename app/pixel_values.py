"""The values of pixels, written into them where they are shown large enough."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QLineF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QImage, QPainter, QPen

from app.viewport import Viewport

VALUES_SCALE = 64.0
"""From this many device pixels across on, a pixel has room for its values."""
FONT_SHARE, LARGEST_FONT = 0.155, 22
"""Height of the letters: a share of the pixel, up to so many device pixels."""
DARK, LIGHT = QColor(0, 0, 0, 220), QColor(255, 255, 255, 220)
LINE = QColor(128, 128, 128, 70)
MIDDLE = 118
"""Display luma from which on letters are dark."""


def short(value: float) -> str:
    """A value in 7 letters at most."""
    if not math.isfinite(value):
        return str(value)
    size = abs(value)
    if size >= 100000 or 0.0 < size < 0.0001:
        return f"{value:.0e}"
    return f"{value:.{4 if size < 10 else 3 if size < 100 else 1 if size < 1000 else 0}f}"


@dataclass(frozen=True)
class PixelValues:
    """Graded values (height, width, 3|4) of the whole pixels of a region."""

    values: Any
    region: tuple[float, float, float, float]

    def paint(self, painter: QPainter, viewport: Viewport, image: QImage) -> None:
        """Write them over the frame of their region, in device pixels; nothing where there is no room."""
        across, down = viewport.across, viewport.scale
        height, width = self.values.shape[:2]
        if min(across, down) < VALUES_SCALE or (image.width(), image.height()) != (width, height):
            return
        font = QFont("DejaVu Sans Mono")
        font.setStyleHint(QFont.StyleHint.Monospace)
        font.setPixelSize(min(int(min(across, down) * FONT_SHARE), LARGEST_FONT))
        painter.setFont(font)
        left, top = viewport.on_screen(self.region)[:2]
        painter.setPen(QPen(LINE, 1))
        painter.drawLines(
            [QLineF(left + x * across, top, left + x * across, top + height * down) for x in range(width)]
        )
        painter.drawLines([QLineF(left, top + y * down, left + width * across, top + y * down) for y in range(height)])
        for y in range(height):
            for x in range(width):
                colour = image.pixelColor(x, y)
                luma = 0.2126 * colour.red() + 0.7152 * colour.green() + 0.0722 * colour.blue()
                painter.setPen(DARK if luma > MIDDLE else LIGHT)
                text = "\n".join(short(float(value)) for value in self.values[y, x])
                place = QRectF(left + x * across, top + y * down, across, down)
                painter.drawText(place, Qt.AlignmentFlag.AlignCenter, text)
