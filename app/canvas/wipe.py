"""The canvas tool that moves and rotates the line of a wipe."""

from __future__ import annotations

import math

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QMouseEvent

from app.canvas.canvas import Canvas
from app.canvas.tools import Tool
from app.services.view_options import ViewOptions

REACH = 8.0
"""Distance from the line within which the mouse can grab it, in pixels."""


class WipeTool(Tool):
    """Moves the line of a wipe that is dragged, or rotates it if Shift is held."""

    def __init__(self, view: ViewOptions, canvas: Canvas) -> None:
        self._view, self._canvas = view, canvas
        self._grabbed = False

    def mouse_press(self, event: QMouseEvent) -> bool:
        if event.button() != Qt.MouseButton.LeftButton:
            return False
        self._grabbed = self._is_near(event.position())
        return self._grabbed

    def mouse_move(self, event: QMouseEvent) -> bool:
        if self._grabbed:
            self._move(event.position(), bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier))
        return self._grabbed

    def mouse_release(self, event: QMouseEvent) -> bool:
        grabbed, self._grabbed = self._grabbed, False
        return grabbed

    def cursor_at(self, position: QPointF) -> Qt.CursorShape | None:
        return Qt.CursorShape.SizeAllCursor if self._is_near(position) else None

    def _is_near(self, position: QPointF) -> bool:
        """Return whether there is a line and it can be grabbed at a position."""
        return self._view.state.compare == "wipe" and self._distance(position) < REACH

    def _frame(self) -> QRectF:
        """Return the rectangle of the frame on the canvas, in widget pixels."""
        canvas = self._canvas
        placement = canvas.placement()
        if canvas.viewport is None or placement is None:
            return QRectF(canvas.rect())
        left, top, width, height = (v / canvas.devicePixelRatioF() for v in canvas.viewport.on_screen(placement.region))
        return QRectF(left, top, width, height)

    def _middle(self) -> QPointF:
        view, frame = self._view.state, self._frame()
        return QPointF(frame.left() + view.wipe_x * frame.width(), frame.top() + view.wipe_y * frame.height())

    def _distance(self, place: QPointF) -> float:
        away = place - self._middle()
        angle = math.radians(self._view.state.wipe_angle)
        return abs(away.x() * math.sin(angle) + away.y() * math.cos(angle))

    def _move(self, place: QPointF, turns: bool) -> None:
        if turns:
            away = place - self._middle()
            if away.manhattanLength() > REACH:
                angle = math.degrees(math.atan2(-away.y(), away.x()))
                self._view.set(wipe_angle=angle % 360.0)
        else:
            frame = self._frame()
            x, y = ((place.x() - frame.left()) / frame.width(), (place.y() - frame.top()) / frame.height())
            self._view.set(wipe_x=min(max(x, 0.0), 1.0), wipe_y=min(max(y, 0.0), 1.0))
