"""The canvas tool that places the corners of a ColorChecker on the image, by mouse and keys."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QPointF, QRectF, Qt
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPen, QPolygonF

from app.canvas.mattes.painting import BELOW, CHOSEN, DARK, LIGHT, SIDE, WIDTH, draw_label, draw_line, draw_lines
from app.canvas.mattes.place import CanvasPlace, at_of, point_of
from app.canvas.mattes.window_keys import ARROWS, modifiers_of
from app.canvas.tools import Tool
from app.model.matte_paths import Point
from app.model.viewport import Viewport
from app.services.chart_matching import ChartMatching, Corners, moved
from engine.core.records import dataclass

ALL = frozenset(range(4))
REACH = 12.0
"""The distance within which a press grabs a corner, in logical pixels."""
NUDGE, LARGE_NUDGE = 1.0, 10.0
"""What an arrow key moves by without and with Shift, in pixels of the image."""
SHARE = 0.3
"""Half of the height of a new chart, as a share of what is visible."""
LABEL = (24.0, 46.0)
"""How far to the left of the first corner and above it its name is placed, in logical pixels."""
FIRST = "dark skin"
"""The name that is painted beside the first corner."""
HINT = "Drag the corners onto the chart; arrow keys move, Ctrl+Right selects the next, Ctrl+Z undoes, Esc ends"


@dataclass(frozen=True)
class Drag:
    """A drag of corners: where it began on the image, and the chart as it was."""

    corners: frozenset[int]
    start: Point
    began: Corners


class ChartTool(QObject, Tool):
    """Draws the squares that are measured, and drags and nudges the corners. It is on top while it is there."""

    is_temporary = True

    def __init__(self, place: CanvasPlace, chart: ChartMatching, ended: Callable[[], object]) -> None:
        """`ended` is called once Esc has removed the tool."""
        super().__init__(place.canvas)
        self._place, self._canvas, self._chart, self._ended = place, place.canvas, chart, ended
        self._drag: Drag | None = None
        self.chosen = 0
        """The corner that the arrow keys move; 4 for all of them."""
        place.canvas.scene.overlays.append(self)
        chart.changed.connect(lambda: place.canvas.redraw())

    @property
    def is_there(self) -> bool:
        """Whether the tool handles events."""
        return self in self._canvas.tools

    def begin(self) -> None:
        """Put the tool on top, with a chart in the middle of what is visible if there is none yet."""
        visible = self._place.visible
        if self._chart.corners is None and visible is not None:
            left, top, width, height = visible
            x, y, down = left + width / 2.0, top + height / 2.0, SHARE * height
            across = min(1.5 * down * self._stretch, 0.45 * width)
            around = ((-across, -down), (across, -down), (across, down), (-across, down))
            corners = [self._in_data((x + dx, y + dy)) for dx, dy in around]
            self._chart.set_corners((corners[0], corners[1], corners[2], corners[3]))
        self._canvas.tools.push(self)
        self._canvas.setFocus()

    def end(self) -> None:
        """Take the tool away."""
        self._canvas.tools.remove(self)

    def removed(self) -> None:
        """Draw nothing any more."""
        self._drag = None
        self._ended()
        self._canvas.redraw()

    def mouse_press(self, event: QMouseEvent) -> bool:
        began, mapping = self._chart.corners, self._place.mapping
        corners = self._corners_at(at_of(event)) if event.button() == Qt.MouseButton.LeftButton else frozenset[int]()
        if began is None or mapping is None or not corners:
            return False
        self._canvas.setFocus(Qt.FocusReason.MouseFocusReason)
        self.chosen = 4 if corners == ALL else next(iter(corners))
        self._drag = Drag(corners, mapping.on_image(at_of(event)), began)
        self._chart.settle()
        return True

    def mouse_move(self, event: QMouseEvent) -> bool:
        drag, mapping = self._drag, self._place.mapping
        if drag is None or mapping is None:
            return False
        x, y = mapping.on_image(at_of(event))
        self._chart.set_corners(moved(drag.began, drag.corners, x - drag.start[0], y - drag.start[1]), "drag")
        return True

    def mouse_release(self, event: QMouseEvent) -> bool:
        drag, self._drag = self._drag, None
        self._chart.settle()
        return drag is not None

    def keeps_key(self, event: QKeyEvent) -> bool:
        return self._is_undo(event)

    def key_press(self, event: QKeyEvent) -> bool:
        corners, keys = self._chart.corners, modifiers_of(event)
        if self._is_undo(event):
            self._chart.undo()
            return True
        if corners is None or event.key() not in ARROWS:
            return False
        shift, control = Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.ControlModifier
        if keys == control and event.key() in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            self.chosen = (self.chosen + (1 if event.key() == Qt.Key.Key_Right else -1)) % 5
            self._canvas.redraw()
            return True
        if keys not in (Qt.KeyboardModifier.NoModifier, shift):
            return False
        step = LARGE_NUDGE if keys == shift else NUDGE
        dx, dy = (step * each for each in ARROWS[event.key()])
        self._chart.set_corners(moved(corners, self._moving, dx, dy), f"nudge {self.chosen}")
        return True

    def cursor_at(self, position: QPointF) -> Qt.CursorShape | None:
        corners = self._corners_at(point_of(position))
        if not corners:
            return None
        return Qt.CursorShape.SizeAllCursor if corners == ALL else Qt.CursorShape.PointingHandCursor

    def drawn(self) -> bool:
        """Return whether there is a chart to paint."""
        return self.is_there and self._chart.corners is not None

    def paint(self, painter: QPainter, viewport: Viewport, ratio: float) -> None:
        """Paint the outline, the squares that are measured, and the corners, in device pixels."""
        corners, place, fit = self._chart.corners, self._chart.place, self._chart.fit
        if corners is None:
            return
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        mapping = self._place.mapping_of(viewport, ratio)
        draw_lines(painter, [[self._in_display(at) for at in corners]], mapping, ratio, closed=True)
        squares = [] if place is None else (place.squares() - self._origin).tolist()
        draw_lines(painter, squares, mapping, ratio, closed=True)
        for number, points in enumerate(squares):
            if fit is not None and not fit.used[number]:
                ends = [QPointF(*(each * ratio for each in mapping.on_canvas(at))) for at in points]
                for start, end in ((ends[0], ends[2]), (ends[1], ends[3])):
                    draw_line(painter, start, end, ratio, CHOSEN)
        for number, at in enumerate(corners):
            x, y = (each * ratio for each in mapping.on_canvas(self._in_display(at)))
            _draw_corner(painter, QPointF(x, y), ratio, self.chosen in (number, 4))
        size = (float(viewport.width), float(viewport.height))
        x, y = mapping.on_canvas(self._in_display(corners[0]))
        draw_label(painter, [FIRST], (x - LABEL[0], y - LABEL[1]), size, ratio)
        painter.restore()

    # -- inside

    @property
    def _moving(self) -> frozenset[int]:
        return ALL if self.chosen == 4 else frozenset((self.chosen,))

    @property
    def _stretch(self) -> float:
        """Pixels across that look as wide as one down is high."""
        mapping = self._place.mapping
        return 1.0 if mapping is None else mapping.down / mapping.across

    def _corners_at(self, at: Point) -> frozenset[int]:
        """Return the corners that a press at a position would drag: one, all from inside of the chart, or none."""
        corners, mapping = self._chart.corners, self._place.mapping
        if corners is None or mapping is None or self._canvas.moves_image:
            return frozenset()
        there = [mapping.on_canvas(self._in_display(corner)) for corner in corners]
        near = [(abs(x - at[0]) + abs(y - at[1]), number) for number, (x, y) in enumerate(there)]
        if min(near)[0] <= REACH:
            return frozenset((min(near)[1],))
        inside = QPolygonF([QPointF(*corner) for corner in there])
        return ALL if inside.containsPoint(QPointF(*at), Qt.FillRule.OddEvenFill) else frozenset()

    def _is_undo(self, event: QKeyEvent) -> bool:
        control = Qt.KeyboardModifier.ControlModifier
        return event.key() == Qt.Key.Key_Z and modifiers_of(event) == control and self._chart.can_undo

    def _in_data(self, at: Point) -> Point:
        """Return a position of the display window relative to the data window."""
        left, top = self._origin
        return at[0] + left, at[1] + top

    def _in_display(self, at: Point) -> Point:
        left, top = self._origin
        return at[0] - left, at[1] - top

    @property
    def _origin(self) -> Point:
        viewport = self._canvas.viewport
        return (0.0, 0.0) if viewport is None else (viewport.display[0], viewport.display[1])


def _draw_corner(painter: QPainter, at: QPointF, ratio: float, chosen: bool) -> None:
    """Draw a corner as a square around a device pixel."""
    half = SIDE * ratio / 2.0
    for color, width in ((DARK, BELOW), (CHOSEN if chosen else LIGHT, WIDTH)):
        painter.setPen(QPen(color, width * ratio))
        painter.setBrush(CHOSEN if chosen else DARK)
        painter.drawRect(QRectF(at.x() - half, at.y() - half, 2.0 * half, 2.0 * half))
