"""Frames for the canvas: in main memory as a QImage, or on the device that draws them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage

from engine.compute.backends.base import ImageHandle
from engine.errors import BackendError


class DeviceFrame:
    """A frame on the device that draws it: RGBA bytes, opaque."""

    def __init__(self, handle: ImageHandle, image: QImage | None = None) -> None:
        """Create a frame. `image` is the same frame in main memory, if it is available."""
        self.handle = handle
        self._image = image

    def width(self) -> int:
        return self.handle.width

    def height(self) -> int:
        return self.handle.height

    @property
    def image(self) -> QImage:
        """The frame in main memory, downloaded on first use; black if its device is lost (a new frame then follows)."""
        if self._image is None:
            try:
                self._image = image_of(self.handle.primitives.download(self.handle))
            except BackendError:
                self._image = QImage(self.width(), self.height(), QImage.Format.Format_RGBX8888)
                self._image.fill(Qt.GlobalColor.black)
        return self._image


def image_of(pixels: NDArray[np.uint8]) -> QImage:
    """Return opaque RGBA bytes (height, width, 4) as an image that shares their memory and keeps it."""
    height, width = pixels.shape[:2]
    return QImage(pixels.data, width, height, pixels.strides[0], QImage.Format.Format_RGBX8888)


def as_image(frame: QImage | DeviceFrame) -> QImage:
    """Return a frame in main memory."""
    return frame.image if isinstance(frame, DeviceFrame) else frame
