"""Where the display window of the image is on the canvas, and what a mouse event says in its terms."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QInputEvent, QMouseEvent

from app.canvas.canvas import Canvas
from app.model.matte_geometry import Held, Mapping
from app.model.matte_paths import Point
from app.model.viewport import Box, Viewport

Pixel = tuple[int, int]
"""The column and row of a pixel of the data window."""
CLICK = 3.0
"""A drag over a smaller distance is a click, in logical pixels."""


class CanvasPlace:
    """Converts between positions on the canvas and in the display window."""

    def __init__(self, canvas: Canvas, half: Callable[[], str]) -> None:
        """`half` returns which half of the frame shows the displayed image, `left` or `right`; '' if all of it."""
        self.canvas, self._half = canvas, half

    @property
    def mapping(self) -> Mapping | None:
        """The mapping of the image as it is on the canvas; None without an image."""
        viewport = self.canvas.viewport
        return None if viewport is None else self.mapping_of(viewport, self.canvas.devicePixelRatioF())

    def mapping_of(self, viewport: Viewport, ratio: float) -> Mapping:
        """Return the mapping of a viewport. Side by side, it is that of the eye of the displayed image."""
        mapping, half = Mapping.of(viewport, ratio), self._half()
        if not half:
            return mapping
        left, top, width, height = (each / ratio for each in viewport.on_screen(self.canvas.scene.region))
        return mapping.in_half((left, top, width, height), half == "right")

    @property
    def window(self) -> Point:
        """The width and height of the display window; zeros without an image."""
        viewport = self.canvas.viewport
        return (0.0, 0.0) if viewport is None else (viewport.display[2], viewport.display[3])

    @property
    def visible(self) -> Box | None:
        """The part of the display window that is visible (x, y, width, height); all of it if none is, None without."""
        mapping = self.mapping
        if mapping is None:
            return None
        left, top = (max(0.0, each) for each in mapping.on_image((0.0, 0.0)))
        corner = mapping.on_image((float(self.canvas.width()), float(self.canvas.height())))
        right, bottom = (min(each, limit) for each, limit in zip(corner, self.window, strict=True))
        return (left, top, right - left, bottom - top) if right > left and bottom > top else (0.0, 0.0, *self.window)

    def pixel(self, at: Point) -> Pixel | None:
        """Return the column and row of the data window at a position on the canvas; None beside the image."""
        mapping = self.mapping
        return None if mapping is None else self.pixel_of(mapping.on_image(at))

    def pixel_of(self, at: Point) -> Pixel | None:
        """Return the column and row of the data window at a position of the display window; None beside the image."""
        viewport = self.canvas.viewport
        if viewport is None:
            return None
        x, y = at
        column, row = (int(each // 1) for each in (x + viewport.display[0], y + viewport.display[1]))
        inside = 0 <= column < viewport.image_width and 0 <= row < viewport.image_height
        return (column, row) if inside else None


def at_of(event: QMouseEvent) -> Point:
    """Return the position of an event on the canvas."""
    return event.position().x(), event.position().y()


def point_of(at: QPointF) -> Point:
    """Return a position of Qt as a tuple."""
    return at.x(), at.y()


def held_of(event: QInputEvent) -> Held:
    """Return the modifiers of an event."""
    keys = event.modifiers()
    shift, alt = Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.AltModifier
    return Held(bool(keys & shift), bool(keys & alt))


def has_control(event: QInputEvent) -> bool:
    """Return whether Ctrl is held."""
    return bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
