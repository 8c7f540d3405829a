"""A mesh of hues and lightness whose nodes are dragged."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFont,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPolygonF,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QSizePolicy

from app.widgets.gestures import Painted, arrow_of, fineness, is_command
from app.widgets.style import ACCENT, MUTED
from app.widgets.warp_painting import DARK, FIELD, FOLD, LIGHT, TRACE, displayed, tinted
from engine.ops.warp_grid import COLUMNS, FIRST_STOPS, ROW_STOPS, ROWS, coefficients, folds, values_at
from engine.ops.warp_pins import place_of

Node = tuple[int, int]
"""Row, from dark to bright, and column."""
NEAR = 10.0
FIRST_HUE, LAST_HUE, LOW, HIGH = -15.0, 345.0, -7.5, 7.5
"""Ends of the axes, in degrees and stops."""
STEPS = (1.0, 2.0, 0.05)
"""Steps of keys in hue (degrees), saturation (%) and lightness (stops)."""
LIMITS = ((-60.0, 60.0), (-100.0, 100.0), (-2.0, 2.0))
WIDTHS = {Qt.Key.Key_Plus: 1.0, Qt.Key.Key_Equal: 1.0, Qt.Key.Key_Minus: -1.0}
_LEFT, _BOTTOM, _EDGE = 26.0, 16.0, 5.0
_ACCENT, _NUMBER = QColor(ACCENT), QColor(MUTED)
_LINE = QColor(190, 190, 190, 150)
_FINE = 6
"""Points of a line between two nodes."""


class WarpMesh(Painted):
    """Shows the nodes of a grid where they take their colours: hue to the right, lightness up. Emits the nodes."""

    edited = Signal(object, object)  # nodes (rows, columns, 3), and the set of changed Nodes
    selected = Signal(object)  # Node
    drag_started = Signal()
    drag_ended = Signal()

    def __init__(self, name: str) -> None:
        super().__init__()
        self.nodes: NDArray[np.float64] = np.zeros((ROWS, COLUMNS, 3))
        self.at: Node = (ROWS // 2, 0)
        self._held: frozenset[Node] = frozenset()
        self._last = QPointF()
        self._start = (self.nodes, 0.0, 0.0)  # the nodes as the drag began, and its way in degrees and stops
        self._fitted = coefficients(self.nodes)
        self._mesh: list[QPolygonF] | None = None  # for these nodes and this size
        self._folds: QImage | None = None
        self._trace: QImage | None = None
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName(f"{name} mesh")
        self.setAccessibleDescription(
            "Page Up and Page Down select the next hue, with Shift the next lightness; arrow keys move the node, plus"
            " and minus change its saturation, Delete resets it"
        )
        self.setToolTip(
            f"{name}: hue in degrees to the right, lightness in stops about mid grey up.\n"
            "Drag a node: sideways for hue, up and down for lightness; with Ctrl all nodes of its hue."
            " The wheel changes saturation; double click resets.\n"
            "Page Up and Page Down select a hue (Shift: a lightness), arrow keys move the node (Shift: fine),"
            " + and - change saturation, Delete resets."
        )

    @property
    def folds(self) -> bool:
        """Whether the map folds."""
        return self._folds is not None

    def sizeHint(self) -> QSize:
        return QSize(280, 230)

    def minimumSizeHint(self) -> QSize:
        return QSize(160, 200)

    def show_nodes(self, nodes: NDArray[np.float64]) -> None:
        """Show other shifts of the nodes."""
        if not np.array_equal(nodes, self.nodes):
            self._take(nodes)

    def show_samples(self, numbers: NDArray[np.float64]) -> None:
        """Show where colours (n, 3) of the image lie: hue, saturation and lightness; greys have no place."""
        hue, _, stops = numbers[numbers[:, 1] > 3.0].T
        ends = [[LOW, HIGH], [FIRST_HUE, LAST_HUE]]
        counts = np.histogram2d(stops, (hue - FIRST_HUE) % 360.0 + FIRST_HUE, bins=(90, 180), range=ends)[0][::-1]
        most = max(float(counts.max()), 1.0)
        self._trace = tinted(TRACE * np.log1p(8.0 * counts) / math.log1p(8.0 * most), LIGHT)
        self.update()

    @property
    def has_samples(self) -> bool:
        """Whether colours of the image are shown."""
        return self._trace is not None

    def select(self, node: Node) -> None:
        """Select a node."""
        self.at = (min(max(node[0], 0), ROWS - 1), node[1] % COLUMNS)
        self.selected.emit(self.at)
        self.update()

    def place(self, hue: float, stops: float) -> QPointF:
        """Return the point of the widget for a hue and a lightness."""
        box = self._box()
        across, up = (hue - FIRST_HUE) / (LAST_HUE - FIRST_HUE), (stops - LOW) / (HIGH - LOW)
        return QPointF(box.left() + across * box.width(), box.bottom() - up * box.height())

    def place_of_node(self, node: Node) -> QPointF:
        """Return where a node takes its colour."""
        shift, _, light = self.nodes[node]
        return self.place(_hue_of(node) + shift, _stops_of(node) + light)

    def set_node(self, node: Node, shifts: tuple[float, float, float]) -> None:
        """Change the shifts of a node."""
        changed = self.nodes.copy()
        changed[node] = shifts
        self._announce(changed, frozenset({node}))

    def pull(self, nodes: frozenset[Node], start: NDArray[np.float64], hue: float, stops: float) -> None:
        """Move nodes away from where they were at the start of a drag."""
        changed = start.copy()
        for node in nodes:
            shift, saturation, light = start[node]
            changed[node] = (_within(shift + hue, 0), saturation, _within(light + stops, 2))
        self._announce(changed, nodes)

    # -- mouse and keys

    def mousePressEvent(self, event: QMouseEvent) -> None:
        near = self._near(event.position())
        if event.button() != Qt.MouseButton.LeftButton or near is None:
            event.ignore()
            return
        self.select(near)
        whole = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        self._held = frozenset((row, near[1]) for row in range(ROWS)) if whole else frozenset({near})
        self._last, self._start = event.position(), (self.nodes, 0.0, 0.0)
        self.drag_started.emit()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if not self._held:
            near = self._near(event.position()) is not None
            self.setCursor(Qt.CursorShape.SizeAllCursor if near else Qt.CursorShape.ArrowCursor)
            return
        way, self._last = event.position() - self._last, event.position()
        box, fine, (nodes, hue, stops) = self._box(), fineness(event), self._start
        hue += way.x() / box.width() * (LAST_HUE - FIRST_HUE) * fine
        stops -= way.y() / box.height() * (HIGH - LOW) * fine
        self._start = nodes, hue, stops
        self.pull(self._held, nodes, hue, stops)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._held and event.button() == Qt.MouseButton.LeftButton:
            self._held = frozenset()
            self.drag_ended.emit()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        near = self._near(event.position())
        if event.button() == Qt.MouseButton.LeftButton and near is not None:
            self.select(near)
            self.set_node(near, (0.0, 0.0, 0.0))

    def wheelEvent(self, event: QWheelEvent) -> None:
        if not self.hasFocus():
            event.ignore()  # the panel scrolls
            return
        delta = event.angleDelta().y() or event.angleDelta().x()
        self._step((0.0, delta / 120.0 * fineness(event), 0.0))
        event.accept()

    def event(self, event: QEvent) -> bool:
        """Keep the keys of commands that change saturation."""
        asked = event.type() == QEvent.Type.ShortcutOverride
        if asked and isinstance(event, QKeyEvent) and not is_command(event) and event.key() in WIDTHS:
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        way, key, fine = arrow_of(event), event.key(), fineness(event)
        pages = {Qt.Key.Key_PageUp: 1, Qt.Key.Key_PageDown: -1}
        if is_command(event):
            event.ignore()
        elif way:
            self._step((way[0] * fine, 0.0, way[1] * fine))
        elif key in pages:
            by, rows = pages[Qt.Key(key)], bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            self.select((self.at[0] + by, self.at[1]) if rows else (self.at[0], self.at[1] + by))
        elif key in WIDTHS:
            self._step((0.0, WIDTHS[Qt.Key(key)], 0.0))
        elif key in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self.set_node(self.at, (0.0, 0.0, 0.0))
        else:
            event.ignore()

    def _step(self, by: tuple[float, float, float]) -> None:
        """Change the selected node by steps."""
        shifts = self.nodes[self.at]
        hue, saturation, light = (
            _within(x + steps * step, axis) for axis, (x, steps, step) in enumerate(zip(shifts, by, STEPS, strict=True))
        )
        self.set_node(self.at, (hue, saturation, light))

    def _announce(self, nodes: NDArray[np.float64], changed: frozenset[Node]) -> None:
        if not np.array_equal(nodes, self.nodes):
            self._take(nodes)
            self.edited.emit(nodes, changed)

    def _take(self, nodes: NDArray[np.float64]) -> None:
        self.nodes, self._fitted, self._mesh = nodes, coefficients(nodes), None
        found = folds(nodes, np.arange(FIRST_HUE, LAST_HUE, 5.0), np.linspace(HIGH, LOW, 31)) if nodes.any() else None
        self._folds = tinted(170.0 * found, FOLD) if found is not None and found.any() else None
        self.update()

    def _near(self, at: QPointF) -> Node | None:
        """Return the node that a press takes; the selected one of several."""
        every = ((row, column) for row in range(ROWS) for column in range(COLUMNS))
        ways = [((at - self.place_of_node(node)).manhattanLength(), node != self.at, node) for node in every]
        near = min(ways)
        return near[2] if near[0] <= NEAR else None

    def _box(self) -> QRectF:
        return QRectF(_LEFT, _EDGE, self.width() - _LEFT - _EDGE, self.height() - _EDGE - _BOTTOM)

    # -- painting

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._mesh = None

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
            box = self._box()
            painter.fillRect(box, FIELD)
            painter.drawImage(box, _face())
            for image in (self._trace, self._folds):
                if image is not None:
                    painter.drawImage(box, image)
            self._paint_numbers(painter)
            painter.setClipRect(box.adjusted(-6, -4, 4, 4))
            painter.setPen(QPen(_LINE, 1.0))
            for line in self._lines():
                painter.drawPolyline(line)
            for row in range(ROWS):
                for column in range(COLUMNS):
                    self._paint_node(painter, (row, column))
            if self.hasFocus():
                painter.setPen(QPen(_ACCENT, 1.0))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawRect(box.adjusted(0.5, 0.5, -0.5, -0.5))

    def _paint_numbers(self, painter: QPainter) -> None:
        font = QFont(self.font())
        font.setPixelSize(10)
        painter.setFont(font)
        painter.setPen(_NUMBER)
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        for row in range(ROWS):
            stops = _stops_of((row, 0))
            y = self.place(0.0, stops).y()
            painter.drawText(QRectF(0, y - 7, _LEFT - 4, 14), right, f"{stops:+g}" if stops else "0")
        for hue in range(0, 360, 60):
            x = self.place(float(hue), 0.0).x()
            painter.drawText(
                QRectF(x - 20, self.height() - _BOTTOM, 40, _BOTTOM), Qt.AlignmentFlag.AlignCenter, f"{hue}°"
            )

    def _paint_node(self, painter: QPainter, node: Node) -> None:
        chosen, saturation = node == self.at, self.nodes[node][1]
        place, size = self.place_of_node(node), 2.8 * 2.0 ** (saturation / 100.0)
        painter.setPen(QPen(DARK, 1.0))
        moved = bool(self.nodes[node].any())
        painter.setBrush((_ACCENT if self.hasFocus() else LIGHT) if chosen else LIGHT if moved else _NUMBER.darker(140))
        painter.drawEllipse(place, size, size)
        if chosen:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(_ACCENT if self.hasFocus() else LIGHT, 1.2))
            painter.drawEllipse(place, size + 3.5, size + 3.5)

    def _lines(self) -> list[QPolygonF]:
        """Return the lines of the mesh through the moved nodes."""
        if self._mesh is None:
            self._mesh = [self._line(line) for line in _mesh_at(self._fitted)]
        return self._mesh

    def _line(self, points: NDArray[np.float64]) -> QPolygonF:
        return QPolygonF([self.place(hue, light) for hue, light in points.tolist()])


def _mesh_at(fitted: NDArray[np.float64]) -> list[NDArray[np.float64]]:
    """Return the points (n, 2) of each row and column of the mesh: hue and lightness."""
    hues = np.linspace(-30.0, 360.0, 13 * _FINE + 1)
    stops = np.linspace(FIRST_STOPS, FIRST_STOPS + ROW_STOPS * (ROWS - 1), (ROWS - 1) * _FINE + 1)
    rows = [np.stack(np.broadcast_arrays(hues, _stops_of((row, 0))), axis=1) for row in range(ROWS)]
    columns = [np.stack(np.broadcast_arrays(_hue_of((0, column)), stops), axis=1) for column in range(COLUMNS)]
    points = np.concatenate([*rows, *columns])
    moved = points + values_at(fitted, points[:, 0], points[:, 1])[:, ::2]
    return np.split(moved, np.cumsum([len(line) for line in (*rows, *columns)])[:-1])


def _hue_of(node: Node) -> float:
    return 360.0 / COLUMNS * node[1]


def _stops_of(node: Node) -> float:
    return FIRST_STOPS + ROW_STOPS * node[0]


def nearest_node(hue: float, stops: float) -> Node:
    """Return the node nearest to a colour."""
    row = round((stops - FIRST_STOPS) / ROW_STOPS)
    return min(max(row, 0), ROWS - 1), round(hue * COLUMNS / 360.0) % COLUMNS


def _within(number: float, axis: int) -> float:
    """Return a shift within its limits, rounded to what can be seen."""
    low, high = LIMITS[axis]
    return round(min(max(float(number), low), high), 3)


@lru_cache(maxsize=1)
def _face() -> QImage:
    """Return the hues, darker downwards, dim."""
    hues, stops = np.linspace(FIRST_HUE, LAST_HUE, 96), np.linspace(1.0, 0.35, 24)
    line = displayed(np.stack([place_of(float(hue), 45.0, 0.0) for hue in hues]))
    rgb = np.round(line[None] * stops[:, None, None] * 255.0 * 0.4)
    pixels = np.full((24, 96, 4), 255, np.uint8)
    pixels[..., :3] = rgb
    return QImage(pixels.tobytes(), 96, 24, 4 * 96, QImage.Format.Format_RGBX8888).copy()
