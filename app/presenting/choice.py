"""Who draws the picture, as the user wishes and the machine allows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Qt, Signal

from app.presenting.raster import RasterPresenter
from app.presenting.surface import SurfacePresenter, hindrance
from engine.errors import BackendError
from engine.viewing.presenting import AUTOMATIC, DRAWINGS, RASTER, SURFACE

if TYPE_CHECKING:
    from app.workspace import Workspace

DRAWING = "drawing"
"""The setting that holds the wish."""


class Presenting(QObject):
    """Gives the canvas its presenter whenever the device that computes, or the wish, has changed."""

    changed = Signal()

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self._workspace = workspace
        self._delivery = workspace.preview.delivery
        self._delivery.chosen.connect(self._take)
        self.line = "Qt"
        """Who draws, and why if that was not asked for."""
        self._want()

    @property
    def wish(self) -> str:
        """One of DRAWINGS."""
        kept = self._workspace.settings.get(DRAWING, AUTOMATIC)
        return kept if kept in DRAWINGS else AUTOMATIC

    def set_wish(self, wish: str) -> None:
        """Draw otherwise from the next frame on, and after the next start."""
        self._workspace.settings.set(DRAWING, wish)
        self._want()
        self._workspace.preview.submit_again()

    def close(self) -> None:
        """Let Qt draw from now on."""
        self._workspace.canvas.present_with(RasterPresenter(self._workspace.canvas))

    def _want(self) -> None:
        against = hindrance()
        self._delivery.wanted = RASTER if against else self.wish
        self._tell(f"Qt, for {against}" if against and self.wish == SURFACE else "Qt")

    def _take(self, composer: Any, why: str) -> None:
        """On `chosen`: a composer that would draw, or None."""
        canvas = self._workspace.canvas
        canvas.present_with(RasterPresenter(canvas))  # two surfaces in one window are none
        if composer is None:
            self._tell(f"Qt, for {why}" if why else "Qt")
            return
        try:
            presenter = SurfacePresenter(canvas, composer)
        except BackendError as error:
            self._give_up(composer, str(error))
            return
        presenter.lost.connect(lambda why: self._give_up(composer, why), Qt.ConnectionType.QueuedConnection)
        canvas.present_with(presenter)
        self._tell(f"a surface of the GPU, {composer.primitives.device}")

    def _give_up(self, composer: Any, why: str) -> None:
        self._delivery.refuse(composer)
        self.close()
        self._tell(f"Qt, for {why}")
        self._workspace.note(f"The picture is drawn by {self.line}")
        self._workspace.preview.submit_again()

    def _tell(self, line: str) -> None:
        self.line = line
        self.changed.emit()
