"""The canvas tool that draws a new path of a matte, vertex by vertex."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence, QMouseEvent, QPainter

from app.canvas.mattes.drawing_tool import ENTERS, DrawingTool, Ended
from app.canvas.mattes.painting import draw_guides, draw_handle, draw_label, draw_line, draw_lines, placed
from app.canvas.mattes.place import CLICK, CanvasPlace, at_of, has_control, held_of
from app.canvas.mattes.snapping import Snapping
from app.canvas.mattes.window_keys import DELETING
from app.model import matte_paths
from app.model.matte_drawing import closed, in_middle
from app.model.matte_geometry import REACH, Handle, Mapping, Snapped, constrained_direction, hit
from app.model.matte_paths import LEAST, Point, Vertices, corner
from app.model.matte_shapes import place as place_text
from app.model.viewport import Viewport
from app.services.matte_selection import MatteSelection
from engine.core.records import dataclass


@dataclass(frozen=True)
class Pressed:
    """A press that has set a vertex; dragging away from it pulls its handles out."""

    at: Point
    index: int


class PathDrawTool(DrawingTool):
    """Sets a vertex with each click, with Bezier handles if the mouse is dragged.

    A click on the first vertex, a double click or Return closes the path; Backspace or the key that undoes takes the
    last vertex back. Return without vertices makes a path in the middle of what is visible.
    """

    def __init__(self, place: CanvasPlace, selection: MatteSelection, snapping: Snapping, ended: Ended) -> None:
        super().__init__(place, selection, snapping, ended)
        self.points: Vertices = ()
        """The vertices so far."""
        self._pressed: Pressed | None = None
        self._pointer: Point | None = None
        self._next: Point | None = None  # where a click would set the next vertex, on the image
        self._snap: Snapped | None = None

    def mouse_press(self, event: QMouseEvent) -> bool:
        mapping = self._pressed_on(event)
        if mapping is None:
            return False
        self._canvas.setFocus(Qt.FocusReason.MouseFocusReason)
        at = at_of(event)
        if self._is_on_first(at, mapping) or event.type() == QEvent.Type.MouseButtonDblClick:
            self._close()
            return True
        x, y = self._place_at(event, mapping)
        self.points = (*self.points, corner(x, y))
        self._pressed, self._pointer = Pressed(at, len(self.points) - 1), at
        self._canvas.redraw()
        return True

    def mouse_move(self, event: QMouseEvent) -> bool:
        mapping, pressed = self._place.mapping, self._pressed
        if mapping is None:
            return False
        at = self._pointer = at_of(event)
        if pressed is None:
            self._next = self._place_at(event, mapping)
            self._canvas.redraw()
            return False
        if sum(abs(a - b) for a, b in zip(at, pressed.at, strict=True)) >= CLICK:
            vertex, to = self.points[pressed.index], mapping.on_image(at)
            if held_of(event).shift:
                to = constrained_direction((vertex[0], vertex[1]), to, mapping.metric)
            pull = matte_paths.with_handle if held_of(event).alt else None
            self.points = (
                pull(self.points, pressed.index, "out", *to, alone=True)
                if pull is not None
                else matte_paths.with_symmetric_handles(self.points, pressed.index, *to)
            )
            self._canvas.redraw()
        return True

    def mouse_release(self, event: QMouseEvent) -> bool:
        was, self._pressed = self._pressed, None
        self._canvas.redraw()
        return was is not None

    def key_press(self, event: QKeyEvent) -> bool:
        if event.key() in ENTERS:
            self._close_or_make()
            return True
        if event.key() in DELETING or (self.points and is_undo(event)):
            self.points, self._pressed = self.points[:-1], None
            self._canvas.redraw()
            return True
        return False

    def keeps_key(self, event: QKeyEvent) -> bool:
        """Keep the keys that take a vertex back from commands, while there is one."""
        return bool(self.points) and (event.key() in DELETING or is_undo(event))

    def drawn(self) -> bool:
        """Return whether there are vertices."""
        return bool(self.points)

    def paint(self, painter: QPainter, viewport: Viewport, ratio: float) -> None:
        """Paint the path so far, and the segment to the pointer, in device pixels."""
        self.label = ""
        if not self.points:
            return
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        mapping, size = self._place.mapping_of(viewport, ratio), (float(viewport.width), float(viewport.height))
        if self._snap is not None and self._pressed is None:
            draw_guides(painter, self._snap.x, self._snap.y, mapping, size, ratio)
        following = self._next if self._pressed is None else None
        ahead = (*self.points, corner(*following)) if following is not None else self.points
        draw_lines(painter, [matte_paths.polyline(ahead, closed=False)], mapping, ratio)
        vertices = [Handle("vertex", (x, y), index) for index, (x, y, *_) in enumerate(self.points)]
        self._paint_handles(painter, vertices[-1], mapping, ratio)
        closes = self._pointer is not None and self._is_on_first(self._pointer, mapping)
        for each in vertices:
            draw_handle(painter, each, mapping, ratio, closes and each.index == 0)
        if self._pointer is not None:
            at = following or vertices[-1].at
            self.label = "close the path" if closes and self._pressed is None else place_text(at)
            draw_label(painter, [self.label], self._pointer, size, ratio)
        painter.restore()

    def _paint_handles(self, painter: QPainter, vertex: Handle, mapping: Mapping, ratio: float) -> None:
        """Paint the Bezier handles of the last vertex."""
        x, y, in_x, in_y, out_x, out_y = self.points[vertex.index]
        for name, dx, dy in (("in", in_x, in_y), ("out", out_x, out_y)):
            if dx or dy:
                end = Handle(name, (x + dx, y + dy))
                start, stop = (placed(mapping.on_canvas(at), ratio) for at in (vertex.at, end.at))
                draw_line(painter, start, stop, ratio)
                draw_handle(painter, end, mapping, ratio, False)

    def _place_at(self, event: QMouseEvent, mapping: Mapping) -> Point:
        """Return where a click sets a vertex; Shift constrains its direction from the last one."""
        at = mapping.on_image(at_of(event))
        if held_of(event).shift and self.points:
            last = self.points[-1]
            self._snap = None
            return constrained_direction((last[0], last[1]), at, mapping.metric)
        at, self._snap = self._snapping.point(at, has_control(event))
        return at

    def _is_on_first(self, at: Point, mapping: Mapping) -> bool:
        if len(self.points) < LEAST:
            return False
        first = Handle("vertex", (self.points[0][0], self.points[0][1]))
        return hit((first,), at, mapping, REACH) is not None

    def _close_or_make(self) -> None:
        visible, mapping = self._place.visible, self._place.mapping
        if self.points or visible is None or mapping is None:
            self._close()
        else:
            self._finish(in_middle("Path", visible, mapping.metric))

    def _close(self) -> None:
        """Add the path to the matte, if it has enough vertices."""
        if len(self.points) >= LEAST:
            self._finish(closed(self.points))

    def _forget(self) -> None:
        self.points, self._pressed, self._next, self._pointer, self._snap = (), None, None, None, None


def is_undo(event: QKeyEvent) -> bool:
    """Return whether a key is the one that undoes."""
    return event.matches(QKeySequence.StandardKey.Undo)
