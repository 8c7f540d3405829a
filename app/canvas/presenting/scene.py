"""The scene of the canvas, in device pixels, and how Qt paints it."""

from __future__ import annotations

import math
from dataclasses import field
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QImage, QPainter, QPen, QRegion
from PySide6.QtWidgets import QWidget

from app.canvas.presenting import sampling
from app.model.viewport import Box, Viewport
from app.render.device_frame import DeviceFrame, as_image
from engine.core.records import dataclass
from engine.core.system import usable_cores
from engine.viewing.requests import SQUARES

if TYPE_CHECKING:
    from app.canvas.pixel_values import PixelValues


BACKGROUND = QColor(48, 48, 48)
OUTLINE = QColor(120, 120, 120)
DROP_LINE = QColor(200, 200, 200)
SMOOTH = usable_cores() > 2
"""Whether frames are enlarged with smooth interpolation; on two cores that would delay the next frame."""


class Overlay(Protocol):
    """Draws over the image."""

    def drawn(self) -> bool:
        """Return whether there is anything to draw now."""

    def paint(self, painter: QPainter, viewport: Viewport, ratio: float) -> None:
        """Paint in device pixels; `ratio` is device pixels per logical pixel."""


@dataclass
class Scene:
    """Everything on the canvas. `size` is its width and height, `region` the part of the image that the frame shows."""

    size: tuple[int, int] = (1, 1)
    ratio: float = 1.0
    viewport: Viewport | None = None
    frame: QImage | DeviceFrame | None = None
    region: Box = (0.0, 0.0, 1.0, 1.0)
    values: PixelValues | None = None
    overlays: list[Overlay] = field(default_factory=list)
    dropping: bool = False

    @property
    def place(self) -> Box:
        """Left, top, width and height of the frame on the canvas."""
        assert self.viewport is not None
        return self.viewport.on_screen(self.region)

    @property
    def display_window(self) -> Box | None:
        """The display window, or None if it equals the data window."""
        return self.viewport.display_window if self.viewport else None

    @property
    def covered(self) -> bool:
        """Whether anything is drawn over the frame."""
        shown = self.viewport is not None and self.frame is not None
        values = self.values is not None and self.values.region == self.region
        over = values or self.display_window is not None or any(each.drawn() for each in self.overlays)
        return self.dropping or (shown and over)

    def paint(self, painter: QPainter) -> None:
        """Paint the background, the frame and what lies over it."""
        painter.setClipRegion(self._beside())
        painter.fillRect(QRectF(0, 0, *self.size), BACKGROUND)
        painter.setClipping(False)
        if self.viewport and self.frame is not None:
            self._paint_frame(painter, as_image(self.frame))
        self.paint_over(painter)

    def paint_over(self, painter: QPainter) -> None:
        """Paint what lies over the frame: values, windows, overlays and the drop outline."""
        if self.viewport and self.frame is not None:
            if self.values is not None and self.values.region == self.region:
                self.values.paint(painter, self.viewport, as_image(self.frame), self.ratio)
            if self.display_window:
                self._paint_windows(painter, self.viewport, self.display_window)
            for each in self.overlays:
                each.paint(painter, self.viewport, self.ratio)
        if self.dropping:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(DROP_LINE, 2 * self.ratio, Qt.PenStyle.DashLine))
            painter.drawRect(QRectF(8, 8, self.size[0] - 16, self.size[1] - 16))

    def places(self) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
        """Return which pixels of the frame the columns and the rows of the canvas show, exactly as Qt paints them."""
        if self.viewport is None or self.frame is None:
            return tuple(np.zeros((length, 2), np.uint32) for length in self.size)  # type: ignore[return-value]
        left, top, width, height = self.place
        across, down = self.frame.width(), self.frame.height()
        if self._is_exact(across, down):
            return sampling.whole(round(left), across, self.size[0]), sampling.whole(round(top), down, self.size[1])
        columns = sampling.places(left, width, across, self.size[0], self._smooth, sampling.RUN)
        return columns, sampling.places(top, height, down, self.size[1], self._smooth)

    @property
    def _smooth(self) -> bool:
        assert self.viewport is not None
        return SMOOTH and self.viewport.scale < SQUARES

    def _is_exact(self, across: int, down: int) -> bool:
        """Return whether the frame is shown at one device pixel per pixel."""
        width, height = self.place[2:]
        return abs(width - across) < 0.01 and abs(height - down) < 0.01

    def _paint_frame(self, painter: QPainter, image: QImage) -> None:
        left, top, width, height = self.place
        if self._is_exact(image.width(), image.height()):
            painter.drawImage(QPointF(round(left), round(top)), image)
        else:
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, self._smooth)
            painter.drawImage(QRectF(left, top, width, height), image)

    def _beside(self) -> QRegion:
        """Return the region of device pixels that the frame does not cover."""
        region = QRegion(0, 0, *self.size)
        if self.viewport and self.frame is not None:
            left, top, width, height = self.place
            left, top, right, bottom = math.ceil(left), math.ceil(top), int(left + width), int(top + height)
            region -= QRegion(left, top, max(0, right - left), max(0, bottom - top))
        return region

    def _paint_windows(self, painter: QPainter, viewport: Viewport, window: Box) -> None:
        """Paint the outlines of the display window, dashed, and of the data window, dotted, each with its size."""
        font = painter.font()
        font.setPixelSize(round(10 * self.ratio))
        painter.setFont(font)
        lines = (("display", window, Qt.PenStyle.DashLine), ("data", viewport.data, Qt.PenStyle.DotLine))
        for name, box, style in lines:
            place = QRectF(*viewport.on_screen(box))
            painter.setPen(QPen(OUTLINE, 1, style))
            painter.drawRect(place.adjusted(-0.5, -0.5, 0.5, 0.5))
            corner = place.bottomLeft() if name == "display" else place.topLeft()
            up = 14 if name == "display" else -4
            painter.drawText(corner + QPointF(4, up) * self.ratio, f"{name} {box[2]:.0f} × {box[3]:.0f}")


class SceneWidget(QWidget):
    """A widget that shows a scene. `bars` are those of its children that hide what is behind them, but for their
    rounded corners."""

    painted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.scene = Scene()
        self.bars: list[QWidget] = []
