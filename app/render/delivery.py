"""Delivers frames from the preview's thread to the device that draws them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QImage

from app.render.device_frame import DeviceFrame, image_of
from engine.errors import BackendError, TesseraError
from engine.viewing import Frame
from engine.viewing.presenting import RASTER, composer_for

if TYPE_CHECKING:
    from engine.compute.backends.wgpu.composer import Composer


class Delivery(QObject):
    """Transfers frames to the device that draws them. Call all but `want` and `refuse` on the preview's thread."""

    chosen = Signal(object, str)  # a Composer, or None and the reason that Qt draws ('' if requested)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._wanted = RASTER
        self._settled: tuple[str, Any] | None = None
        self._composer: Composer | None = None

    def want(self, drawing: str) -> None:
        """Request a drawing, one of DRAWINGS; after the next exact frame, `chosen` reports the result."""
        self._wanted, self._settled = drawing, None

    def refuse(self, composer: Composer) -> None:
        """Stop using a composer that cannot draw in the window; frames then go to main memory."""
        if self._composer is composer:
            self._composer = None

    def stays(self, executor: Any) -> bool:
        """Return whether the executor's device also draws, so that frames should stay on it."""
        return self._composer is not None and self._composer.primitives is executor.primitives

    def settle(self, executor: Any) -> None:
        """Choose what draws the frames of an executor, unless that is already known. Can take a second."""
        now = self._wanted, executor.primitives
        if now != self._settled:
            self._settled, self._composer = now, None
            why = ""
            try:
                self._composer = composer_for(executor, now[0])
            except TesseraError as error:
                why = str(error)
            self.chosen.emit(self._composer, why)

    def brought(self, frame: Frame) -> QImage | DeviceFrame:
        """Return a frame on the device that draws it, or in main memory if Qt draws or that device fails."""
        composer = self._composer
        if composer is None:
            return image_of(frame.pixels)
        handle = frame.handle
        if handle is not None and handle.primitives is composer.primitives and composer.takes(handle):
            return DeviceFrame(handle)
        pixels = frame.pixels
        try:
            return DeviceFrame(composer.upload(pixels), image_of(pixels))
        except BackendError:  # out of memory, or the device is lost, which the window detects itself
            return image_of(pixels)
