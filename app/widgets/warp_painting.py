"""Paints the disc of a colour warp: its colours, those of the image, where the map folds, and the pins."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QImage, QPainter, QPainterPath, QPen

from app.widgets.style import ACCENT, MUTED
from engine.core.records import dataclass
from engine.ops.warp_pins import Pin, Warp, folds
from engine.ops.warp_space import colour_at, position_of

TURN = math.radians(65.0)
"""Angle of hue 0 on screen, anticlockwise from the right: red is where a vectorscope has it."""
FIELD, LINE, NUMBER = QColor("#1c1c1c"), QColor("#6a6a6a"), QColor(MUTED)
DARK, LIGHT, FOLD = QColor(0, 0, 0, 190), QColor(232, 232, 232), QColor(255, 116, 104)
_ACCENT = QColor(ACCENT)
SIDE = 160
"""Cells of the images along an axis."""
FOLD_REACH, FOLD_SIDE, SOLID_SIDE = 1.25, 48, 28
"""Saturation up to which folds are looked for, and cells along an axis for maps of two and of three dimensions."""
DIM, TRACE = 0.36, 150
"""Brightness of the colours of the disc, and the greatest opacity of the image's."""
RINGS = (0.25, 0.5, 0.75, 1.0)
PRIMARIES = {"R": (1, 0, 0), "Yl": (1, 1, 0), "G": (0, 1, 0), "Cy": (0, 1, 1), "B": (0, 0, 1), "Mg": (1, 0, 1)}


@dataclass(frozen=True)
class DiscPlace:
    """Where a disc lies in a widget: its middle and radius in pixels, and the saturation at its rim."""

    middle: QPointF
    radius: float
    reach: float

    def place(self, u: float, v: float) -> QPointF:
        """Return the point of the widget for a position."""
        radius, angle = math.hypot(u, v) / self.reach * self.radius, math.atan2(v, u) + TURN
        return self.middle + QPointF(radius * math.cos(angle), -radius * math.sin(angle))

    def position(self, at: QPointF) -> tuple[float, float]:
        """Return the position (u, v) at a point of the widget."""
        away = at - self.middle
        radius = math.hypot(away.x(), away.y()) / self.radius * self.reach
        angle = math.atan2(-away.y(), away.x()) - TURN
        return radius * math.cos(angle), radius * math.sin(angle)


@dataclass(frozen=True)
class Shown:
    """What a disc shows: pins by number, the selected one and its marked end, and whether it has the focus."""

    pins: Mapping[int, Pin]
    at: int
    end: str
    focused: bool


class DiscPainter:
    """Paints a disc, and keeps the images that this takes."""

    def __init__(self) -> None:
        self.folds: NDArray[np.bool_] = np.zeros((1, 1), bool)
        self._warp: Warp | None = None
        self._fold: QImage | None = None
        self._samples: NDArray[np.float64] = np.zeros((0, 3))
        self._trace: tuple[float, QImage] | None = None

    def show_warp(self, warp: Warp) -> None:
        """Find where a map folds."""
        if warp is not self._warp:
            self._warp = warp
            self.folds = _folds(warp)
            self._fold = tinted(170.0 * self.folds, FOLD) if self.folds.any() else None

    def show_samples(self, positions: NDArray[np.float64]) -> None:
        """Take the positions (n, 3) of the image's colours."""
        self._samples, self._trace = positions, None

    @property
    def has_samples(self) -> bool:
        """Whether there are colours of the image."""
        return len(self._samples) > 0

    def paint(self, painter: QPainter, disc: DiscPlace, shown: Shown) -> None:
        """Paint everything, the selected pin on top."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        font = QFont(painter.font())
        font.setPixelSize(10)
        painter.setFont(font)
        self._paint_face(painter, disc)
        for number in sorted(shown.pins, key=lambda number: number == shown.at):
            _paint_pin(painter, disc, shown, number)
        if shown.focused:
            painter.setPen(QPen(_ACCENT, 1.0))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawEllipse(disc.middle, disc.radius + 2.0, disc.radius + 2.0)

    def _paint_face(self, painter: QPainter, disc: DiscPlace) -> None:
        middle, radius = disc.middle, disc.radius
        painter.save()
        path = QPainterPath()
        path.addEllipse(middle, radius, radius)
        painter.fillPath(path, FIELD)
        painter.setClipPath(path)
        painter.translate(middle)
        painter.rotate(-math.degrees(TURN))
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        square = QRectF(-radius, -radius, 2.0 * radius, 2.0 * radius)
        painter.drawImage(square, _face(disc.reach))
        painter.drawImage(square, self._trace_for(disc.reach))
        if self._fold is not None:
            far = radius * FOLD_REACH / disc.reach
            painter.drawImage(QRectF(-far, -far, 2.0 * far, 2.0 * far), self._fold)
        painter.restore()
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(LINE, 1.0))
        for share in RINGS:
            painter.drawEllipse(middle, share * radius, share * radius)
        _paint_labels(painter, disc)

    def _trace_for(self, reach: float) -> QImage:
        """Return the image of the colours of the image, dim."""
        if self._trace is None or self._trace[0] != reach:
            u, v = self._samples[:, 0], self._samples[:, 1]
            ends = [[-reach, reach]] * 2
            counts = np.histogram2d(-v, u, bins=SIDE, range=ends)[0]
            most = max(float(counts.max()), 1.0)
            self._trace = reach, tinted(TRACE * np.log1p(8.0 * counts) / math.log1p(8.0 * most), LIGHT)
        return self._trace[1]


def _paint_labels(painter: QPainter, disc: DiscPlace) -> None:
    """Paint the saturation at the rim and at the middle ring, and the hues of the primaries beyond the rim."""
    painter.setPen(NUMBER)
    for name, rgb in PRIMARIES.items():
        u, v = position_of(np.array(rgb, np.float64))[:2]
        angle = math.atan2(v, u) + TURN
        at = disc.middle + QPointF(math.cos(angle), -math.sin(angle)) * (disc.radius + 8.0)
        painter.drawText(QRectF(at.x() - 10, at.y() - 7, 20, 14), Qt.AlignmentFlag.AlignCenter, name)
    for share in (0.5, 1.0):
        at = disc.middle + QPointF(0.0, share * disc.radius)
        text = f"{100.0 * share * disc.reach:g} %"
        painter.drawText(QRectF(at.x() + 4, at.y() - 15, 60, 14), Qt.AlignmentFlag.AlignLeft, text)


def _paint_pin(painter: QPainter, disc: DiscPlace, shown: Shown, number: int) -> None:
    """Paint a pin: a ring at its source, an arrow to the dot at its target; the selected one with its radius."""
    pin, chosen = shown.pins[number], number == shown.at
    source, target = disc.place(*pin.source[:2]), disc.place(*pin.target[:2])
    painter.setBrush(Qt.BrushStyle.NoBrush)
    if chosen:
        _paint_radius(painter, disc, source, pin.radius / 100.0 / disc.reach * disc.radius)
    line = _ACCENT if chosen and shown.focused else LIGHT if chosen else QColor(NUMBER)
    for colour, width in ((DARK, 3.5), (line, 1.5)):
        painter.setPen(QPen(colour, width, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
        _paint_arrow(painter, source, target)
        painter.drawEllipse(source, 5.0, 5.0)
    for colour, size in ((DARK, 5.0), (_dot_of(pin), 3.6)):
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
        painter.drawEllipse(target, size, size)
    if chosen:  # mark the end that the arrow keys move
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(line, 1.0))
        painter.drawEllipse(target if shown.end == "target" else source, 7.5, 7.5)
    away = math.hypot(*(source - target).toTuple())
    at = source + (source - target) * (12.0 / away) if away else source + QPointF(0.0, -14.0)
    _paint_number(painter, at, number, line)


def _paint_radius(painter: QPainter, disc: DiscPlace, source: QPointF, circle: float) -> None:
    """Paint the circle of a radius within the rim."""
    painter.save()
    rim = QPainterPath()
    rim.addEllipse(disc.middle, disc.radius, disc.radius)
    painter.setClipPath(rim)
    for colour, style in ((DARK, Qt.PenStyle.SolidLine), (LIGHT, Qt.PenStyle.DashLine)):
        painter.setPen(QPen(colour, 1.0, style))
        painter.drawEllipse(source, circle, circle)
    painter.restore()


def _paint_number(painter: QPainter, at: QPointF, number: int, colour: QColor) -> None:
    """Paint a number with a dark outline."""
    box = QRectF(at.x() - 10, at.y() - 7, 20, 14)
    painter.setPen(DARK)
    for dx, dy in ((1, 1), (-1, 1), (1, -1), (-1, -1)):
        painter.drawText(box.translated(dx, dy), Qt.AlignmentFlag.AlignCenter, str(number))
    painter.setPen(colour)
    painter.drawText(box, Qt.AlignmentFlag.AlignCenter, str(number))


def _paint_arrow(painter: QPainter, start: QPointF, end: QPointF) -> None:
    """Paint a line from ring to dot, with a head before the dot."""
    length = math.hypot(*(end - start).toTuple())
    if length < 12.0:
        return
    way = (end - start) / length
    across = QPointF(-way.y(), way.x())
    tip = end - way * 5.0
    painter.drawLine(start + way * 5.0, tip)
    for side in (3.0, -3.0):
        painter.drawLine(tip, tip - way * 5.0 + across * side)


def _dot_of(pin: Pin) -> QColor:
    """Return the colour of a target, as bright as it can be shown."""
    return swatch(pin.to_hue, pin.to_saturation)


@lru_cache(maxsize=4)
def _folds(warp: Warp) -> NDArray[np.bool_]:
    """Return where a map folds, once for all editors that show it."""
    return folds(warp, FOLD_SIDE if warp.flat else SOLID_SIDE, FOLD_REACH)


@lru_cache(maxsize=256)
def swatch(hue: float, saturation: float) -> QColor:
    """Return a hue and saturation as a bright colour of the display."""
    angle = math.radians(hue)
    rgb = displayed(np.array([math.cos(angle), math.sin(angle), 0.0]) * (saturation / 100.0, saturation / 100.0, 1.0))
    return QColor(*(int(x) for x in np.round(rgb * 255.0)))


def displayed(positions: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return positions as display colours 0..1, each with a largest component of 1."""
    rgb = np.maximum(colour_at(positions), 0.0)
    return np.asarray((rgb / np.maximum(rgb.max(axis=-1, keepdims=True), 1e-9)) ** (1.0 / 2.2))


@lru_cache(maxsize=4)
def _face(reach: float) -> QImage:
    """Return the colours of the disc, v upwards, dim."""
    across = (np.arange(SIDE) + 0.5) / SIDE * 2.0 * reach - reach
    u, v = np.meshgrid(across, -across)
    rgb = displayed(np.stack([u, v, np.zeros_like(u)], axis=-1)) * DIM * 255.0
    pixels = np.full((SIDE, SIDE, 4), 255, np.uint8)
    pixels[..., :3] = np.round(rgb)
    return QImage(pixels.tobytes(), SIDE, SIDE, 4 * SIDE, QImage.Format.Format_RGBX8888).copy()


def tinted(opacity: NDArray[np.floating[Any]], colour: QColor) -> QImage:
    """Return an image of one colour with an opacity, 0..255, for each pixel."""
    height, width = opacity.shape
    pixels = np.empty((height, width, 4), np.uint8)
    pixels[..., :3] = (colour.red(), colour.green(), colour.blue())
    pixels[..., 3] = np.round(opacity)
    return QImage(pixels.tobytes(), width, height, 4 * width, QImage.Format.Format_RGBA8888).copy()
