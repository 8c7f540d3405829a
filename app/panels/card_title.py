"""The title of a card: a grip and the name. Click it to open or fold the card, drag it to move the card."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QApplication, QSizePolicy

from app.widgets.style import ACCENT, MUTED, TEXT, icon

HEIGHT = 24
_GRIP, _CHEVRON = 12, 12
_BEFORE = _GRIP + _CHEVRON + 6
"""Width of what stands before the name."""
_DOTS = QColor(130, 130, 130)
_STEPS = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}


class CardTitle(QAbstractButton):
    """Checked while the card is open. Elides a long text in the middle."""

    dragged = Signal(QPoint)  # global position of the mouse
    dropped = Signal(QPoint)
    drag_cancelled = Signal()
    stepped = Signal(int)  # to the next or previous entry
    delete_wanted = Signal()
    extended = Signal(int)  # Shift and a click (0), or Shift and a key to the next or previous entry

    def __init__(self, text: str, opened: bool) -> None:
        super().__init__()
        self.setCheckable(True)
        self.setChecked(opened)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.show_text(text)
        font = self.font()
        font.setBold(True)
        self.setFont(font)
        self._pressed_at: QPoint | None = None
        self._dragging = False
        self._dim = False

    def show_text(self, text: str) -> None:
        """Show the name of an entry."""
        self.setText(text)
        self.setToolTip(
            f"{text}: click to open or fold it, drag it to move it (Alt+Up, Alt+Down).\n"
            "Up and Down go to the next entry, Delete removes this one; Shift marks several."
        )
        self.setAccessibleName(f"Show {text}")

    def set_dim(self, dim: bool) -> None:
        """Dim the title if the entry is not applied."""
        if dim != self._dim:
            self._dim = dim
            self.update()

    def sizeHint(self) -> QSize:
        return QSize(_BEFORE + 2 + self.fontMetrics().horizontalAdvance(self.text()), HEIGHT)

    def minimumSizeHint(self) -> QSize:
        return QSize(60, HEIGHT)

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            self._paint_grip(painter)
            name = "chevron-down" if self.isChecked() else "chevron-right"
            icon(name).paint(painter, _GRIP + 2, (self.height() - _CHEVRON) // 2, _CHEVRON, _CHEVRON)
            width = self.width() - _BEFORE - 2
            text = self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideMiddle, width)
            painter.setPen(QColor(MUTED if self._dim else TEXT))
            box = self.rect().adjusted(_BEFORE, 0, 0, 0)
            painter.drawText(box, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, text)
            if self.hasFocus():
                painter.setPen(QPen(QColor(ACCENT), 1.0))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 3, 3)

    def _paint_grip(self, painter: QPainter) -> None:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(_DOTS)
        middle = self.height() / 2.0
        for x in (4.0, 8.0):
            for y in (middle - 4.5, middle - 0.75, middle + 3.0):
                painter.drawEllipse(QRectF(x, y, 1.5, 1.5))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        super().mousePressEvent(event)
        if event.button() == Qt.MouseButton.LeftButton:
            self._pressed_at, self._dragging = event.globalPosition().toPoint(), False

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        here = event.globalPosition().toPoint()
        if self._pressed_at is None:
            on_grip = event.position().x() < _GRIP + 2
            self.setCursor(Qt.CursorShape.OpenHandCursor if on_grip else Qt.CursorShape.ArrowCursor)
            return
        if not event.buttons() & Qt.MouseButton.LeftButton:
            self._end()  # the release never came, as when a pen leaves its tablet
            self.setDown(False)
            self.drag_cancelled.emit()
            return
        far = (here - self._pressed_at).manhattanLength() >= QApplication.startDragDistance()
        if self._dragging or far:
            self._dragging = True
            self.setDown(False)
            self.setCursor(Qt.CursorShape.ClosedHandCursor)
            self.dragged.emit(here)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        dragging = self._dragging
        self._end()
        if dragging:
            self.dropped.emit(event.globalPosition().toPoint())
        elif event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self.setDown(False)
            self.extended.emit(0)
        else:
            super().mouseReleaseEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self._dragging:
            self._end()
            self.drag_cancelled.emit()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.click()
        elif event.modifiers() == Qt.KeyboardModifier.ShiftModifier and event.key() in _STEPS:
            self.extended.emit(_STEPS[Qt.Key(event.key())])
        elif event.modifiers():
            event.ignore()
        elif event.key() in _STEPS:
            self.stepped.emit(_STEPS[Qt.Key(event.key())])
        elif event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self.delete_wanted.emit()
        else:
            super().keyPressEvent(event)

    def _end(self) -> None:
        self._pressed_at, self._dragging = None, False
        self.unsetCursor()
