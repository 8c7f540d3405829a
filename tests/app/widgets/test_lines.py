"""Lines and points that are the same Qt objects each time."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QLineF, QPointF
from PySide6.QtGui import QImage, QPainter, QPolygonF

from app.widgets import lines
from app.widgets.lines import draw_straight, points_at, polygon_at

ENDS = [(1.0, 2.0, 30.0, 25.5), (0.0, 30.0, 31.0, 0.0), (4.0, 4.0, 4.0, 28.0)]


def drawn(ends: list[tuple[float, float, float, float]], kept: bool) -> QImage:
    image = QImage(32, 32, QImage.Format.Format_RGB32)
    image.fill(0)
    with QPainter(image) as painter:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen("white")
        draw_straight(painter, ends) if kept else painter.drawLines([QLineF(*each) for each in ends])
    return image


@pytest.mark.parametrize("count", [0, 1, 2, 3, 1])
def test_only_the_lines_that_are_given_are_drawn(count: int) -> None:
    assert drawn(ENDS[:count], kept=True) == drawn(ENDS[:count], kept=False)


def test_drawing_again_makes_no_more_objects() -> None:
    drawn(ENDS, kept=True)
    before = [id(each) for each in lines._lines]
    drawn(ENDS[::-1], kept=True)
    drawn(ENDS[:1], kept=True)
    assert [id(each) for each in lines._lines] == before
    first = points_at([(1.0, 2.0), (3.0, 4.0)])
    assert all(one is other for one, other in zip(points_at([(5.0, 6.0), (7.0, 8.0)]), first, strict=True))
    assert first == [QPointF(5.0, 6.0), QPointF(7.0, 8.0)]


def test_no_more_are_kept_than_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "KEPT", 2)
    assert drawn(ENDS, kept=True) == drawn(ENDS, kept=False)
    assert len(lines._lines) == 2
    assert len(points_at([(float(n), 0.0) for n in range(5)])) == 5
    points_at([])
    assert len(lines._points) == 2


def test_a_polygon_keeps_its_points() -> None:
    found = polygon_at([1.0, 2.0], [3.0, 4.0])
    points_at([(9.0, 9.0), (8.0, 8.0)])
    assert found == QPolygonF([QPointF(1.0, 3.0), QPointF(2.0, 4.0)])
