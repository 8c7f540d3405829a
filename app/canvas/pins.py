"""The pinned pixels and the area of a document, and the canvas tool that sets and draws them."""

from __future__ import annotations

from PySide6.QtCore import QObject, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QMouseEvent, QPainter, QPen

from app.canvas.canvas import Canvas
from app.canvas.tools import Tool
from app.model.viewport import Viewport
from app.render.probe_samples import Box
from app.services.messages import Messages
from app.services.open_documents import OpenDocuments

Pin = tuple[int, int]
MOST_PINS = 16
RADIUS = 4.0
CLICK = 3.0
"""A drag over a smaller distance is a click, in pixels."""
FAR = 1 << 31
"""Greater than the number of columns or rows of any image."""
DARK, LIGHT = QColor(0, 0, 0, 170), QColor(230, 230, 230)


def pins_of(documents: OpenDocuments) -> list[Pin]:
    """Return the pins that lie on the current image, in the order in which they were set."""
    image = documents.current.image
    if image is None:
        return []
    width, height = image.part.width, image.part.height
    return [
        (pin[0], pin[1])
        for pin in documents.view.pins
        if isinstance(pin, tuple)
        and len(pin) == 2
        and all(isinstance(v, int) for v in pin)
        and 0 <= pin[0] < width
        and 0 <= pin[1] < height
    ]


def area_of(documents: OpenDocuments) -> Box | None:
    """Return the area as x, y, width and height, or None."""
    area = documents.view.area
    if len(area) != 4 or not all(isinstance(v, int) and abs(v) < FAR for v in area) or min(area[2:]) < 1:
        return None
    return area[0], area[1], area[2], area[3]


def add_pin(documents: OpenDocuments, messages: Messages, pin: Pin) -> None:
    """Pin a pixel, unless it is pinned already or there are MOST_PINS."""
    pins = pins_of(documents)
    if pin in pins:
        return
    if len(pins) == MOST_PINS:
        messages.note(f"There are {MOST_PINS} pins already; remove one first")
        return
    documents.set_view(pins=(*pins, pin))


def remove_pin(documents: OpenDocuments, pin: Pin) -> None:
    """Remove a pin; those after it move up."""
    documents.set_view(pins=tuple(each for each in pins_of(documents) if each != pin))


def nearest_pin(documents: OpenDocuments, pixel: Pin | None) -> Pin | None:
    """Return the pin nearest to a pixel, or the last pin if `pixel` is None; None without pins."""
    pins = pins_of(documents)
    if not pins or pixel is None:
        return pins[-1] if pins else None
    return min(pins, key=lambda pin: (pin[0] - pixel[0]) ** 2 + (pin[1] - pixel[1]) ** 2)


class PinTool(QObject, Tool):
    """Draws pins and the area on the canvas; Ctrl+drag sets the area, Ctrl+click pins a pixel."""

    def __init__(self, documents: OpenDocuments, messages: Messages, canvas: Canvas) -> None:
        super().__init__(canvas)
        self._documents, self._messages, self._canvas = documents, messages, canvas
        self._start: QPointF | None = None
        self.pointer: Pin | None = None
        """The pixel under the cursor."""
        canvas.scene.overlays.append(self)
        canvas.hovered.connect(self._hover)
        documents.view_changed.connect(lambda _: canvas.redraw())

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
        if pixel is not None and (event.position() - start).manhattanLength() < CLICK:
            add_pin(self._documents, self._messages, pixel)
        return True

    def _hover(self, pixel: Pin | None) -> None:
        self.pointer = pixel

    def _drag(self, start: QPointF, end: QPointF) -> None:
        """Set the area to the image pixels between two points of the widget."""
        canvas = self._canvas
        viewport, ratio = canvas.viewport, canvas.devicePixelRatioF()
        if viewport is None or (end - start).manhattanLength() < CLICK:
            return
        size = viewport.image_width, viewport.image_height
        corners = [viewport.source_at(p.x() * ratio, p.y() * ratio) for p in (start, end)]
        low = [max(0, int(min(c[n] for c in corners))) for n in (0, 1)]
        high = [min(size[n], int(max(c[n] for c in corners)) + 1) for n in (0, 1)]
        if low[0] < high[0] and low[1] < high[1]:
            self._documents.set_view(area=(low[0], low[1], high[0] - low[0], high[1] - low[1]))

    def drawn(self) -> bool:
        """Return whether there are pins or an area."""
        return bool(pins_of(self._documents)) or area_of(self._documents) is not None

    def paint(self, painter: QPainter, viewport: Viewport, ratio: float) -> None:
        """Paint pins and area in device pixels; `ratio` is device pixels per logical pixel."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        font = QFont(painter.font())
        font.setPixelSize(round(10 * ratio))
        painter.setFont(font)
        area = area_of(self._documents)
        if area is not None:
            place = QRectF(*viewport.on_screen((float(area[0]), float(area[1]), float(area[2]), float(area[3]))))
            for colour, style in ((DARK, Qt.PenStyle.SolidLine), (LIGHT, Qt.PenStyle.DashLine)):
                painter.setPen(QPen(colour, ratio, style))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawRect(place)
        for number, (x, y) in enumerate(pins_of(self._documents), 1):
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
