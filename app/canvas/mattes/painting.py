"""How the tools of mattes draw: a light line over a dark one, so that they stay legible on any image.

Everything is painted in device pixels and has a constant size in logical pixels; `ratio` is device pixels per logical
pixel.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen

from app.model.matte_geometry import Handle, Mapping, Shape
from app.model.matte_paths import Point
from app.widgets.lines import draw_straight

Points = NDArray[np.float64]
DARK, LIGHT = QColor(12, 12, 12), QColor(242, 242, 242)
SOFT = QColor(200, 200, 200)
CHOSEN = QColor(255, 176, 64)
"""The handle that is selected, hovered or dragged, and the lines that it snaps to."""
GROUND = QColor(26, 26, 26, 225)
SOLID, CAP = Qt.PenStyle.SolidLine, Qt.PenCapStyle.SquareCap
WIDTH, BELOW = 1.2, 3.2
"""The widths of the light line and of the dark one below it, in logical pixels."""
DASH = 3.6
"""The length of a dash, and of the gap after it, in logical pixels."""
MOST_DASHES = 4000
SIDE = 7.0
"""The side of a handle, in logical pixels."""
FONT, PADDING, BESIDE = 11, 6.0, 16.0
"""Font size, padding of a label and its distance from the pointer, in logical pixels."""
EDGE = 6.0
"""The least distance of a label from the edges of the canvas, in logical pixels."""
ROUND = ("softness_in", "softness_out", "in", "out", "inner", "outer")
"""The handles that are drawn as circles; `rotation` is a larger one, the others are squares."""


def placed(at: Point, ratio: float) -> QPointF:
    """Return a position on the canvas in device pixels."""
    return QPointF(at[0] * ratio, at[1] * ratio)


def draw_lines(
    painter: QPainter,
    lines: Iterable[Sequence[Point]],
    mapping: Mapping,
    ratio: float,
    closed: bool = False,
    soft: bool = False,
) -> None:
    """Draw polylines of the image as double lines, dashed if they are the ends of a softness.

    Straight pieces are drawn one by one: Qt is several times as fast with them as with paths. Those outside of what is
    painted on are left out: of a long line that is zoomed into, that is nearly all.
    """
    size = np.array((painter.device().width(), painter.device().height())) * painter.device().devicePixelRatio()
    scale, corner = np.array(mapping.metric) * ratio, np.array((mapping.left, mapping.top)) * ratio
    below: list[list[float]] = []
    above: list[list[float]] = []
    for line in lines:
        at = np.array([*line, line[0]] if closed else line, np.float64) * scale + corner
        pieces = _pieces(at[:-1], at[1:], size, BELOW * ratio)
        below += pieces
        above += _pieces(*_dashes(at, DASH * ratio), size, BELOW * ratio) if soft else pieces
    for pieces, color, width in ((below, DARK, BELOW), (above, SOFT if soft else LIGHT, WIDTH)):
        painter.setPen(QPen(color, width * ratio, SOLID, CAP))
        draw_straight(painter, pieces)


def _pieces(starts: Points, ends: Points, size: Points, width: float) -> list[list[float]]:
    """Return both ends of the straight pieces that may be seen. All are in device pixels."""
    seen = (np.maximum(starts, ends) >= -width) & (np.minimum(starts, ends) <= size + width)
    pieces: list[list[float]] = np.concatenate([starts, ends], axis=1)[seen.all(axis=1)].tolist()
    return pieces


def _dashes(at: Points, length: float) -> tuple[Points, Points]:
    """Return the ends of the dashes along a polyline (n, 2); its pieces if they would be too many."""
    along = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(at, axis=0), axis=1))])
    count = int(along[-1] / length)
    if not 2 <= count <= MOST_DASHES:
        return at[:-1], at[1:]
    places = np.arange(count - count % 2) * (along[-1] / count)
    x, y = (np.interp(places, along, at[:, n]) for n in (0, 1))
    found = np.stack([x, y], -1)
    return found[::2], found[1::2]


def draw_line(painter: QPainter, start: QPointF, end: QPointF, ratio: float, color: QColor = LIGHT) -> None:
    """Draw a straight double line between two device pixels."""
    for each, width in ((DARK, BELOW), (color, WIDTH)):
        painter.setPen(QPen(each, width * ratio, SOLID, CAP))
        painter.drawLine(start, end)


def draw_handle(painter: QPainter, handle: Handle, mapping: Mapping, ratio: float, chosen: bool) -> None:
    """Draw a handle: a cross in the middle of a window, a circle for softness and rotation, else a square."""
    at, half = placed(mapping.on_canvas(handle.at), ratio), SIDE * ratio / 2.0
    color = CHOSEN if chosen else LIGHT
    if handle.name in ("center", "whole"):
        for start, end in ((QPointF(-1.4, 0), QPointF(1.4, 0)), (QPointF(0, -1.4), QPointF(0, 1.4))):
            draw_line(painter, at + start * half, at + end * half, ratio, color)
        return
    for each, width in ((DARK, BELOW), (color, WIDTH)):
        painter.setPen(QPen(each, width * ratio))
        painter.setBrush(color if chosen and each is color else DARK)
        if handle.name == "rotation":
            painter.setBrush(Qt.BrushStyle.NoBrush if not chosen else painter.brush())
            painter.drawEllipse(at, half * 1.15, half * 1.15)
        elif handle.name in ROUND:
            painter.drawEllipse(at, half * 0.85, half * 0.85)
        else:
            painter.drawRect(QRectF(at.x() - half, at.y() - half, 2.0 * half, 2.0 * half))


def draw_guides(
    painter: QPainter, x: float | None, y: float | None, mapping: Mapping, size: Point, ratio: float
) -> None:
    """Draw the lines that a window snapped to, across the canvas of `size` device pixels."""
    left, top = placed(mapping.on_canvas((x or 0.0, y or 0.0)), ratio).toTuple()
    if x is not None:
        draw_line(painter, QPointF(left, 0.0), QPointF(left, size[1]), ratio, CHOSEN)
    if y is not None:
        draw_line(painter, QPointF(0.0, top), QPointF(size[0], top), ratio, CHOSEN)


def draw_label(painter: QPainter, lines: Sequence[str], at: Point, size: Point, ratio: float) -> QRectF:
    """Draw lines of text beside a position on the canvas, within its `size` in device pixels; return the rectangle."""
    font = QFont(painter.font())
    font.setPixelSize(round(FONT * ratio))
    painter.setFont(font)
    metrics = QFontMetricsF(font)
    room = size[0] - 2.0 * (EDGE + PADDING) * ratio
    shown = [metrics.elidedText(line, Qt.TextElideMode.ElideMiddle, room) for line in lines]
    width = max(metrics.horizontalAdvance(line) for line in shown) + 2.0 * PADDING * ratio
    height = metrics.height() * len(shown) + PADDING * ratio
    away = BESIDE * ratio
    left, top = at[0] * ratio + away, at[1] * ratio + away
    left = at[0] * ratio - away - width if left + width > size[0] - EDGE * ratio else left
    top = at[1] * ratio - away - height if top + height > size[1] - EDGE * ratio else top
    box = QRectF(max(left, EDGE * ratio), max(top, EDGE * ratio), width, height)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(GROUND)
    painter.drawRoundedRect(box, 3.0 * ratio, 3.0 * ratio)
    painter.setPen(LIGHT)
    for row, line in enumerate(shown):
        base = box.top() + PADDING * ratio / 2.0 + row * metrics.height() + metrics.ascent()
        painter.drawText(QPointF(box.left() + PADDING * ratio, base), line)
    return box


def draw_shape(
    painter: QPainter, shape: Shape, marked: Collection[tuple[str, int]], mapping: Mapping, ratio: float
) -> None:
    """Draw the lines and the handles of a window; `marked` are the keys of the handles to mark."""
    lines = shape.outlines()
    draw_lines(painter, lines.soft, mapping, ratio, lines.closed, soft=True)
    draw_lines(painter, lines.core, mapping, ratio, lines.closed)
    handles = shape.handles(mapping.metric)
    vertices = {each.index: each for each in handles if each.name == "vertex"}
    for each in handles:
        if each.name in ("in", "out"):
            start, end = (placed(mapping.on_canvas(at), ratio) for at in (vertices[each.index].at, each.at))
            draw_line(painter, start, end, ratio)
    for each in handles:
        draw_handle(painter, each, mapping, ratio, each.key in marked)
