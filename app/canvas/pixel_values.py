"""The values of pixels, written into them where they are shown large enough."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from PySide6.QtCore import QLineF, QPointF
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QGlyphRun, QImage, QPainter, QPen, QRawFont

from app.model.viewport import Viewport
from engine.compute.statistics import LUMA

VALUES_SCALE = 64.0
"""From this many screen pixels of the usual size across on, a pixel has room for its values."""
MOST = 400
"""Values of more pixels than this are not written: that would take too long."""
FONT_SHARE, LARGEST_FONT = 0.155, 20
"""Height of the letters: a share of the pixel, up to so many screen pixels of the usual size."""
DARK, LIGHT = QColor(0, 0, 0, 220), QColor(255, 255, 255, 220)
LETTERS = "0123456789.-+einfa"
"""All that values are written with."""
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

    def paint(self, painter: QPainter, viewport: Viewport, image: QImage, ratio: float) -> None:
        """Write them over the frame of their region, in device pixels; nothing where there is no room.

        `ratio` is device pixels for one of the usual size.
        """
        across, down = viewport.across, viewport.scale
        height, width = self.values.shape[:2]
        room = min(across, down) >= VALUES_SCALE * ratio and width * height <= MOST
        if not room or (image.width(), image.height()) != (width, height):
            return
        font = QFont("DejaVu Sans Mono")
        font.setStyleHint(QFont.StyleHint.Monospace)
        font.setPixelSize(min(int(min(across, down) * FONT_SHARE), int(LARGEST_FONT * ratio)))
        painter.setFont(font)
        left, top = viewport.on_screen(self.region)[:2]
        painter.setPen(QPen(LINE, 1))
        painter.drawLines(
            [QLineF(left + x * across, top, left + x * across, top + height * down) for x in range(width)]
        )
        painter.drawLines([QLineF(left, top + y * down, left + width * across, top + y * down) for y in range(height)])
        glyphs = QRawFont.fromFont(font)
        numbers = dict(zip(LETTERS, glyphs.glyphIndexesForString(LETTERS), strict=True))
        letter, line = QFontMetricsF(font).averageCharWidth(), QFontMetricsF(font).height()
        first = (down - line * self.values.shape[2]) / 2 + glyphs.ascent()
        bright = _lumas(image) > MIDDLE
        for colour, chosen in ((DARK, bright), (LIGHT, ~bright)):
            indexes, places = list[int](), list[QPointF]()
            for y, x in np.argwhere(chosen).tolist():
                for n, value in enumerate(self.values[y, x].tolist()):
                    text = short(value)
                    at = left + x * across + (across - letter * len(text)) / 2
                    base = top + y * down + first + line * n
                    indexes += [numbers[each] for each in text]
                    places += [QPointF(at + letter * k, base) for k in range(len(text))]
            run = QGlyphRun()
            run.setRawFont(glyphs)
            run.setGlyphIndexes(indexes)
            run.setPositions(places)
            painter.setPen(colour)
            painter.drawGlyphRun(QPointF(0.0, 0.0), run)


def _lumas(image: QImage) -> Any:
    """Rec.709 luma of a frame's bytes."""
    rows = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine() // 4, 4)
    return rows[:, : image.width(), :3] @ np.array(LUMA)
