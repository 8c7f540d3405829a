"""Painting of a curve editor: grid, curves, keys and the current frame."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPainterPath, QPen, QPolygonF

from app.model.curve_lines import CurveLine, Selection, between
from app.widgets.curve_plot import COLOURS, FIELD, NUMBER
from app.widgets.key_axes import Axes, marks
from app.widgets.key_mark import diamond
from app.widgets.style import ACCENT, MUTED, TEXT
from engine.grade.curves import Curve, Key

GRID, ZERO = QColor("#333333"), QColor("#4a4a4a")
BAND = QColor(122, 162, 200, 40)
COMPONENTS = {"R": "red", "G": "green", "B": "blue", "X": "red", "Y": "green", "Z": "blue"}
OTHERS = (QColor(205, 205, 205), QColor(196, 160, 108), QColor(150, 176, 150), QColor(160, 150, 190))
"""Colours of curves that are not of red, green, blue or an axis, in turn."""
_HALF, _SMALL = 4.0, 2.0
_DENSE = 5.0
"""Keys that are fewer pixels apart are painted small."""
_MOST_PATHS = 2048
MANY_LINES, MANY_KEYS = 24, 400
"""More lines or keys than these, such as those of the vertices of a path, are painted thin, with small keys."""


def colour_of(line: CurveLine, at: int) -> QColor:
    """Return the colour of the line at an index."""
    name = COMPONENTS.get(line.component, "")
    return COLOURS[name] if name else OTHERS[at % len(OTHERS)]


class KeyPainting:
    """Paints a plot. The paths of curves are kept, since most curves stay as they are."""

    def __init__(self) -> None:
        self._paths: dict[int, tuple[Curve, QPainterPath]] = {}

    def paint(
        self,
        painter: QPainter,
        axes: Axes,
        lines: Sequence[CurveLine],
        selection: Selection,
        frame: int,
        band: QRectF | None,
        focused: bool,
    ) -> None:
        """Paint everything; `band` is the rectangle that selects, `focused` whether keys go to the plot."""
        painter.fillRect(axes.box, FIELD)
        font = QFont(painter.font())
        font.setPixelSize(10)
        painter.setFont(font)
        _paint_grid(painter, axes)
        painter.save()
        painter.setClipRect(axes.box)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        many = len(lines) > MANY_LINES or sum(len(line.curve.keys) for line in lines) > MANY_KEYS
        width = 1.0 if many else 1.5  # thin lines are painted ten times as fast
        painter.save()
        painter.setTransform(axes.transform, True)
        for at, line in enumerate(lines):
            self._paint_curve(painter, axes, line.curve, QPen(colour_of(line, at), width))
        painter.restore()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        x = round(axes.spot(frame, 0.0).x())
        painter.fillRect(QRectF(x, axes.box.top(), 1.0, axes.box.height()), QColor(TEXT))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for at, line in enumerate(lines):
            _paint_keys(painter, axes, line, colour_of(line, at), selection, many)
        if band is not None:
            painter.setPen(QPen(QColor(ACCENT), 1.0))
            painter.setBrush(BAND)
            painter.drawRect(band)
        painter.restore()
        if focused:
            painter.setPen(QPen(QColor(ACCENT), 1.0))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(axes.box.adjusted(0.5, 0.5, -0.5, -0.5))
        if not lines:
            painter.setPen(QColor(MUTED))
            painter.drawText(axes.box, Qt.AlignmentFlag.AlignCenter, "Select an animated control on the left")

    def _paint_curve(self, painter: QPainter, axes: Axes, curve: Curve, pen: QPen) -> None:
        """Paint a curve, which is constant before its first key and after its last one, in frames and values."""
        first, last = curve.keys[0], curve.keys[-1]
        pen.setCosmetic(True)
        painter.setPen(pen)
        painter.drawLine(QPointF(axes.first, first.value), QPointF(first.frame, first.value))
        painter.drawLine(QPointF(last.frame, last.value), QPointF(axes.last, last.value))
        painter.drawPath(self._path(curve))

    def _path(self, curve: Curve) -> QPainterPath:
        """Return a curve as a path of frames and values."""
        known = self._paths.get(id(curve))
        if known is None or known[0] is not curve:
            if len(self._paths) > _MOST_PATHS:
                self._paths.clear()
            known = self._paths[id(curve)] = curve, path_of(curve)
        return known[1]


def path_of(curve: Curve) -> QPainterPath:
    """Return a curve as a path of frames and values, from its first key to its last one."""
    first = curve.keys[0]
    path = QPainterPath(QPointF(first.frame, first.value))
    for key, after in zip(curve.keys, curve.keys[1:], strict=False):
        if key.interpolation == "hold":
            path.lineTo(after.frame, key.value)
            path.lineTo(after.frame, after.value)
        elif key.interpolation == "linear" or after.frame - key.frame == 1:
            path.lineTo(after.frame, after.value)
        else:
            path.cubicTo(*_controls(curve, key, after), QPointF(after.frame, after.value))
    return path


def _controls(curve: Curve, key: Key, after: Key) -> tuple[QPointF, QPointF]:
    """Return the control points of a cubic, from its values at its thirds."""
    third = (after.frame - key.frame) / 3.0
    one, two = curve.at(key.frame + third), curve.at(after.frame - third)
    left = (-5.0 * key.value + 18.0 * one - 9.0 * two + 2.0 * after.value) / 6.0
    right = (2.0 * key.value - 9.0 * one + 18.0 * two - 5.0 * after.value) / 6.0
    return QPointF(key.frame + third, left), QPointF(after.frame - third, right)


def _paint_keys(
    painter: QPainter, axes: Axes, line: CurveLine, colour: QColor, selection: Selection, many: bool
) -> None:
    """Paint the keys in sight: selected ones filled with the accent, and those of `many` or close ones small."""
    points = {False: QPolygonF(), True: QPolygonF()}  # whether they are selected
    beyond, dense = _HALF * axes.frames_per_pixel, _DENSE * axes.frames_per_pixel
    for key, gap in _with_gaps(between(line.curve, axes.first - beyond, axes.last + beyond)):
        spot, chosen = axes.spot(key.frame, key.value), (line.id, key.frame) in selection
        if many or (gap < dense and not chosen):
            points[chosen].append(spot)
            continue
        painter.setPen(QPen(QColor(TEXT) if chosen else FIELD, 1.0))
        painter.setBrush(QColor(ACCENT) if chosen else colour)
        painter.drawPolygon(diamond(spot, _HALF))
    for chosen, spots in points.items():
        painter.setPen(QPen(QColor(ACCENT).lighter(120), 3.0 * _SMALL) if chosen else QPen(colour, 2.0 * _SMALL))
        painter.drawPoints(spots)


def _with_gaps(keys: Sequence[Key]) -> Iterator[tuple[Key, float]]:
    """Yield each key, and the distance in frames from the one before."""
    before = float("-inf")
    for key in keys:
        yield key, key.frame - before
        before = key.frame


def _paint_grid(painter: QPainter, axes: Axes) -> None:
    """Paint lines at round frames and values, and their numbers."""
    box = axes.box
    for frame in marks(axes.first, axes.last, max(2, int(box.width() / 70)), 1.0):
        x = round(axes.spot(frame, 0.0).x())
        painter.fillRect(QRectF(x, box.top(), 1.0, box.height()), GRID)
        painter.setPen(NUMBER)
        where = QRectF(x - 30.0, box.bottom() + 2.0, 60.0, 14.0)
        painter.drawText(where, Qt.AlignmentFlag.AlignCenter, str(round(frame)))
    for value in marks(axes.low, axes.high, max(2, int(box.height() / 28))):
        y = round(axes.spot(0.0, value).y())
        painter.fillRect(QRectF(box.left(), y, box.width(), 1.0), ZERO if abs(value) < 1e-12 else GRID)
        painter.setPen(NUMBER)
        where = QRectF(0.0, y - 7.0, box.left() - 5.0, 14.0)
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(where, right, f"{value:.6g}")
