"""Pixel values, written into the pixels when the zoom is large enough."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from PySide6.QtCore import QPointF
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QGlyphRun, QImage, QPainter, QPen, QRawFont

from app.model.viewport import VALUES_SCALE, Viewport
from app.widgets.lines import draw_straight, points_at
from engine.core.colorimetry import LUMA
from engine.core.records import dataclass

MOST = 400
"""Values are not written for more pixels than this, since that would take too long."""
FONT_SHARE, LARGEST_FONT = 0.155, 20
"""Font size: a share of the pixel's size, and the maximum in logical pixels."""
DARK, LIGHT = QColor(0, 0, 0, 220), QColor(255, 255, 255, 220)
LETTERS = "0123456789.-+einfa"
"""Every character that occurs in a value."""
LINE = QColor(128, 128, 128, 70)
MIDDLE = 118
"""Display luma, 0..255, above which text is dark."""


def short(value: float) -> str:
    """Format a value with at most 7 characters."""
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

    def paint(self, painter: QPainter, viewport: Viewport, image: QImage, ratio: float) -> None:
        """Paint the values over the frame of their region, in device pixels, if the pixels are large enough.

        `ratio` is device pixels per logical pixel.
        """
        across, down = viewport.across, viewport.scale
        height, width = self.values.shape[:2]
        fits = min(across, down) >= VALUES_SCALE * ratio and width * height <= MOST
        if not fits or (image.width(), image.height()) != (width, height):
            return
        font = QFont("DejaVu Sans Mono")
        font.setStyleHint(QFont.StyleHint.Monospace)
        font.setPixelSize(min(int(min(across, down) * FONT_SHARE), int(LARGEST_FONT * ratio)))
        painter.setFont(font)
        left, top = viewport.on_screen(self.region)[:2]
        painter.setPen(QPen(LINE, 1))
        right, bottom = left + width * across, top + height * down
        draw_straight(painter, [(left + x * across, top, left + x * across, bottom) for x in range(width)])
        draw_straight(painter, [(left, top + y * down, right, top + y * down) for y in range(height)])
        glyphs = QRawFont.fromFont(font)
        numbers = dict(zip(LETTERS, glyphs.glyphIndexesForString(LETTERS), strict=True))
        letter, line = QFontMetricsF(font).averageCharWidth(), QFontMetricsF(font).height()
        first = (down - line * self.values.shape[2]) / 2 + glyphs.ascent()
        bright = _lumas(image) > MIDDLE
        for colour, chosen in ((DARK, bright), (LIGHT, ~bright)):
            indexes, places = list[int](), list[tuple[float, float]]()
            for y, x in np.argwhere(chosen).tolist():
                for n, value in enumerate(self.values[y, x].tolist()):
                    text = short(value)
                    at = left + x * across + (across - letter * len(text)) / 2
                    base = top + y * down + first + line * n
                    indexes += [numbers[each] for each in text]
                    places += [(at + letter * k, base) for k in range(len(text))]
            run = QGlyphRun()
            run.setRawFont(glyphs)
            run.setGlyphIndexes(indexes)
            run.setPositions(points_at(places))
            painter.setPen(colour)
            painter.drawGlyphRun(QPointF(0.0, 0.0), run)


def _lumas(image: QImage) -> Any:
    """Return the Rec.709 luma, (height, width) in 0..255, of a frame."""
    rows = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine() // 4, 4)
    return rows[:, : image.width(), :3] @ np.array(LUMA)
