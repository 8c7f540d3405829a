"""Many lines and points at once, on the application's thread.

They are the same Qt objects each time. One that is destroyed releases Python's lock and has to wait for it again: two
hundred took up to 30 ms while threads computed, and 0.1 ms else.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from PySide6.QtCore import QLineF, QPointF
from PySide6.QtGui import QPainter, QPolygonF

KEPT = 16384
_lines, _points = list[QLineF](), list[QPointF]()


def draw_straight(painter: QPainter, ends: Sequence[Sequence[float]]) -> None:
    """Draw lines, each from x and y to x and y."""
    _lines.extend(QLineF() for _ in range(len(ends) - len(_lines)))
    for line, at in zip(_lines, ends, strict=False):
        line.setLine(*at)
    painter.drawLines(_lines[: len(ends)])
    del _lines[KEPT:]


def points_at(places: Iterable[Sequence[float]]) -> list[QPointF]:
    """Return points at x and y. The next call moves them."""
    count = 0
    for count, (x, y) in enumerate(places, 1):
        if count > len(_points):
            _points.append(QPointF())
        _points[count - 1].setX(x)
        _points[count - 1].setY(y)
    del _points[max(KEPT, count) :]
    return _points[:count]


def polygon_at(xs: Iterable[float], ys: Iterable[float]) -> QPolygonF:
    """Return a polygon, or a line, through points at x and y."""
    return QPolygonF(points_at(zip(xs, ys, strict=True)))
