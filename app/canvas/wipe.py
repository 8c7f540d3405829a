"""The line of a wipe is moved and turned by the mouse, before the canvas sees it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QPointF, QRectF, Qt
from PySide6.QtGui import QMouseEvent

if TYPE_CHECKING:
    from app.shell.workspace import Workspace

REACH = 8.0
"""Pixels from the line at which it can be taken."""


class WipeTool(QObject):
    """An event filter on the canvas."""

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self._workspace = workspace
        self._grabbed = False
        workspace.canvas.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if not isinstance(event, QMouseEvent) or self._workspace.view.compare != "wipe":
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
        """Where on the canvas the frame lies."""
        canvas = self._workspace.canvas
        placement = canvas.placement()
        if canvas.viewport is None or placement is None:
            return QRectF(canvas.rect())
        left, top, width, height = (v / canvas.devicePixelRatioF() for v in canvas.viewport.on_screen(placement.region))
        return QRectF(left, top, width, height)

    def _middle(self) -> QPointF:
        view, frame = self._workspace.view, self._frame()
        return QPointF(frame.left() + view.wipe_x * frame.width(), frame.top() + view.wipe_y * frame.height())

    def _distance(self, place: QPointF) -> float:
        away = place - self._middle()
        angle = math.radians(self._workspace.view.wipe_angle)
        return abs(away.x() * math.sin(angle) + away.y() * math.cos(angle))

    def _move(self, place: QPointF, turns: bool) -> None:
        if turns:
            away = place - self._middle()
            if away.manhattanLength() > REACH:
                angle = math.degrees(math.atan2(-away.y(), away.x()))
                self._workspace.set_view(wipe_angle=angle % 360.0)
        else:
            frame = self._frame()
            x, y = ((place.x() - frame.left()) / frame.width(), (place.y() - frame.top()) / frame.height())
            self._workspace.set_view(wipe_x=min(max(x, 0.0), 1.0), wipe_y=min(max(y, 0.0), 1.0))

    def _show_cursor(self, place: QPointF) -> None:
        canvas = self._workspace.canvas
        if self._distance(place) < REACH:
            canvas.setCursor(Qt.CursorShape.SizeAllCursor)
        elif canvas.cursor().shape() == Qt.CursorShape.SizeAllCursor:
            canvas.unsetCursor()
