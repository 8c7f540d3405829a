"""Moves and rotates the line of a wipe with the mouse."""

from __future__ import annotations

import math

from PySide6.QtCore import QEvent, QObject, QPointF, QRectF, Qt
from PySide6.QtGui import QMouseEvent

from app.canvas.canvas import Canvas
from app.services.open_documents import OpenDocuments

REACH = 8.0
"""Distance from the line within which the mouse can grab it, in pixels."""


class WipeTool(QObject):
    """An event filter that handles the mouse before the canvas: dragging moves the line, Shift+drag rotates it."""

    def __init__(self, documents: OpenDocuments, canvas: Canvas) -> None:
        super().__init__(canvas)
        self._documents, self._canvas = documents, canvas
        self._grabbed = False
        canvas.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if not isinstance(event, QMouseEvent) or self._documents.view.compare != "wipe":
            return False
        kind, left = event.type(), Qt.MouseButton.LeftButton
        if kind == QEvent.Type.MouseButtonPress and event.button() == left:
            self._grabbed = self._distance(event.position()) < REACH
            return self._grabbed
        if kind == QEvent.Type.MouseMove:
            if self._grabbed:
                self._move(event.position(), bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier))
            elif not event.buttons():
                self._show_cursor(event.position())
            return self._grabbed
        if kind == QEvent.Type.MouseButtonRelease and self._grabbed:
            self._grabbed = False
            return True
        return False

    def _frame(self) -> QRectF:
        """Return the rectangle of the frame on the canvas, in widget pixels."""
        canvas = self._canvas
        placement = canvas.placement()
        if canvas.viewport is None or placement is None:
            return QRectF(canvas.rect())
        left, top, width, height = (v / canvas.devicePixelRatioF() for v in canvas.viewport.on_screen(placement.region))
        return QRectF(left, top, width, height)

    def _middle(self) -> QPointF:
        view, frame = self._documents.view, self._frame()
        return QPointF(frame.left() + view.wipe_x * frame.width(), frame.top() + view.wipe_y * frame.height())

    def _distance(self, place: QPointF) -> float:
        away = place - self._middle()
        angle = math.radians(self._documents.view.wipe_angle)
        return abs(away.x() * math.sin(angle) + away.y() * math.cos(angle))

    def _move(self, place: QPointF, turns: bool) -> None:
        if turns:
            away = place - self._middle()
            if away.manhattanLength() > REACH:
                angle = math.degrees(math.atan2(-away.y(), away.x()))
                self._documents.set_view(wipe_angle=angle % 360.0)
        else:
            frame = self._frame()
            x, y = ((place.x() - frame.left()) / frame.width(), (place.y() - frame.top()) / frame.height())
            self._documents.set_view(wipe_x=min(max(x, 0.0), 1.0), wipe_y=min(max(y, 0.0), 1.0))

    def _show_cursor(self, place: QPointF) -> None:
        canvas = self._canvas
        if self._distance(place) < REACH:
            canvas.setCursor(Qt.CursorShape.SizeAllCursor)
        elif canvas.cursor().shape() == Qt.CursorShape.SizeAllCursor:
            canvas.unsetCursor()
