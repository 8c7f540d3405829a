"""Relative horizontal drags, which change a number by the distance of the pointer."""

from __future__ import annotations

import math
from typing import Protocol
from weakref import ref

from PySide6.QtCore import Qt, Signal, SignalInstance
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QLabel

from app.widgets.gestures import fineness

DEAD_ZONE = 2.0
"""Movement in pixels that is no drag yet: the tremble of a hand or a pen."""
SWEEP = 200.0
"""Distance in pixels that sweeps the visible range of a number, on its label or in its box."""


class Scrubbed(Protocol):
    """A control whose number drags change."""

    @property
    def drag_ended(self) -> SignalInstance: ...

    def begin_drag(self) -> None: ...

    def drag(self, pixels: float) -> None: ...


class Scrub:
    """Follows the left button. Begins a drag of its control, changes the number by each distance, and ends the drag.

    Shift makes the distance short, Alt long. A press that is not moved does nothing. It does not keep its control: in a
    cycle of references, hundreds of deleted controls would be left to the collection of garbage.
    """

    def __init__(self, control: Scrubbed) -> None:
        self._control = ref(control)
        self._at: float | None = None
        self.active = False

    def press(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self.finish()  # if a release never came, as when a pen leaves its tablet
            self._at = event.position().x()

    def move(self, event: QMouseEvent) -> None:
        control = self._control()
        if self._at is None or control is None:
            return
        distance = event.position().x() - self._at
        if not self.active:
            if abs(distance) <= DEAD_ZONE:
                return
            self.active = True
            distance -= math.copysign(DEAD_ZONE, distance)
            control.begin_drag()
        self._at = event.position().x()
        control.drag(distance * fineness(event))

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
        control = self._control()
        if dragged and control is not None:
            control.drag_ended.emit()


class ScrubLabel(QLabel):
    """The label of a number. Drag it to change the number, double click it to reset the number."""

    reset = Signal()

    def __init__(self, text: str, scrub: Scrub) -> None:
        super().__init__(text)
        self._scrub = scrub
        self.setCursor(Qt.CursorShape.SizeHorCursor)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._scrub.press(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._scrub.move(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._scrub.release(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self.reset.emit()
