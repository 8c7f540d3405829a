"""The presenter that paints the image with Qt."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtGui import QPainter, QRegion

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from app.canvas.presenting.scene import Scene, SceneWidget

CORNER = 4
"""Radius of the corners of bars over the image in the style sheet, in pixels."""


class RasterPresenter:
    """Lets the canvas paint its scene. This works on every machine."""

    def __init__(self, canvas: SceneWidget) -> None:
        self._canvas = canvas

    def update(self, over: bool) -> None:
        """Repaint after a change of the scene, except behind bars: painting one takes as long as painting the image."""
        visible = QRegion(self._canvas.rect())
        for bar in self._canvas.bars:
            if bar.isVisible():
                visible -= QRegion(bar.geometry().adjusted(CORNER, CORNER, -CORNER, -CORNER))
        self._canvas.update(visible)

    def resize(self) -> None:
        """Do nothing: Qt repaints a resized widget itself."""

    def close(self) -> None:
        """Do nothing: there is nothing to release."""


def paint(widget: QWidget, scene: Scene) -> None:
    """Paint a scene that fills a widget, from the widget's paint event."""
    with QPainter(widget) as painter:
        painter.scale(1 / scene.ratio, 1 / scene.ratio)
        scene.paint(painter)
