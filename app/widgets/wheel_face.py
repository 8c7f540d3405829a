"""The static part of a colour wheel: disc, axes and rings, in two styles."""

from __future__ import annotations

import math
from functools import cache, lru_cache

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QConicalGradient, QPainter, QPen, QPixmap

from engine.core.records import dataclass

RED_AT = 103.0
"""Angle of red in degrees, anticlockwise from the right, as on a vectorscope; green and blue follow by 120 degrees."""
AXES = tuple((math.cos(angle), math.sin(angle)) for angle in (math.radians(RED_AT + 120.0 * n) for n in range(3)))
SWEEP = 150.0
"""Extent of the master ring on each side of its top, in degrees."""
GROOVE, LINE = QColor(38, 38, 38), QColor(82, 82, 82)
_DISC, _WELL = QColor(56, 56, 56), QColor(44, 44, 44)


@dataclass(frozen=True)
class WheelStyle:
    """Sizes of the parts of a wheel in pixels, from the rim inwards, and how its handle moves.

    `margin` keeps the focus outline free, `ring` is the master ring (0: none), `hues` the hue ring, `gap` what the
    handle keeps from the hue ring. `saturation` and `brightness` are those of the hues. `gain` is the movement of the
    handle per movement of the mouse; `bend` the one of `WheelScale`.
    """

    margin: float
    ring: float
    hues: float
    gap: float
    handle: float
    saturation: float
    brightness: float
    gain: float
    bend: float

    def travel(self, radius: float) -> float:
        """Return the distance of the handle from the centre when the balance is at the rim."""
        return self.disc(radius) - self.hues - self.gap

    def disc(self, radius: float) -> float:
        """Return the radius of the disc, with its hue ring."""
        return radius - (self.ring + 4.0 if self.ring else 0.0)


COMPACT = WheelStyle(1.0, 5.0, 2.0, 2.0, 3.5, 0.45, 0.62, 0.46, 0.0)
"""The wheel of a card: a ring for the master around a small disc."""
LARGE = WheelStyle(3.0, 0.0, 7.0, 7.0, 5.5, 0.75, 0.92, 1.0, 15.0)
"""The wheel of a palette: a bright hue ring, and a handle that follows the mouse and is finest near the centre."""


def paint_arc(painter: QPainter, middle: QPointF, radius: float, pen: QPen, sweep: float, start: float = 90.0) -> None:
    """Paint an arc, anticlockwise from `start`, in degrees."""
    box = QRectF(middle.x() - radius, middle.y() - radius, 2.0 * radius, 2.0 * radius)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(pen)
    painter.drawArc(box, round(start * 16), round(sweep * 16))


def ring_pen(colour: QColor, style: WheelStyle) -> QPen:
    """Return the pen of the master ring."""
    return QPen(colour, style.ring - 1.0, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap)


@lru_cache(maxsize=32)
def face(width: int, height: int, ratio: float, radius: float, style: WheelStyle) -> QPixmap:
    """Return the face of a wheel; cached, since strokes in many colours are slow."""
    made = QPixmap(round(width * ratio), round(height * ratio))
    made.setDevicePixelRatio(ratio)
    made.fill(Qt.GlobalColor.transparent)
    with QPainter(made) as painter:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        middle = QPointF(width / 2.0, height / 2.0)
        if style.ring:
            groove = ring_pen(GROOVE, style)
            paint_arc(painter, middle, radius - style.ring / 2.0, groove, -2.0 * SWEEP, 90.0 + SWEEP)
        disc = style.disc(radius) - style.hues / 2.0
        painter.setPen(QPen(_hues(middle.x(), middle.y(), style), style.hues))
        painter.setBrush(_WELL if style.bend else _DISC)
        painter.drawEllipse(middle, disc, disc)
        painter.setPen(QPen(LINE, 1.0))
        for x, y in AXES:
            end = QPointF(x, -y) * (style.disc(radius) - style.hues - 2.0)
            painter.drawLine(middle + end, middle - end)
    return made


def _hues(x: float, y: float, style: WheelStyle) -> QConicalGradient:
    """Return a gradient of the hues around a point, with red at RED_AT."""
    gradient = QConicalGradient(x, y, RED_AT)
    for share, colour in _stops(style):
        gradient.setColorAt(share, colour)
    return gradient


@cache
def _stops(style: WheelStyle) -> list[tuple[float, QColor]]:
    """Return the hues of a style with their fractions of a turn."""
    hues = ((k / 12.0, k / 12.0 % 1.0) for k in range(13))
    return [(share, QColor.fromHsvF(hue, style.saturation, style.brightness)) for share, hue in hues]
