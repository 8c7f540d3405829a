"""The widget of the compare grid: cells with labels, one zoom and pan, and a bar to choose what is compared."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QWidget

from app.canvas.grid.bar import HEIGHT, GridBar
from app.canvas.grid.stage import Cell, GridStage
from app.canvas.presenting.scene import BACKGROUND
from app.canvas.side_labels import GROUND, TEXT
from app.model.grid import GAP, GridZoom, ImageShape, cells
from engine.viewing.requests import SQUARES

CURRENT, BETWEEN = QColor(200, 200, 200), QColor(38, 38, 38)
STEP = 1.25
FONT, LABEL, PADDING, EDGE = 11, 20, 7, 6
"""Font size and height of a label, the space beside its text, and its distance from the cell, in logical pixels."""
CLICK = 4
"""A press that moves less than this many pixels is a click."""
_BUTTONS = Qt.MouseButton.LeftButton | Qt.MouseButton.MiddleButton


class GridView(QWidget):
    """Covers the canvas while the grid is shown.

    The wheel zooms about the pointer and a drag moves all cells. A click or the arrow keys make a cell current, a
    double click or Return opens it, Page Up and Page Down show other cells.
    """

    def __init__(self, canvas: QWidget, stage: GridStage) -> None:
        super().__init__(canvas)
        self._canvas, self._stage = canvas, stage
        self.setObjectName("compareGrid")
        self.setAccessibleName("Compare grid")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.bar = GridBar(self, stage)
        self._pressed: QPointF | None = None
        self._last = QPointF()
        self._moved = False
        self.hide()
        canvas.installEventFilter(self)
        stage.changed.connect(self._follow)
        stage.framed.connect(self.update)

    # -- the commands of the view

    def fit(self) -> None:
        """Show all of each image."""
        self._stage.set_zoom(GridZoom())

    def actual_size(self) -> None:
        """Show one pixel of the current image per device pixel."""
        cell = self._current
        if cell is not None and cell.shape is not None:
            self._stage.set_zoom(self._stage.zoom.at_scale(1.0, cell.shape, self._stage.size))

    def zoom_in(self) -> None:
        """Zoom in by one step, about the middle of the cells."""
        self._zoom(STEP)

    def zoom_out(self) -> None:
        """Zoom out by one step."""
        self._zoom(1 / STEP)

    # -- events

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:
            self.setGeometry(self._canvas.rect())
        return False

    def resizeEvent(self, event: QResizeEvent) -> None:
        self.bar.setGeometry(0, 0, self.width(), HEIGHT)
        self._measure()

    def paintEvent(self, event: QPaintEvent) -> None:
        ratio = self.devicePixelRatioF()
        with QPainter(self) as painter:
            painter.scale(1 / ratio, 1 / ratio)
            painter.fillRect(QRectF(0, 0, self.width() * ratio, self.height() * ratio), BETWEEN)
            for place, cell in enumerate(self._places()):
                self._paint_cell(painter, QRect(*cell), place, ratio)

    def event(self, event: QEvent) -> bool:
        if (
            event.type() == QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and not event.modifiers()
            and self._command(Qt.Key(event.key())) is not None
        ):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        command = (
            None if event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier else self._command(Qt.Key(event.key()))
        )
        if command is None:
            super().keyPressEvent(event)
        else:
            step, turn = command
            if turn:
                self._stage.turn(turn)
            elif step:
                self._stage.select(self._stage.current + step)
            else:
                self._stage.take()

    def wheelEvent(self, event: QWheelEvent) -> None:
        at = self._at(event.position())
        if at is not None and event.angleDelta().y():
            self._zoom(STEP ** (event.angleDelta().y() / 120), *at)
        event.accept()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() & _BUTTONS:
            self._pressed = self._last = event.position()
            self._moved = False
            self.setFocus(Qt.FocusReason.MouseFocusReason)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._pressed is None:
            return
        here = event.position()
        self._moved = self._moved or (here - self._pressed).manhattanLength() >= CLICK
        at = self._at(self._pressed)
        if self._moved and at is not None:
            shape = self._shape(at[0])
            moved = (here - self._last) * self.devicePixelRatioF()
            self._last = here
            if shape is not None:
                self._stage.set_zoom(self._stage.zoom.panned(moved.x(), moved.y(), shape, self._stage.size))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        pressed, self._pressed = self._pressed, None
        at = self._at(event.position())
        if pressed is not None and not self._moved and at is not None:
            self._stage.choose(self._stage.first + at[0])

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self._at(event.position()) is not None:
            self._stage.take()

    # -- inside

    def _follow(self) -> None:
        """Show or hide the grid after a change, and its cells."""
        shown = self._stage.shown
        if shown and not self.isVisible():
            self.setGeometry(self._canvas.rect())
            self.show()
            self.raise_()
            for each in self._canvas.findChildren(QWidget, "messageBar"):
                each.raise_()
            self.setFocus(Qt.FocusReason.OtherFocusReason)
        elif not shown and self.isVisible():
            self.hide()
            self._canvas.setFocus(Qt.FocusReason.OtherFocusReason)
        names = [cell.source.label for cell in self._stage.cells]
        self.setAccessibleDescription(", ".join(names))
        self._measure()
        self.bar.follow()
        self.update()

    def _measure(self) -> None:
        self._stage.set_size(self._places()[0][2:])

    def _places(self) -> list[tuple[int, int, int, int]]:
        """Return the cells in device pixels."""
        ratio = self.devicePixelRatioF()
        top = round(HEIGHT * ratio)
        size = round(self.width() * ratio), round(self.height() * ratio) - top
        found = cells(*size, self._stage.count, round(GAP * ratio))
        return [(x, y + top, width, height) for x, y, width, height in found]

    def _at(self, position: QPointF) -> tuple[int, tuple[float, float]] | None:
        """Return the place of the cell at a position of the widget, and the position in it in device pixels."""
        point = position * self.devicePixelRatioF()
        for place, (x, y, width, height) in enumerate(self._places()):
            if place < len(self._stage.cells) and QRectF(x, y, width, height).contains(point):
                return place, (point.x() - x, point.y() - y)
        return None

    @property
    def _current(self) -> Cell | None:
        place = self._stage.current - self._stage.first
        return self._stage.cells[place] if 0 <= place < len(self._stage.cells) else None

    def _shape(self, place: int) -> ImageShape | None:
        return self._stage.cells[place].shape

    def _zoom(self, factor: float, place: int = -1, at: tuple[float, float] | None = None) -> None:
        """Zoom about a point of a cell, by default the middle of the first one that has an image."""
        shapes = [self._shape(place)] if place >= 0 else [cell.shape for cell in self._stage.cells]
        shape = next((each for each in shapes if each is not None), None)
        width, height = size = self._stage.size
        if shape is not None:
            self._stage.set_zoom(self._stage.zoom.zoomed(factor, shape, size, at or (width / 2, height / 2)))

    def _command(self, key: Qt.Key) -> tuple[int, int] | None:
        """Return the steps to another cell and the pages to turn for a key; none of both opens the cell."""
        columns = 3 if self._stage.count == 9 else 2
        steps = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1, Qt.Key.Key_Up: -columns, Qt.Key.Key_Down: columns}
        turns = {Qt.Key.Key_PageUp: -1, Qt.Key.Key_PageDown: 1}
        known = key in steps or key in turns or key in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        return (steps.get(key, 0), turns.get(key, 0)) if known else None

    def _paint_cell(self, painter: QPainter, place: QRect, number: int, ratio: float) -> None:
        stage = self._stage
        painter.setClipRect(place)
        painter.fillRect(place, BACKGROUND)
        font = QFont(painter.font())
        font.setPixelSize(round(FONT * ratio))
        painter.setFont(font)
        if number < len(stage.cells):
            cell = stage.cells[number]
            self._paint_image(painter, place, cell)
            self._paint_note(painter, place, cell)
            self._paint_label(painter, place, cell.source.label, ratio)
            if stage.first + number == stage.current:
                pen = QPen(CURRENT, 2 * ratio)
                pen.setJoinStyle(Qt.PenJoinStyle.MiterJoin)
                painter.setPen(pen)
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawRect(QRectF(place).adjusted(ratio, ratio, -ratio, -ratio))
        elif number == 0 and not stage.sources:
            painter.setPen(TEXT)
            painter.drawText(place, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap, stage.kind.empty)
        painter.setClipping(False)

    def _paint_image(self, painter: QPainter, place: QRect, cell: Cell) -> None:
        viewport = self._stage.viewport(cell)
        if cell.image is None or viewport is None:
            return
        left, top, width, height = viewport.on_screen(cell.region)
        exact = abs(width - cell.image.width()) < 0.01 and abs(height - cell.image.height()) < 0.01
        if exact:
            painter.drawImage(place.topLeft() + QPoint(round(left), round(top)), cell.image)
        else:
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, viewport.scale < SQUARES)
            painter.drawImage(QRectF(place.left() + left, place.top() + top, width, height), cell.image)

    @staticmethod
    def _paint_note(painter: QPainter, place: QRect, cell: Cell) -> None:
        if cell.image is None and cell.note:
            painter.setPen(TEXT)
            inside = place.adjusted(12, 12, -12, -12)
            painter.drawText(inside, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap, cell.note)

    @staticmethod
    def _paint_label(painter: QPainter, place: QRect, text: str, ratio: float) -> None:
        widest = place.width() - round((2 * EDGE + 2 * PADDING) * ratio)
        short = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideMiddle, widest)
        width = painter.fontMetrics().horizontalAdvance(short) + 2 * PADDING * ratio
        corner = QPointF(place.bottomLeft()) + QPointF(EDGE, -EDGE - LABEL) * ratio
        box = QRectF(corner, QPointF(corner.x() + width, corner.y() + LABEL * ratio))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(GROUND)
        painter.drawRoundedRect(box, 3 * ratio, 3 * ratio)
        painter.setPen(TEXT)
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, short)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
