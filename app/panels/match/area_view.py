"""A small image on which an area is drawn."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.services.match_work import Area, SmallImage
from app.widgets.style import MUTED

CLICK = 4.0
"""A drag over a smaller distance is a click, which leaves the area as it is, in pixels."""
STEP, LARGE_STEP = 0.01, 0.1
"""What an arrow key moves by without and with Shift, as a share of the image."""
LEAST = 0.01
"""The least side of an area, as a share of the image."""
ARROWS = {
    Qt.Key.Key_Left: (-1.0, 0.0),
    Qt.Key.Key_Right: (1.0, 0.0),
    Qt.Key.Key_Up: (0.0, -1.0),
    Qt.Key.Key_Down: (0.0, 1.0),
}
MIDDLE: Area = (0.25, 0.25, 0.5, 0.5)
"""The area that Return begins with."""
DARK, LIGHT, CHOSEN = QColor(0, 0, 0, 170), QColor(230, 230, 230), QColor(255, 176, 64)
GROUND = QColor(26, 26, 26, 225)
HEIGHT = 150


class AreaView(QWidget):
    """Shows an image, or a hint, and the area that counts: dragged with the mouse, moved and sized by keys."""

    area_changed = Signal(object)  # an Area, or None for the whole image

    def __init__(self, title: str, name: str) -> None:
        """`title` is painted over the image."""
        super().__init__()
        self._title = title
        self.setAccessibleName(name)
        self.setToolTip(
            f"{name}: drag to draw the area that counts. Return draws one in the middle, arrow keys move it, with Ctrl "
            "they change its size, with Shift by more; Delete removes it"
        )
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMinimumHeight(HEIGHT)
        self._small: SmallImage | None = None
        self._area: Area | None = None
        self._hint = ""
        self._start: QPointF | None = None

    @property
    def area(self) -> Area | None:
        """The area as it is drawn."""
        return self._area

    def show_image(self, small: SmallImage | None, area: Area | None, hint: str) -> None:
        """Show an image with an area, or a hint where there is no image."""
        self._small, self._hint = small, hint
        if self._start is None:
            self._area = area
        self.setAccessibleDescription(hint if small is None else _text(self._area))
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(280, HEIGHT)

    @property
    def place(self) -> QRectF:
        """Where the image is in the widget."""
        shape = self._small.shape if self._small is not None else 16.0 / 9.0
        width = min(float(self.width()), self.height() * shape)
        height = width / shape
        return QRectF((self.width() - width) / 2.0, (self.height() - height) / 2.0, width, height)

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.fillRect(self.rect(), QColor("#262626"))
            place = self.place
            if self._small is None:
                painter.setPen(QColor(MUTED))
                painter.drawText(self.rect().adjusted(10, 10, -10, -10), _CENTRE, self._hint)
            else:
                painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
                painter.drawImage(place, self._small.image)
            if self._area is not None and self._small is not None:
                self._paint_area(painter, place, self._area)
            if self._small is not None:
                self._paint_title(painter)
            if self.hasFocus():
                painter.setPen(QPen(CHOSEN, 1.0))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5))

    def _paint_title(self, painter: QPainter) -> None:
        text = painter.fontMetrics().boundingRect(self._title)
        box = text.adjusted(0, 0, 12, 4)
        box.moveTo(0, 0)
        painter.fillRect(box, GROUND)
        painter.setPen(LIGHT)
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, self._title)

    @staticmethod
    def _paint_area(painter: QPainter, place: QRectF, area: Area) -> None:
        x, y, width, height = area
        box = QRectF(place.left() + x * place.width(), place.top() + y * place.height(), 0, 0)
        box.setSize(QRectF(0, 0, width * place.width(), height * place.height()).size())
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for colour, wide in ((DARK, 3.0), (LIGHT, 1.2)):
            painter.setPen(QPen(colour, wide))
            painter.drawRect(box)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self._small is not None:
            self._start = event.position()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        start = self._start
        if start is None or (event.position() - start).manhattanLength() < CLICK:
            return
        place = self.place
        (x0, x1), (y0, y1) = (
            sorted(min(max((each - low) / size, 0.0), 1.0) for each in pair)
            for pair, low, size in (
                ((start.x(), event.position().x()), place.left(), place.width()),
                ((start.y(), event.position().y()), place.top(), place.height()),
            )
        )
        if x1 - x0 >= LEAST and y1 - y0 >= LEAST:
            self._area = (x0, y0, x1 - x0, y1 - y0)
            self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        start, self._start = self._start, None
        if start is not None and (event.position() - start).manhattanLength() >= CLICK:
            self.area_changed.emit(self._area)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        area, key = self._area, event.key()
        if self._small is None:
            super().keyPressEvent(event)
        elif key in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace) and area is not None:
            self._choose(None)
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and area is None:
            self._choose(MIDDLE)
        elif key in ARROWS and area is not None:
            self._choose(_nudged(area, event))
        else:
            super().keyPressEvent(event)

    def _choose(self, area: Area | None) -> None:
        self._area = area
        self.update()
        self.area_changed.emit(area)


_CENTRE = int(Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap)


def _nudged(area: Area, event: QKeyEvent) -> Area:
    """Return an area moved by an arrow key, or with Ctrl sized, within the image."""
    keys = event.modifiers()
    step = LARGE_STEP if keys & Qt.KeyboardModifier.ShiftModifier else STEP
    dx, dy = (step * each for each in ARROWS[Qt.Key(event.key())])
    x, y, width, height = area
    if keys & Qt.KeyboardModifier.ControlModifier:
        return x, y, min(max(width + dx, LEAST), 1.0 - x), min(max(height + dy, LEAST), 1.0 - y)
    return min(max(x + dx, 0.0), 1.0 - width), min(max(y + dy, 0.0), 1.0 - height), width, height


def _text(area: Area | None) -> str:
    """Return an area in words."""
    if area is None:
        return "The whole image counts"
    x, y, width, height = (round(100.0 * each) for each in area)
    return f"The area counts: {width} by {height} percent, at {x}, {y}"
