"""The colours of the image as points in a solid, which the mouse and keys turn."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import combinations, product

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QImage, QKeyEvent, QMouseEvent, QPainter, QPen, QPolygonF

from app.panels.scopes.graticule import FIELD, LINE, NAME, NUMBER, STRONG, TOP, paint_name
from app.panels.scopes.plots import ScopePlot
from app.panels.scopes.scatter_trace import SHARE, projected, scatter_image
from app.panels.scopes.scope_settings import ScatterChoices, Trace
from app.panels.scopes.traces import as_image
from app.services.jobs import Jobs
from app.widgets.style import ACCENT
from engine.viewing.scatter import LAB_CHROMA, OKLAB_CHROMA, Scatter
from engine.viewing.scopes import ScopeReading

NEEDLESS = "The config has no conversion to CIE XYZ."
DEGREES_PER_PIXEL, DEGREES, FINE_DEGREES = 0.5, 10.0, 2.0
MOST_SIDE = 512
"""The most pixels of the image of the points along each axis."""
CORNERS = np.array(list(product((-1.0, 1.0), repeat=3)))
EDGES = [(one, other) for one, other in combinations(range(8), 2) if np.abs(CORNERS[one] - CORNERS[other]).sum() == 2.0]
HUES = ("R", "Yl", "G", "Cy", "B", "Mg")
CUBE_NAMES = ("K", "B", "G", "Cy", "R", "Mg", "Yl", "W")
"""Names of the corners of the RGB cube, in the order of CORNERS."""
LABELS = {
    "lab": {"L* 100": (0, 0, 1), "L* 0": (0, 0, -1), f"a* {LAB_CHROMA:g}": (1, 0, 0), f"b* {LAB_CHROMA:g}": (0, 1, 0)},
    "oklab": {"L 1": (0, 0, 1), "L 0": (0, 0, -1), f"a {OKLAB_CHROMA:g}": (1, 0, 0), f"b {OKLAB_CHROMA:g}": (0, 1, 0)},
}
"""Names of the ends of the axes."""
KEYS = {
    Qt.Key.Key_Left: (-1.0, 0.0),
    Qt.Key.Key_Right: (1.0, 0.0),
    Qt.Key.Key_Up: (0.0, 1.0),
    Qt.Key.Key_Down: (0.0, -1.0),
}


class ScatterPlot(ScopePlot):
    """A solid with the colours of the image. Its points are projected on another thread, one image after the other."""

    LINES = ()
    turned = Signal(object)  # ScatterChoices, once the mouse or a key has turned it

    def __init__(self, name: str, tip: str, jobs: Jobs) -> None:
        super().__init__(name, tip)
        self.setToolTip(f"{tip}.\nDrag or use the arrow keys to turn it, with Shift in fine steps; Home turns it back")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._jobs = jobs
        self.angles = ScatterChoices().yaw, ScatterChoices().pitch
        self._scatter: Scatter | None = None
        self._painted = self.angles  # those of the image
        self._is_drawing = self._is_outdated = False
        self._held: QPointF | None = None

    def field(self) -> QRectF:
        return QRectF(self.rect()).adjusted(8, TOP, -8, -TOP)

    def turn(self, yaw: float, pitch: float) -> None:
        """Turn the solid to angles in degrees."""
        self.angles = (yaw + 180.0) % 360.0 - 180.0, min(max(pitch, -90.0), 90.0)
        self._draw()

    def _follow_choices(self) -> None:
        """Take the points in the space of the choices; until they are read, those on screen, or others, stay."""
        spaces = (self.choices.scatter.space, self._scatter.space if self._scatter is not None else "")
        read = [self.reading.scatter_in(space) for space in spaces] if self.reading is not None else []
        self._scatter = next((each for each in read if each is not None), None)

    def _redraw(self) -> None:
        if self._held is None:
            self.angles = self.choices.scatter.yaw, self.choices.scatter.pitch
        self._draw()

    def _draw(self) -> None:
        """Request the image of the points; while one is made, the newest request waits."""
        if self._scatter is None:
            self._image = None
            self.update()
            return
        self._is_outdated = self._is_drawing
        if self._is_drawing:
            return
        self._is_drawing = True
        scatter, angles, trace = self._scatter, self.angles, self.choices.trace
        ratio = min(1.0, MOST_SIDE / max(1, *self.pixels(self.field())))
        width, height = (max(1, round(length * ratio)) for length in self.pixels(self.field()))
        self._jobs.run(
            lambda: scatter_image(scatter, *angles, trace, (width, height)),
            lambda pixels: self._show(as_image(pixels), angles),
            self._fail,
            self,
        )

    def _show(self, image: QImage, angles: tuple[float, float]) -> None:
        self._is_drawing = False
        if self._scatter is not None:
            self._image, self._painted = image, angles
        self.update()
        if self._is_outdated:
            self._draw()

    def _fail(self, _line: str) -> None:
        self._is_drawing = False

    def _drawn(self, reading: ScopeReading, trace: Trace) -> QImage | None:
        return None

    @property
    def _space(self) -> str:
        """The space of the points, or that of the choices."""
        return self.choices.scatter.space if self._scatter is None else self._scatter.space

    def place(self, point: tuple[float, float, float]) -> QPointF:
        """Return the position of a point of the box in the widget."""
        across, up, _ = projected(np.array([point]), *self._painted)[0].tolist()
        field = self.field()
        scale = SHARE[self._space] * min(field.width(), field.height())
        return field.center() + QPointF(across * scale, -up * scale)

    def _paint(self, painter: QPainter, field: QRectF) -> None:
        painter.fillRect(field, FIELD)
        if self.reading is None:
            return
        if not self.reading.scatters:
            painter.setPen(NUMBER)
            painter.drawText(field, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap, NEEDLESS)
            return
        if self._image is None or self._scatter is None:
            return
        space = self._space
        if space == "hsv":
            self._paint_cone(painter)
        else:
            self._paint_box(painter, space != "rgb", behind=True)
        self.paint_trace(painter, field, self._image)
        if space == "rgb":
            self._paint_box(painter, False, behind=False)
        self._paint_labels(painter, space)
        painter.setPen(NUMBER)
        count = f"{len(self._scatter.points):,} points".replace(",", " ")
        painter.drawText(field.adjusted(4, 2, -4, -2), Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignBottom, count)
        if self.hasFocus():
            painter.setPen(QPen(QColor(ACCENT), 1))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(field.adjusted(0.5, 0.5, -0.5, -0.5))

    def _paint_box(self, painter: QPainter, axes: bool, behind: bool) -> None:
        """Paint the edges of the box behind or before the points; with `axes`, also those through its middle."""
        depth = projected(CORNERS, *self._painted)[:, 2]
        farthest = int(depth.argmax())
        for one, other in EDGES:
            if (farthest in (one, other)) == behind or axes:
                self._line(painter, CORNERS[one], CORNERS[other], STRONG if not behind else LINE)
        for axis in np.eye(3) if axes else ():
            self._line(painter, -axis, axis, STRONG)

    def _paint_cone(self, painter: QPainter) -> None:
        """Paint the rim of the cone, its hues, and its axis."""
        turns = [math.radians(10.0 * n) for n in range(37)]
        rim = [self.place((math.cos(turn), math.sin(turn), 1.0)) for turn in turns]
        painter.setPen(QPen(LINE, 1))
        painter.drawPolyline(QPolygonF(rim))
        for n in range(6):
            hue = math.radians(60.0 * n)
            self._line(painter, np.array([0.0, 0.0, -1.0]), np.array([math.cos(hue), math.sin(hue), 1.0]), LINE)
        self._line(painter, np.array([0.0, 0.0, -1.0]), np.array([0.0, 0.0, 1.0]), STRONG)

    def _paint_labels(self, painter: QPainter, space: str) -> None:
        if space == "rgb":
            labels = dict(zip(CUBE_NAMES, CORNERS.tolist(), strict=True))
        elif space == "hsv":
            angles = [math.radians(60.0 * n) for n in range(6)]
            labels = {name: [math.cos(a), math.sin(a), 1.0] for name, a in zip(HUES, angles, strict=True)}
            labels |= {"V": [0.0, 0.0, 1.0], "K": [0.0, 0.0, -1.0]}
        else:
            labels = {name: [float(each) for each in end] for name, end in LABELS[space].items()}
        for name, (x, y, z) in labels.items():
            paint_name(painter, self.place((1.12 * x, 1.12 * y, 1.12 * z)), name, NAME)

    def _line(self, painter: QPainter, start: np.ndarray, end: np.ndarray, colour: QColor) -> None:
        painter.setPen(QPen(colour, 1))
        painter.drawLine(*(self.place(tuple(each.tolist())) for each in (start, end)))

    # -- turning

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._held = event.position()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._held is not None:
            moved, self._held = event.position() - self._held, event.position()
            yaw, pitch = self.angles
            self.turn(yaw + DEGREES_PER_PIXEL * moved.x(), pitch + DEGREES_PER_PIXEL * moved.y())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._held is not None and event.button() == Qt.MouseButton.LeftButton:
            self._held = None
            self._tell()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        if key == Qt.Key.Key_Home:
            self.turn(ScatterChoices().yaw, ScatterChoices().pitch)
        elif key in KEYS:
            step = FINE_DEGREES if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else DEGREES
            self.turn(*(angle + step * way for angle, way in zip(self.angles, KEYS[key], strict=True)))
        else:
            super().keyPressEvent(event)
            return
        self._tell()

    def _tell(self) -> None:
        yaw, pitch = self.angles
        self.turned.emit(replace(self.choices.scatter, yaw=yaw, pitch=pitch))
