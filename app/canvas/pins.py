"""The pinned pixels and the area of a document, and the canvas tool that sets and draws them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject, QPointF, Qt
from PySide6.QtGui import QFont, QMouseEvent, QPainter, QPen

from app.canvas.areas import DARK, LIGHT, dragged_area, draw_area, is_drag
from app.canvas.canvas import Canvas
from app.canvas.tools import Tool
from app.model.viewport import Viewport
from app.render.probe_samples import Box
from app.services.messages import Messages
from app.services.view_options import ViewOptions
from engine.core.geometry import Rect

Pin = tuple[int, int]
MOST_PINS = 16
RADIUS = 4.0
FAR = 1 << 31
"""Greater than the number of columns or rows of any image."""


class PinTool(QObject, Tool):
    """Draws pins and the area on the canvas; Ctrl+drag sets the area, Ctrl+click pins a pixel."""

    def __init__(self, view: ViewOptions, displayed: Callable[[], Any], messages: Messages, canvas: Canvas) -> None:
        """`displayed` returns the displayed image, or None."""
        super().__init__(canvas)
        self._view, self._displayed, self._messages, self._canvas = view, displayed, messages, canvas
        self._start: QPointF | None = None
        self.pointer: Pin | None = None
        """The pixel under the cursor."""
        canvas.scene.overlays.append(self)
        canvas.hovered.connect(self._hover)
        view.changed.connect(lambda _: canvas.redraw())

    @property
    def pins(self) -> list[Pin]:
        """The pins that lie on the displayed image, in the order in which they were set."""
        image = self._displayed()
        if image is None:
            return []
        width, height = image.part.width, image.part.height
        return [
            (pin[0], pin[1])
            for pin in self._view.state.pins
            if isinstance(pin, tuple)
            and len(pin) == 2
            and all(isinstance(v, int) for v in pin)
            and 0 <= pin[0] < width
            and 0 <= pin[1] < height
        ]

    @property
    def area(self) -> Box | None:
        """The area as x, y, width and height, or None."""
        area = self._view.state.area
        if len(area) != 4 or not all(isinstance(v, int) and abs(v) < FAR for v in area) or min(area[2:]) < 1:
            return None
        return area[0], area[1], area[2], area[3]

    @property
    def is_set(self) -> bool:
        """Whether the view has pins or an area, on the displayed image or beyond it."""
        return bool(self._view.state.pins or self._view.state.area)

    def add(self, pin: Pin) -> None:
        """Pin a pixel, unless it is pinned already or there are MOST_PINS."""
        pins = self.pins
        if pin in pins:
            return
        if len(pins) == MOST_PINS:
            self._messages.note(f"There are {MOST_PINS} pins already; remove one first")
            return
        self._view.set(pins=(*pins, pin))

    def remove(self, pin: Pin) -> None:
        """Remove a pin; those after it move up."""
        self._view.set(pins=tuple(each for each in self.pins if each != pin))

    def remove_area(self) -> None:
        """Remove the area."""
        self._view.set(area=())

    def clear(self) -> None:
        """Remove every pin and the area."""
        self._view.set(pins=(), area=())

    def nearest(self, pixel: Pin | None) -> Pin | None:
        """Return the pin nearest to a pixel, or the last pin if `pixel` is None; None without pins."""
        pins = self.pins
        if not pins or pixel is None:
            return pins[-1] if pins else None
        return min(pins, key=lambda pin: (pin[0] - pixel[0]) ** 2 + (pin[1] - pixel[1]) ** 2)

    def mouse_press(self, event: QMouseEvent) -> bool:
        if event.button() != Qt.MouseButton.LeftButton or self._canvas.viewport is None:
            return False
        pins = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        self._start = event.position() if pins else None
        return pins

    def mouse_move(self, event: QMouseEvent) -> bool:
        if self._start is None:
            return False
        self._drag(self._start, event.position())
        return True

    def mouse_release(self, event: QMouseEvent) -> bool:
        start, self._start = self._start, None
        if start is None:
            return False
        pixel = self._canvas.pixel_at(start)
        if pixel is not None and not is_drag(start, event.position()):
            self.add(pixel)
        return True

    def _hover(self, pixel: Pin | None) -> None:
        self.pointer = pixel

    def _drag(self, start: QPointF, end: QPointF) -> None:
        """Set the area to the image pixels between two points of the widget."""
        area = dragged_area(self._canvas, start, end) if is_drag(start, end) else None
        if area is not None:
            self._view.set(area=(area.x, area.y, area.width, area.height))

    def drawn(self) -> bool:
        """Return whether there are pins or an area."""
        return bool(self.pins) or self.area is not None

    def paint(self, painter: QPainter, viewport: Viewport, ratio: float) -> None:
        """Paint pins and area in device pixels; `ratio` is device pixels per logical pixel."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        font = QFont(painter.font())
        font.setPixelSize(round(10 * ratio))
        painter.setFont(font)
        area = self.area
        if area is not None:
            draw_area(painter, viewport, Rect(*area), ratio)
        for number, (x, y) in enumerate(self.pins, 1):
            left, top = viewport.on_screen((x + 0.5, y + 0.5, 0.0, 0.0))[:2]
            for colour, width in ((DARK, 3.0), (LIGHT, 1.2)):
                painter.setPen(QPen(colour, width * ratio))
                painter.drawEllipse(QPointF(left, top), RADIUS * ratio, RADIUS * ratio)
            beside = QPointF(left + 7 * ratio, top - 4 * ratio)
            painter.setPen(DARK)
            for away in (QPointF(1, 1), QPointF(-1, 1), QPointF(1, -1), QPointF(-1, -1)):
                painter.drawText(beside + away * ratio, str(number))
            painter.setPen(LIGHT)
            painter.drawText(beside, str(number))
