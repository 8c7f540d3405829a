"""Helpers of custom-painted controls: modifier keys, arrow keys and focus."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QFocusEvent, QInputEvent, QKeyEvent
from PySide6.QtWidgets import QWidget

FINE, COARSE = 0.1, 4.0
"""Factors of a movement while Shift or Alt is pressed."""
_ARROWS = {
    Qt.Key.Key_Left: (-1.0, 0.0),
    Qt.Key.Key_Right: (1.0, 0.0),
    Qt.Key.Key_Up: (0.0, 1.0),
    Qt.Key.Key_Down: (0.0, -1.0),
}


def fineness(event: QInputEvent) -> float:
    """Return the factor of a movement: FINE while Shift is pressed, COARSE while Alt is, else 1."""
    if event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
        return FINE
    return COARSE if event.modifiers() & Qt.KeyboardModifier.AltModifier else 1.0


def is_command(event: QKeyEvent) -> bool:
    """Return whether Alt or Ctrl is pressed, so that the key is a shortcut and not input for a control."""
    return bool(event.modifiers() & (Qt.KeyboardModifier.AltModifier | Qt.KeyboardModifier.ControlModifier))


def arrow_of(event: QKeyEvent) -> tuple[float, float] | None:
    """Return the direction (right, up) of an arrow key; None for other keys."""
    return _ARROWS.get(Qt.Key(event.key()))


class Painted(QWidget):
    """Base of custom-painted controls. Repaints when the focus changes."""

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.update()
