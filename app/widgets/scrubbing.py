"""Relative horizontal drags, which change a number by the distance of the pointer."""

from __future__ import annotations

import math
from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QLabel

from app.widgets.gestures import fineness

DEAD_ZONE = 2.0
"""Movement in pixels that is no drag yet: the tremble of a hand or a pen."""
SWEEP = 200.0
"""Distance in pixels that sweeps the visible range of a number, on its label or in its box."""


class Scrub:
    """Follows the left button. Calls `started`, then `moved` with each distance in pixels, then `ended`.

    Shift makes the distance short, Alt long. A press that is not moved calls nothing.
    """

    def __init__(
        self, started: Callable[[], object], moved: Callable[[float], object], ended: Callable[[], object]
    ) -> None:
        self._started, self._moved, self._ended = started, moved, ended
        self._at: float | None = None
        self.active = False

    def press(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self.finish()  # if a release never came, as when a pen leaves its tablet
            self._at = event.position().x()

    def move(self, event: QMouseEvent) -> None:
        if self._at is None:
            return
        distance = event.position().x() - self._at
        if not self.active:
            if abs(distance) <= DEAD_ZONE:
                return
            self.active = True
            distance -= math.copysign(DEAD_ZONE, distance)
            self._started()
        self._at = event.position().x()
        self._moved(distance * fineness(event))

    def release(self, event: QMouseEvent) -> bool:
        """End the drag; return whether it was a click instead."""
        if event.button() != Qt.MouseButton.LeftButton:
            return False
        clicked = self._at is not None and not self.active
        self.finish()
        return clicked

    def finish(self) -> None:
        """End the drag, wherever the pointer is."""
        dragged, self._at, self.active = self.active, None, False
        if dragged:
            self._ended()


class ScrubLabel(QLabel):
    """The label of a number. Drag it to change the number, double click it to reset the number."""

    def __init__(self, text: str, scrub: Scrub, reset: Callable[[], object]) -> None:
        super().__init__(text)
        self._scrub, self._reset = scrub, reset
        self.setCursor(Qt.CursorShape.SizeHorCursor)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._scrub.press(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._scrub.move(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._scrub.release(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._reset()
