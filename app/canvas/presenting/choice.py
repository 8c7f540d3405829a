"""Choose what draws the image: the user's preference where the machine allows it."""

from __future__ import annotations

import sys
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from app.canvas.presenting.raster import RasterPresenter
from app.canvas.presenting.surface import Screen, SurfacePresenter, hindrance, surface_on
from app.canvas.presenting.trial import SECONDS, Trial
from engine.errors import BackendError
from engine.viewing.presenting import AUTOMATIC, DRAWINGS, RASTER, SURFACE

if TYPE_CHECKING:
    from app.shell.workspace import Workspace
    from engine.compute.backends.wgpu.composer import Composer
    from engine.compute.backends.wgpu.surface import Surface

DRAWING = "drawing"
"""The setting that holds the preference."""


class Presenting(QObject):
    """Gives the canvas its presenter whenever the compute device or the preference changes."""

    changed = Signal()

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self._workspace = workspace
        self._delivery = workspace.preview.delivery
        self._delivery.chosen.connect(self._take)
        self.line = "Qt"
        """Who draws, and why if that was not asked for."""
        self._awaited: Screen | None = None
        self._trial = Trial(workspace.settings.folder)
        self._trusted = QTimer(self, singleShot=True, interval=int(1000 * SECONDS))
        self._trusted.timeout.connect(self._trust)
        self._want()

    @property
    def preference(self) -> str:
        """One of DRAWINGS."""
        kept = self._workspace.settings.get(DRAWING, AUTOMATIC)
        return kept if kept in DRAWINGS else AUTOMATIC

    def set_preference(self, preference: str) -> None:
        """Draw otherwise from the next frame on, and after the next start."""
        self._workspace.settings.set(DRAWING, preference)
        self._trial.end()
        self._want()
        self._workspace.preview.submit_again()

    def close(self) -> None:
        """Let Qt draw from now on."""
        if self._awaited is not None:
            self._trial.end()
        self._awaited = None
        self._workspace.canvas.present_with(RasterPresenter(self._workspace.canvas))

    def _want(self) -> None:
        """Send the next frame to the preferred presenter; Qt can begin at once."""
        against, failed = hindrance(), self._trial.failed
        if failed and not against:
            against = "Tessera ended when a GPU last drew; choose GPU surface to try again"
        wanted = RASTER if against else self.preference
        self._delivery.want(wanted)
        if wanted == RASTER:
            self.close()
            self._tell(f"Qt, for {against}" if failed or (against and self.preference == SURFACE) else "Qt")

    def _take(self, composer: Composer | None, why: str) -> None:
        """On `chosen`: a composer that would draw, or None."""
        self.close()
        canvas = self._workspace.canvas
        if composer is None:
            self._tell(f"Qt, for {why}" if why else "Qt")
            return
        screen = Screen(canvas)
        make = surface_on(screen, composer)
        self._awaited = screen

        def opening() -> Surface:
            self._trial.begin()
            surface = make()
            if self._awaited is not screen:  # perhaps the window is closing, and nobody takes it
                surface.close()
            return surface

        if sys.platform == "darwin":  # which allows this to the interface's thread alone
            try:
                self._use(screen, opening())
            except BackendError as error:
                self._refused(screen, composer, str(error))
            return
        refused = partial(self._refused, screen, composer)
        self._workspace.jobs.run(opening, partial(self._use, screen), refused)

    def _use(self, screen: Screen, surface: Surface) -> None:
        """A surface is there; unless another was wanted since then, it draws from now on."""
        canvas, composer = self._workspace.canvas, surface.composer
        if screen is not self._awaited:
            surface.close()
            screen.deleteLater()
            return
        presenter = SurfacePresenter(canvas, screen, surface)
        presenter.lost.connect(partial(self._give_up, composer), Qt.ConnectionType.QueuedConnection)
        canvas.present_with(presenter)
        self._trusted.start()
        self._tell(f"a surface of the GPU, {composer.primitives.device}")

    def _trust(self) -> None:
        self._workspace.jobs.run(self._trial.end, lambda _: None, lambda _: None)

    def _refused(self, screen: Screen, composer: Composer, why: str) -> None:
        screen.deleteLater()
        if screen is self._awaited:
            self._give_up(composer, why)

    def _give_up(self, composer: Composer, why: str) -> None:
        self._delivery.refuse(composer)
        self.close()
        self._tell(f"Qt, for {why}")
        self._workspace.note(f"The image is drawn by {self.line}")
        self._workspace.preview.submit_again()

    def _tell(self, line: str) -> None:
        self.line = line
        self.changed.emit()
