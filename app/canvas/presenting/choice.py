"""Choose the presenter of the image: the user's preference if the machine supports it."""

from __future__ import annotations

import sys
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from app.canvas.canvas import Canvas
from app.canvas.presenting.raster import RasterPresenter
from app.canvas.presenting.surface import Screen, SurfacePresenter, surface_on, why_no_surface
from app.canvas.presenting.trial import SECONDS, Trial
from app.render.preview import Preview
from app.services.jobs import Jobs
from app.services.messages import Messages
from app.services.settings import Settings
from engine.errors import BackendError
from engine.viewing.presenting import AUTOMATIC, DRAWINGS, RASTER, SURFACE

if TYPE_CHECKING:
    from engine.compute.backends.wgpu.composer import Composer
    from engine.compute.backends.wgpu.surface import Surface

DRAWING = "drawing"
"""The setting that holds the preference."""


class Presenting(QObject):
    """Sets the presenter of the canvas whenever the compute device or the preference changes."""

    changed = Signal()

    def __init__(
        self, canvas: Canvas, preview: Preview, settings: Settings, jobs: Jobs, messages: Messages, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._canvas, self._preview, self._settings = canvas, preview, settings
        self._jobs, self._messages = jobs, messages
        self._delivery = preview.delivery
        self._delivery.chosen.connect(self._on_chosen)
        self.line = "Qt"
        """What draws the image, with the reason if it is not the preferred one."""
        self._pending: Screen | None = None
        self._trial = Trial(settings.folder)
        self._trusted = QTimer(self, singleShot=True, interval=int(1000 * SECONDS))
        self._trusted.timeout.connect(self._trust)
        self._request()

    @property
    def preference(self) -> str:
        """One of DRAWINGS."""
        kept = self._settings.get(DRAWING, AUTOMATIC)
        return kept if kept in DRAWINGS else AUTOMATIC

    def set_preference(self, preference: str) -> None:
        """Set the preference, one of DRAWINGS, for the next frame and after the next start."""
        self._settings.set(DRAWING, preference)
        self._trial.end()
        self._request()
        self._preview.submit_again()

    def close(self) -> None:
        """Close the surface; Qt draws from now on."""
        if self._pending is not None:
            self._trial.end()
        self._pending = None
        self._canvas.present_with(RasterPresenter(self._canvas))

    def _request(self) -> None:
        """Request the preferred presenter for the next frame; Qt can start at once."""
        against, failed = why_no_surface(), self._trial.failed
        if failed and not against:
            against = "Tessera ended while a GPU surface was last in use; choose GPU surface to try again"
        wanted = RASTER if against else self.preference
        self._delivery.want(wanted)
        if wanted == RASTER:
            self.close()
            self._set_line(f"Qt: {against}" if failed or (against and self.preference == SURFACE) else "Qt")

    def _on_chosen(self, composer: Composer | None, why: str) -> None:
        """Handle `chosen`: open a surface for the composer, or let Qt draw if there is none."""
        self.close()
        canvas = self._canvas
        if composer is None:
            self._set_line(f"Qt: {why}" if why else "Qt")
            return
        screen = Screen(canvas)
        make = surface_on(screen, composer)
        self._pending = screen

        def opening() -> Surface:
            self._trial.begin()
            surface = make()
            if self._pending is not screen:  # the window may be closing, and nothing would use it
                surface.close()
            return surface

        if sys.platform == "darwin":  # macOS allows this on the main thread only
            try:
                self._use(screen, opening())
            except BackendError as error:
                self._refused(screen, composer, str(error))
            return
        refused = partial(self._refused, screen, composer)
        self._jobs.run(opening, partial(self._use, screen), refused)

    def _use(self, screen: Screen, surface: Surface) -> None:
        """Draw with a surface that was opened, unless another has been requested since then."""
        canvas, composer = self._canvas, surface.composer
        if screen is not self._pending:
            surface.close()
            screen.deleteLater()
            return
        presenter = SurfacePresenter(canvas, screen, surface)
        presenter.lost.connect(partial(self._give_up, composer), Qt.ConnectionType.QueuedConnection)
        canvas.present_with(presenter)
        self._trusted.start()
        self._set_line(f"a GPU surface on {composer.primitives.device}")

    def _trust(self) -> None:
        self._jobs.run(self._trial.end, lambda _: None, lambda _: None)

    def _refused(self, screen: Screen, composer: Composer, why: str) -> None:
        screen.deleteLater()
        if screen is self._pending:
            self._give_up(composer, why)

    def _give_up(self, composer: Composer, why: str) -> None:
        self._delivery.refuse(composer)
        self.close()
        self._set_line(f"Qt: {why}")
        self._messages.note(f"The image is now drawn by {self.line}")
        self._preview.submit_again()

    def _set_line(self, line: str) -> None:
        self.line = line
        self.changed.emit()
