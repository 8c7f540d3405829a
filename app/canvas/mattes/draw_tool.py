"""The canvas tool that draws a new window of a matte with one drag."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter

from app.canvas.mattes.drawing_tool import ENTERS, DrawingTool
from app.canvas.mattes.painting import draw_guides, draw_label, draw_shape
from app.canvas.mattes.place import CLICK, at_of, has_control, held_of
from app.model.matte_drawing import SHARE, around, drawn, in_middle, shape_of
from app.model.matte_geometry import Held, Snapped
from app.model.matte_paths import Point
from app.model.viewport import Viewport
from engine.core.records import dataclass
from engine.mattes.source import SOURCES, MatteSource
from engine.mattes.windows import Ellipse, Rectangle


@dataclass(frozen=True)
class Stroke:
    """A drag: where it began, and where it is, on the image and on the canvas."""

    start: Point
    now: Point
    pressed: Point
    pointer: Point
    held: Held
    snap: Snapped | None = None

    @property
    def is_click(self) -> bool:
        """Whether the mouse has hardly moved."""
        return sum(abs(a - b) for a, b in zip(self.pressed, self.pointer, strict=True)) < CLICK


class DrawTool(DrawingTool):
    """Draws the window that the selection asks for: an ellipse, a rectangle or a gradient.

    A click without a drag makes a window of a usual size there, Return one in the middle of what is visible.
    """

    _stroke: Stroke | None = None

    def mouse_press(self, event: QMouseEvent) -> bool:
        mapping = self._pressed_on(event)
        if mapping is None:
            return False
        at = at_of(event)
        start, snap = self._snapping.point(mapping.on_image(at), has_control(event))
        self._stroke = Stroke(start, start, at, at, held_of(event), snap)
        return True

    def mouse_move(self, event: QMouseEvent) -> bool:
        mapping, stroke = self._place.mapping, self._stroke
        if stroke is None or mapping is None:
            return False
        at = at_of(event)
        now, snap = self._snapping.point(mapping.on_image(at), has_control(event))
        self._stroke = Stroke(stroke.start, now, stroke.pressed, at, held_of(event), snap)
        self._canvas.redraw()
        return True

    def mouse_release(self, event: QMouseEvent) -> bool:
        stroke = self._stroke
        if stroke is None or event.button() != Qt.MouseButton.LeftButton:
            return stroke is not None
        source, visible, mapping = self._source(), self._place.visible, self._place.mapping
        if stroke.is_click and visible is not None and mapping is not None:
            half = visible[3] * SHARE / 2.0
            source = around(self._selection.drawing, stroke.start, half, mapping.metric)
        self._finish(source)
        return True

    def key_press(self, event: QKeyEvent) -> bool:
        visible, mapping = self._place.visible, self._place.mapping
        if event.key() not in ENTERS or visible is None or mapping is None:
            return False
        if self._stroke is None:
            self._finish(in_middle(self._selection.drawing, visible, mapping.metric))
        return True

    def drawn(self) -> bool:
        """Return whether a drag has begun."""
        return self._stroke is not None

    def paint(self, painter: QPainter, viewport: Viewport, ratio: float) -> None:
        """Paint the window as it is drawn so far, in device pixels."""
        stroke, source = self._stroke, self._source()
        shape = shape_of(source)
        if stroke is None or shape is None or source is None:
            return
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        mapping, size = self._place.mapping_of(viewport, ratio), (float(viewport.width), float(viewport.height))
        if stroke.snap is not None:
            draw_guides(painter, stroke.snap.x, stroke.snap.y, mapping, size, ratio)
        draw_shape(painter, shape, (), mapping, ratio)
        name = {Ellipse: "right", Rectangle: "right"}.get(type(source), "outer")
        handles = {each.name: each for each in shape.handles(mapping.metric)}
        handle = handles.get(name) or handles.get("end") or shape.whole
        self.label = shape.readout(handle, source)
        draw_label(painter, [self.label], stroke.pointer, size, ratio)
        painter.restore()

    def _source(self) -> MatteSource | None:
        """Return the window as it is drawn so far."""
        mapping, stroke, name = self._place.mapping, self._stroke, self._selection.drawing
        if stroke is None or mapping is None or name not in SOURCES:
            return None
        return drawn(name, stroke.start, stroke.now, stroke.held, mapping.metric)

    def _forget(self) -> None:
        self._stroke = None
