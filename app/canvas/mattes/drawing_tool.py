"""What the canvas tools have in common that draw new windows of mattes."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QMouseEvent, QPainter

from app.canvas.mattes.place import CanvasPlace
from app.canvas.mattes.snapping import Snapping
from app.canvas.tools import Tool
from app.model.matte_geometry import Mapping
from app.model.viewport import Viewport
from app.services.matte_selection import MatteSelection
from engine.mattes.source import MatteSource

ENTERS = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
Ended = Callable[[Tool], None]


class DrawingTool(Tool):
    """Draws a window for the matte of the selection, until it is finished or another tool takes its place."""

    is_temporary = True

    def __init__(self, place: CanvasPlace, selection: MatteSelection, snapping: Snapping, ended: Ended) -> None:
        """`ended` is called once the tool is not on the canvas any more."""
        self._place, self._canvas, self._selection, self._snapping = place, place.canvas, selection, snapping
        self._ended = ended
        self.label = ""
        """The numbers as they were painted last, or ''."""
        place.canvas.scene.overlays.append(self)

    def cursor_at(self, position: object) -> Qt.CursorShape | None:
        return None if self._canvas.moves_image else Qt.CursorShape.CrossCursor

    def removed(self) -> None:
        """Draw nothing any more."""
        self._forget()
        self._ended(self)
        self._canvas.redraw()

    @abstractmethod
    def drawn(self) -> bool:
        """Return whether there is anything to paint."""

    @abstractmethod
    def paint(self, painter: QPainter, viewport: Viewport, ratio: float) -> None:
        """Paint what is drawn so far, in device pixels."""

    def _pressed_on(self, event: QMouseEvent) -> Mapping | None:
        """Return where the image lies if a press of the mouse draws; None if it is not for this tool."""
        draws = event.button() == Qt.MouseButton.LeftButton and not self._canvas.moves_image
        return self._place.mapping if draws else None

    def _finish(self, source: MatteSource | None) -> None:
        """Add a window to the matte, if there is one, and forget what was drawn."""
        self._forget()
        if source is not None:
            self._selection.add(source, f"new {source.title().lower()}")
        self._canvas.redraw()

    @abstractmethod
    def _forget(self) -> None:
        """Forget what was drawn so far."""
