"""What Esc ends in the window, in one order, wherever the keyboard focus is."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent

from app.canvas.stage import Stage
from app.shell.message_bar import MessageBar
from app.shell.screen_state import ScreenState


class Escape:
    """Handles Esc if the focused control has no use for it, such as typed text to discard.

    Each press ends the first of these: picking on the image, the message, a compare grid, a LUT or a match that is
    being tried, a comparison with a still, the clean view, full screen.
    """

    def __init__(
        self,
        end_picking: Callable[[], bool],
        bar: MessageBar,
        leave_grid: Callable[[], bool],
        stage: Stage,
        screen_state: ScreenState,
    ) -> None:
        """`end_picking` and `leave_grid` return whether there was anything to end."""
        trying = stage.end_lut_preview, stage.end_trial, stage.end_still_comparison
        self._steps = (end_picking, bar.dismiss, leave_grid, *trying, screen_state.leave)

    def press(self, event: QKeyEvent) -> bool:
        """Handle a key that no control has handled; return whether it was Esc and had something to end."""
        if event.key() != Qt.Key.Key_Escape or event.modifiers():
            return False
        return event.isAutoRepeat() or any(step() for step in self._steps)
