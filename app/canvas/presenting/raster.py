"""The image painted by Qt, with the window around it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtGui import QPainter

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from app.canvas.canvas import Canvas
    from app.canvas.presenting.scene import Scene


class RasterPresenter:
    """Has the canvas paint its scene: works everywhere."""

    def __init__(self, canvas: Canvas) -> None:
        self._canvas = canvas

    def update(self, over: bool) -> None:
        """The scene has changed."""
        self._canvas.update()

    def resize(self) -> None:
        """Qt paints what has another size by itself."""

    def close(self) -> None:
        """There is nothing to let go of."""


def paint(widget: QWidget, scene: Scene) -> None:
    """Paint a scene on a widget that it fills; for its paint event."""
    painter = QPainter(widget)
    painter.scale(1 / scene.ratio, 1 / scene.ratio)
    scene.paint(painter)
    painter.end()
