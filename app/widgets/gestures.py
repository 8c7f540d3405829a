"""What controls that paint themselves have in common: how they take keys and the mouse, and show the focus."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QFocusEvent, QInputEvent, QKeyEvent
from PySide6.QtWidgets import QWidget

FINE = 0.1
"""What Shift makes of a movement."""
_ARROWS = {
    Qt.Key.Key_Left: (-1.0, 0.0),
    Qt.Key.Key_Right: (1.0, 0.0),
    Qt.Key.Key_Up: (0.0, 1.0),
    Qt.Key.Key_Down: (0.0, -1.0),
}


def fineness(event: QInputEvent) -> float:
    """What a movement is multiplied by: less while Shift is held."""
    return FINE if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1.0


def is_command(event: QKeyEvent) -> bool:
    """Whether Alt or Ctrl make a shortcut of a key, which is none of a control's then."""
    return bool(event.modifiers() & (Qt.KeyboardModifier.AltModifier | Qt.KeyboardModifier.ControlModifier))


def arrow_of(event: QKeyEvent) -> tuple[float, float] | None:
    """The way that an arrow key points, to the right and up; None for other keys."""
    return _ARROWS.get(Qt.Key(event.key()))


class Painted(QWidget):
    """A control that paints itself, other with the focus than without."""

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.update()
