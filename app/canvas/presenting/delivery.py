"""Frames on their way from the preview's thread to whoever draws them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QImage

from app.canvas.presenting.frames import DeviceFrame, image_of
from engine.errors import BackendError, TesseraError
from engine.viewing import Frame
from engine.viewing.presenting import RASTER, composer_for

if TYPE_CHECKING:
    from engine.compute.backends.wgpu.composer import Composer


class Delivery(QObject):
    """Brings frames to the device that draws. All but `want` and `refuse` is for the preview's thread."""

    chosen = Signal(object, str)  # a Composer, or None and why Qt draws ('' where that was asked for)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._wanted = RASTER
        self._settled: tuple[str, Any] | None = None
        self._composer: Composer | None = None

    def want(self, drawing: str) -> None:
        """One of DRAWINGS; once the next frame is exact, `chosen` tells what came of it."""
        self._wanted, self._settled = drawing, None

    def refuse(self, composer: Composer) -> None:
        """This one can't draw in the window: frames go into main memory from now on."""
        if self._composer is composer:
            self._composer = None

    def stays(self, executor: Any) -> bool:
        """Whether the device that computes draws, so that frames are best left there."""
        return self._composer is not None and self._composer.primitives is executor.primitives

    def settle(self, executor: Any) -> None:
        """Find out who draws frames of this executor, unless that is known. May take a second."""
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
        """A frame where it will be drawn."""
        composer = self._composer
        if composer is None:
            return image_of(frame.pixels)
        handle = frame.handle
        if handle is not None and handle.primitives is composer.primitives and composer.takes(handle):
            return DeviceFrame(handle)
        pixels = frame.pixels
        try:
            return DeviceFrame(composer.upload(pixels), image_of(pixels))
        except BackendError:  # the device that draws is short of memory, or gone, as the window will find out
            return image_of(pixels)
