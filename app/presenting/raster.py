"""The picture painted by Qt, with the window around it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.canvas import Canvas


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
