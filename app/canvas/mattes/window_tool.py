"""The canvas tool that edits the selected window of a matte with its handles, by mouse and keys."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QEvent, QObject, QPointF, Qt, QTimer
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter

from app.canvas.mattes.painting import draw_guides, draw_label, draw_shape
from app.canvas.mattes.place import CLICK, CanvasPlace, at_of, has_control, held_of, point_of
from app.canvas.mattes.snapping import Snapping
from app.canvas.mattes.window_drag import DRAG, NONE, Drag, text_of
from app.canvas.mattes.window_keys import ARROWS, key_edit, modifiers_of
from app.canvas.tools import Tool
from app.model import matte_paths
from app.model.matte_drawing import shape_of
from app.model.matte_geometry import (
    REACH,
    WHOLE,
    Handle,
    Held,
    Mapping,
    Shape,
    Snapped,
    constrained_move,
    distance_to,
    hit,
)
from app.model.matte_path_shape import PathShape
from app.model.matte_paths import Point
from app.model.matte_shapes import SIDES
from app.model.viewport import Viewport
from app.services.matte_selection import MatteSelection

FRAME_MS = 16
"""The least time between two edits of the grade during a drag; the handles follow at once."""
READOUT_MS = 1500
"""How long the numbers stay after a key."""


class WindowTool(QObject, Tool):
    """Draws the handles of the selected window, and drags and nudges them."""

    def __init__(self, place: CanvasPlace, selection: MatteSelection, snapping: Snapping) -> None:
        super().__init__(place.canvas)
        self._place, self._canvas, self._selection, self._snapping = place, place.canvas, selection, snapping
        self._drag: Drag | None = None
        self._chosen: tuple[str, int] = NONE
        self._hovered: Handle | None = None
        self._pointer: Point | None = None  # where the numbers are shown
        self._frame = QTimer(self, singleShot=True, interval=FRAME_MS)
        self._frame.timeout.connect(self._push)
        self._readout = QTimer(self, singleShot=True, interval=READOUT_MS)
        self._readout.timeout.connect(self._hide_numbers)
        self._node = selection.node
        self.label = ""
        """The numbers as they were painted last, or ''."""
        place.canvas.scene.overlays.append(self)
        selection.changed.connect(self._follow)

    @property
    def shape(self) -> Shape | None:
        """The selected window, as it is drawn; None if no window is selected, or one is being drawn or picked for."""
        selection = self._selection
        if self._drag is not None:
            return shape_of(self._drag.source, self._chosen[1])
        return None if selection.drawing or selection.picking else shape_of(selection.source, self._chosen[1])

    @property
    def handles(self) -> tuple[Handle, ...]:
        """The handles of the selected window."""
        shape, mapping = self.shape, self._place.mapping
        return () if shape is None or mapping is None else shape.handles(mapping.metric)

    @property
    def chosen(self) -> Handle | None:
        """The handle that the arrow keys move: the last one used, else the whole window."""
        shape = self.shape
        found = (each for each in self.handles if each.key == self._chosen)
        return None if shape is None else next(found, shape.whole)

    def mouse_press(self, event: QMouseEvent) -> bool:
        if self._drag is not None:
            return True
        if event.button() != Qt.MouseButton.LeftButton or has_control(event) or self._canvas.moves_image:
            return False
        at = at_of(event)
        handle = self._handle_at(at)
        shape, mapping = self.shape, self._place.mapping
        if shape is None or mapping is None:
            return False
        twice = event.type() == QEvent.Type.MouseButtonDblClick
        edits = twice or held_of(event).alt
        if edits and isinstance(shape, PathShape) and self._press_on_path(shape, handle, at, mapping, twice):
            return True
        if handle is not None:
            self._begin(shape, handle, at, mapping)
        return handle is not None

    def mouse_move(self, event: QMouseEvent) -> bool:
        drag, mapping = self._drag, self._place.mapping
        if drag is None or mapping is None:
            if not event.buttons():
                self._hover(at_of(event))
            return False
        at, held = at_of(event), held_of(event)
        away = abs(at[0] - drag.pressed[0]) + abs(at[1] - drag.pressed[1])
        if away < CLICK and not drag.has_moved:
            return True
        now, snap = self._snap(drag, mapping.on_image(at), held, has_control(event), mapping)
        source = drag.moved_to(now, held, mapping.metric)
        if not drag.has_moved:
            self._selection.begin_drag()
        self._drag = replace(drag, source=source, has_moved=True, snap=snap)
        self._pointer = at
        self._canvas.redraw()
        if not self._frame.isActive():
            self._push()
        return True

    def mouse_release(self, event: QMouseEvent) -> bool:
        if self._drag is None or event.button() != Qt.MouseButton.LeftButton:
            return self._drag is not None
        self._push()
        self._end()
        self._hover(at_of(event))
        return True

    def key_press(self, event: QKeyEvent) -> bool:
        shape = self.shape
        if self._drag is not None:
            if event.key() == Qt.Key.Key_Escape:
                self.cancel()
            return True
        if shape is None or not self._canvas.has_frame:
            return False
        keys, control = modifiers_of(event), Qt.KeyboardModifier.ControlModifier
        if event.key() == Qt.Key.Key_Escape and not keys:
            self._selection.select(None)
            return True
        if keys == control and event.key() in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            self._step(1 if event.key() == Qt.Key.Key_Right else -1)
            return True
        chosen = self.chosen
        found = key_edit(shape, chosen, event) if chosen is not None else None
        if found is None:
            return False
        source, handle = found
        self._chosen = handle.key
        if source is not None:
            merged = f"{DRAG} {self._selection.node} {handle.key}" if event.key() in ARROWS else ""
            self._selection.set_source(source, text_of(source, handle), merged)
        self._show_numbers()
        return True

    def cursor_at(self, position: QPointF) -> Qt.CursorShape | None:
        handle = self._handle_at(point_of(position)) if not self._canvas.moves_image else None
        if handle is None:
            return None
        return Qt.CursorShape.SizeAllCursor if handle.name in WHOLE else Qt.CursorShape.PointingHandCursor

    def cancel(self) -> None:
        """End the drag, with the window as it was before."""
        drag = self._drag
        if drag is not None:
            self._drag = replace(drag, source=drag.began)
            self._push()
            self._end()

    def drawn(self) -> bool:
        """Return whether a window is selected."""
        return self.shape is not None

    def paint(self, painter: QPainter, viewport: Viewport, ratio: float) -> None:
        """Paint the window, its handles and the numbers of a drag in device pixels."""
        self.label = ""
        shape = self.shape
        if shape is None:
            return
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        mapping, size = self._place.mapping_of(viewport, ratio), (float(viewport.width), float(viewport.height))
        if self._drag is not None and self._drag.snap is not None:
            draw_guides(painter, self._drag.snap.x, self._drag.snap.y, mapping, size, ratio)
        marked = {each.key for each in (self._hovered, self.chosen if self._chosen[0] else None) if each is not None}
        draw_shape(painter, shape, marked, mapping, ratio)
        chosen = self.chosen
        if self._pointer is not None and chosen is not None:
            began = self._drag.began if self._drag is not None else shape.source
            self.label = shape.readout(chosen, began)
            draw_label(painter, [self.label], self._pointer, size, ratio)
        painter.restore()

    def _handle_at(self, at: Point) -> Handle | None:
        """Return the handle that a press at a position would drag; the whole window on its line and inside."""
        shape, mapping = self.shape, self._place.mapping
        if shape is None or mapping is None:
            return None
        found = hit(self.handles, at, mapping)
        if found is None and (shape.contains(mapping.on_image(at)) or self._is_on_line(shape, at, mapping)):
            return shape.whole
        return found

    def _is_on_line(self, shape: Shape, at: Point, mapping: Mapping) -> bool:
        lines = shape.outlines()
        return distance_to(lines.core, lines.closed, at, mapping) <= REACH

    def _press_on_path(self, shape: PathShape, handle: Handle | None, at: Point, mapping: Mapping, twice: bool) -> bool:
        """Handle a double click or a press with Alt on a path; return whether it meant something there.

        A double click on a vertex makes it smooth or a corner; either press on the line adds a vertex and drags it.
        """
        if handle is not None and handle.name == "vertex" and twice:
            points = matte_paths.with_turned_corner(shape.points, handle.index)
            self._chosen = handle.key
            self._selection.set_source(shape.source.replace(points=points), text_of(shape.source, handle))
            return True
        away, index, t = matte_paths.nearest(shape.points, mapping.on_image(at), mapping.metric)
        if away > REACH or handle is None or handle.name not in WHOLE:
            return False
        points = matte_paths.with_inserted(shape.points, index, t)
        vertex = Handle("vertex", (points[index + 1][0], points[index + 1][1]), index + 1)
        self._begin(shape, vertex, at, mapping)
        made = shape.source.replace(points=points)
        self._selection.begin_drag()
        grown, start = PathShape(made, index + 1), mapping.on_image(at)
        self._drag = Drag(vertex, grown, shape.source, start, at, made, shape.source, has_moved=True)
        self._push()
        return True

    def _begin(self, shape: Shape, handle: Handle, at: Point, mapping: Mapping) -> None:
        """Begin a drag of a handle, which the keys then move as well."""
        self._canvas.setFocus(Qt.FocusReason.MouseFocusReason)
        self._chosen = NONE if handle.name in WHOLE else handle.key
        source = shape.source
        self._drag = Drag(handle, shape, source, mapping.on_image(at), at, source, source)
        self._canvas.redraw()

    def _snap(
        self, drag: Drag, now: Point, held: Held, inverted: bool, mapping: Mapping
    ) -> tuple[Point, Snapped | None]:
        """Return where a drag is after snapping."""
        handle, dx, dy = drag.handle, now[0] - drag.start[0], now[1] - drag.start[1]
        free = handle.name in (*WHOLE, "vertex")
        if held.shift and not free and handle.name not in SIDES:
            return now, None
        xs, ys = drag.shape.moving(handle)
        if held.shift and free:
            dx, dy = constrained_move(dx, dy, mapping.metric)
            xs, ys = (xs if dx else (), ys if dy else ())
        found = self._snapping.apply((xs, ys), (dx, dy), inverted, self._selection.node)
        return (drag.start[0] + found.dx, drag.start[1] + found.dy), found

    def _push(self) -> None:
        """Give the window of the drag to the grade, unless it has it."""
        drag = self._drag
        if drag is not None and drag.source != drag.pushed:
            self._drag = replace(drag, pushed=drag.source)
            self._frame.start()
            self._selection.set_source(drag.source, text_of(drag.source, drag.handle), DRAG)

    def _end(self) -> None:
        drag, self._drag, self._pointer = self._drag, None, None
        self._frame.stop()
        if drag is not None and drag.has_moved:
            self._selection.end_drag()
        self._canvas.redraw()

    def _follow(self) -> None:
        """Follow the selection; end a drag whose window was changed or left otherwise."""
        selection, drag = self._selection, self._drag
        if drag is not None and (selection.source != drag.pushed or selection.node != self._node):
            self._end()
        if selection.node != self._node:
            self._node, self._chosen, self._hovered = selection.node, NONE, None
        self._canvas.redraw()

    def _hover(self, at: Point) -> None:
        handle = self._handle_at(at)
        hovered = None if handle is None or handle.name in WHOLE else handle
        if (hovered and hovered.key) != (self._hovered and self._hovered.key):
            self._hovered = hovered
            self._canvas.redraw()

    def _step(self, by: int) -> None:
        """Choose the next or the previous handle."""
        keys = [each.key for each in self.handles]
        chosen = self.chosen
        if chosen is not None and keys:
            at = keys.index(chosen.key) if chosen.key in keys else 0
            self._chosen = keys[(at + by) % len(keys)]
            self._show_numbers()

    def _show_numbers(self) -> None:
        """Show the numbers beside the chosen handle for a while."""
        chosen, mapping = self.chosen, self._place.mapping
        if chosen is not None and mapping is not None:
            self._pointer = mapping.on_canvas(chosen.at)
            self._readout.start()
        self._canvas.redraw()

    def _hide_numbers(self) -> None:
        if self._drag is None:
            self._pointer = None
            self._canvas.redraw()
