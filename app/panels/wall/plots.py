"""Plots of a LUT: its response to grey as curves, and its lattice in three dimensions."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QPixmap
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.services.event_loop import turn_queue
from app.widgets.lines import draw_straight, polygon_at
from app.widgets.style import MUTED
from engine.core.records import dataclass

Floats = NDArray[np.float64]
GROUND, GRID, AXES = QColor("#1c1c1c"), QColor("#6a6a6a"), QColor("#787878")
CHANNELS = (QColor("#c56a6a"), QColor("#6fae6f"), QColor("#6f8fc5"))
MARGIN = 8
SHADES = 12
"""Steps per channel to which the colours of the lattice lines are rounded."""
TURN = math.radians(10.0)
"""Rotation of the lattice per key press, in radians."""


class Plot(QWidget):
    """Base of the plots: a dark square."""

    def __init__(self, name: str, tip: str) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.setToolTip(tip)
        self.setMinimumSize(120, 120)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)

    def sizeHint(self) -> QSize:
        return QSize(150, 150)

    def frame(self) -> QRectF:
        side = min(self.width(), self.height()) - 2 * MARGIN
        return QRectF((self.width() - side) / 2, (self.height() - side) / 2, side, side)

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.fillRect(self.rect(), GROUND)
            self.paint(painter)

    def paint(self, painter: QPainter) -> None:
        """Paint the plot on its ground."""


class CurvePlot(Plot):
    """The response to grey: R, G and B over the domain of the LUT."""

    def __init__(self) -> None:
        super().__init__("Curves of the LUT", "Response to grey: input to the right, R, G and B upwards")
        self._curves: Floats | None = None

    def show_response(self, curves: Floats | None) -> None:
        """Show curves (points, 4) of input, R, G and B; None for nothing."""
        self._curves = curves
        self.update()

    def paint(self, painter: QPainter) -> None:
        box = self.frame()
        painter.setPen(QPen(GRID, 1))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)  # lines keep their contrast
        left, top, right, bottom = box.left(), box.top(), box.right(), box.bottom()
        across = [left + box.width() * step / 4 for step in range(5)]
        down = [top + box.height() * step / 4 for step in range(5)]
        draw_straight(painter, [(x, top, x, bottom) for x in across] + [(left, y, right, y) for y in down])
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self._curves is not None:
            self._draw(painter, box, self._curves)

    def _draw(self, painter: QPainter, box: QRectF, curves: Floats) -> None:
        low, high = float(curves[0, 0]), float(curves[-1, 0])
        values = np.nan_to_num(curves[:, 1:], posinf=1e6, neginf=-1e6)
        bottom, top = min(float(values.min()), 0.0), max(float(values.max()), 1e-6)
        bottom, top = max(bottom, -1e6), min(top, 1e6)
        along = box.left() + box.width() * (curves[:, 0] - low) / (high - low)
        for channel, colour in enumerate(CHANNELS):
            up = box.bottom() - box.height() * (values[:, channel] - bottom) / (top - bottom)
            painter.setPen(QPen(colour, 1.5))
            painter.drawPolyline(polygon_at(along.tolist(), up.tolist()))
        painter.setPen(QColor(MUTED))
        font = self.font()
        font.setPixelSize(10)
        painter.setFont(font)
        text = box.adjusted(3, 1, -3, -1)
        painter.drawText(text, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop, f"{top:.3g}")
        painter.drawText(text, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignBottom, f"{high:.3g}")


@dataclass(frozen=True)
class Lattice:
    """Colours (n**3, 3) in the order [r][g][b], and the index pairs of its lines, those of a shade after each other;
    `shades` says how many each has."""

    points: Floats
    edges: NDArray[np.intp]
    shades: list[tuple[QColor, int]]

    @classmethod
    def of(cls, colours: Floats) -> Lattice:
        """Return the lattice of colours (n**3, 3); it takes some 20 ms, so a worker thread calls this."""
        points = np.clip(np.nan_to_num(colours), -0.5, 1.5)
        edges = _edges(round(len(points) ** (1 / 3)))
        middles = points[edges].mean(axis=1).clip(0.0, 1.0) ** (1 / 2.2)
        shades, shade = np.unique(np.rint(middles * SHADES), axis=0, return_inverse=True)
        order = np.argsort(shade.ravel(), kind="stable")
        counts = np.bincount(shade.ravel()).tolist()
        rgb = (shades * (255 / SHADES)).astype(int).tolist()
        return cls(points, edges[order], [(QColor(*each), count) for each, count in zip(rgb, counts, strict=True)])


class CubePlot(Plot):
    """A lattice of colours at their output positions in RGB. Dragging and the arrow keys rotate it."""

    def __init__(self) -> None:
        super().__init__(
            "Lattice of the LUT",
            "Output of the LUT for a grid of colours, in RGB. Drag or use the arrow keys to rotate",
        )
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.OpenHandCursor)
        self._lattice: Lattice | None = None
        self._yaw, self._pitch = math.radians(-35.0), math.radians(25.0)
        self._grabbed: QPointF | None = None
        self._drawn: tuple[object, ...] = ()  # what the drawing depends on besides the lattice
        self._drawing = QPixmap()
        self._waiting = False  # whether it is to be drawn in another turn of the event loop

    def show_lattice(self, lattice: Lattice | None) -> None:
        """Show the lattice of a LUT; None for nothing."""
        self._lattice = lattice
        self._drawn = ()
        self.update()

    def paint(self, painter: QPainter) -> None:
        if self._drawn != self._wanted and not self._waiting:  # thousands of lines take a while
            self._waiting = True
            turn_queue().put(self, self._redraw)
        if not self._drawing.isNull():
            painter.drawPixmap(self.rect(), self._drawing)
        if self.hasFocus():
            painter.setPen(QPen(QColor("#7aa2c8"), 1))
            painter.drawRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5))

    @property
    def _wanted(self) -> tuple[object, ...]:
        return (self.size(), self.devicePixelRatioF(), self._yaw, self._pitch)

    def _redraw(self) -> None:
        self._waiting = False
        self._drawn, self._drawing = self._wanted, self._draw()
        self.update()

    def _draw(self) -> QPixmap:
        """Draw the lattice within its axes."""
        ratio, box = self.devicePixelRatioF(), self.frame()
        drawing = QPixmap(self.size() * ratio)
        drawing.setDevicePixelRatio(ratio)
        drawing.fill(GROUND)
        corners = self._projected(_CORNERS, box)
        lattice = self._lattice
        lines = [] if lattice is None else _ends(self._projected(lattice.points, box), lattice.edges)
        with QPainter(drawing) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(AXES, 1))
            draw_straight(painter, _ends(corners, _edges(2)))
            first = 0
            for colour, count in lattice.shades if lattice is not None else ():
                painter.setPen(colour)
                draw_straight(painter, lines[first : first + count])
                first += count
        return drawing

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._grabbed = event.position()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._grabbed is not None:
            moved = event.position() - self._grabbed
            self._grabbed = event.position()
            self._turn(moved.x() * 0.01, moved.y() * 0.01)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._grabbed = None

    def keyPressEvent(self, event: QKeyEvent) -> None:
        turns = {
            Qt.Key.Key_Left: (-TURN, 0.0),
            Qt.Key.Key_Right: (TURN, 0.0),
            Qt.Key.Key_Up: (0.0, -TURN),
            Qt.Key.Key_Down: (0.0, TURN),
        }
        turn = turns.get(Qt.Key(event.key()))
        if turn is None:
            super().keyPressEvent(event)
        else:
            self._turn(*turn)

    def _turn(self, yaw: float, pitch: float) -> None:
        self._yaw += yaw
        self._pitch = min(max(self._pitch + pitch, -math.pi / 2), math.pi / 2)
        self.update()

    def _projected(self, points: Floats, box: QRectF) -> Floats:
        """Project points of the unit cube to the widget: rotated about its centre, orthographic."""
        r, g, b = (points - 0.5).T
        across = r * math.cos(self._yaw) + b * math.sin(self._yaw)
        depth = b * math.cos(self._yaw) - r * math.sin(self._yaw)
        up = g * math.cos(self._pitch) - depth * math.sin(self._pitch)
        scale = box.width() / math.sqrt(3.0)
        return np.stack([box.center().x() + scale * across, box.center().y() - scale * up], axis=-1)


def _ends(places: Floats, edges: NDArray[np.intp]) -> list[list[float]]:
    """Return both ends of edges (n, 2), which are indices of places (n, 2)."""
    found: list[list[float]] = places[edges].reshape(-1, 4).tolist()
    return found


def _edges(size: int) -> NDArray[np.intp]:
    """Return index pairs of neighbours on a grid of size**3 points."""
    places = np.arange(size**3).reshape(size, size, size)
    pairs = [
        (places[:-1], places[1:]),
        (places[:, :-1], places[:, 1:]),
        (places[:, :, :-1], places[:, :, 1:]),
    ]
    return np.concatenate([np.stack([a.ravel(), b.ravel()], axis=1) for a, b in pairs])


_CORNERS = np.array([[r, g, b] for r in (0.0, 1.0) for g in (0.0, 1.0) for b in (0.0, 1.0)])
