"""A field for a frame number: type it, step it with the keys or the wheel, or drag on it to scrub."""

from __future__ import annotations

from PySide6.QtCore import QPointF, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QApplication, QLineEdit

STEP = 6.0
"""How far the mouse is dragged for one frame, in pixels."""
SLOW, FAST = 0.25, 10.0
"""Factors of a drag while Shift or Alt is pressed."""


class FrameField(QLineEdit):
    """Shows a frame number. A click selects it for typing; a drag from a field without the focus scrubs."""

    edited = Signal(int)
    done = Signal()  # Return or Esc was pressed

    def __init__(self, name: str, tip: str) -> None:
        super().__init__()
        self._frame = 0
        self._pressed: QPointF | None = None  # where a drag may start
        self._scrubbed: float | None = None  # the frame under a drag, with the fraction of the next one
        self.setAccessibleName(name)
        self.setToolTip(
            f"{tip}\nType a frame and press Return, drag to scrub (Shift slower, Alt faster), or press Up and Down "
            "(Shift: ten frames)."
        )
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.setFixedWidth(self.fontMetrics().horizontalAdvance("00000") + 16)
        self.returnPressed.connect(self._return)

    @property
    def frame(self) -> int:
        """The frame that the field shows, without what is typed but not entered yet."""
        return self._frame

    def show_frame(self, frame: int, known: bool = True) -> None:
        """Show a frame, unless another one is being typed; nothing if it is not `known`."""
        self._frame = frame
        self.setEnabled(known)
        if not (self.hasFocus() and self.isModified()):
            self._restore()
            if not known:
                self.clear()

    # -- typing

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {Qt.Key.Key_Up: 1, Qt.Key.Key_Down: -1}
        many = 10 if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1
        if event.key() in steps:
            self._edit(self._frame + many * steps[Qt.Key(event.key())])
        elif event.key() == Qt.Key.Key_Escape:
            event.setAccepted(self.isModified())  # else it is left to the window
            self._restore()
            self.done.emit()
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.selectAll()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        if event.reason() not in (Qt.FocusReason.ActiveWindowFocusReason, Qt.FocusReason.PopupFocusReason):
            self._enter()

    def wheelEvent(self, event: QWheelEvent) -> None:
        if self.hasFocus() and event.angleDelta().y():
            self._edit(self._frame + (1 if event.angleDelta().y() > 0 else -1))
        else:
            event.ignore()

    def _return(self) -> None:
        self._enter()
        self.done.emit()

    def _enter(self) -> None:
        """Use the typed frame, or show the last one again if it is not a number."""
        typed = self.text().strip()
        if self.isModified() and typed.removeprefix("-").isdecimal() and len(typed) < 10:
            self._edit(int(typed))
        else:
            self._restore()

    def _edit(self, frame: int) -> None:
        self.setModified(False)
        self.edited.emit(frame)
        self._restore()
        if self.hasFocus():
            self.selectAll()

    def _restore(self) -> None:
        text = str(self._frame)
        if text != self.text():
            self.setText(text)
        self.setModified(False)

    # -- scrubbing

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if self.hasFocus() or event.button() != Qt.MouseButton.LeftButton:
            super().mousePressEvent(event)
        else:
            self._pressed = event.position()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._pressed is None:
            super().mouseMoveEvent(event)
            return
        far = event.position().x() - self._pressed.x()
        if self._scrubbed is None:
            if abs(far) < QApplication.startDragDistance():
                return
            self._scrubbed = float(self._frame)
            self.setCursor(Qt.CursorShape.SizeHorCursor)
        fast = event.modifiers() & Qt.KeyboardModifier.AltModifier
        slow = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
        self._scrubbed += far / STEP * (FAST if fast else SLOW if slow else 1.0)
        self._pressed = event.position()
        if round(self._scrubbed) != self._frame:
            self._edit(round(self._scrubbed))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._pressed is None:
            super().mouseReleaseEvent(event)
            return
        clicked = self._scrubbed is None
        self._pressed = self._scrubbed = None
        self.unsetCursor()
        if clicked:
            self.setFocus(Qt.FocusReason.MouseFocusReason)
