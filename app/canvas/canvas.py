"""The canvas: shows the image and handles zoom, pan and drops; tools handle the rest. It computes no frames itself."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from PySide6.QtCore import QBuffer, QEvent, QMimeData, QPointF, Qt, Signal
from PySide6.QtGui import (
    QCursor,
    QDragEnterEvent,
    QDragLeaveEvent,
    QDropEvent,
    QFocusEvent,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPaintEvent,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QWidget

from app.canvas.presenting.raster import RasterPresenter, paint
from app.canvas.presenting.scene import SceneWidget
from app.canvas.presenting.surface import SurfacePresenter
from app.canvas.tools import ToolStack
from app.model.still_drag import MIME, ids_from_bytes
from app.model.viewport import Box, Placement, Viewport
from app.render.device_frame import DeviceFrame, as_image

MARGIN = 16
ZOOM_STEP = 1.25
PAN_STEP = 60
_PAN_BUTTONS = Qt.MouseButton.LeftButton | Qt.MouseButton.MiddleButton


class Canvas(SceneWidget):
    """Shows frames of an image. `view_changed` requests a new frame.

    Presses of buttons and keys and moves of the mouse go to `tools` first, and to the canvas if no tool handles them.
    """

    view_changed = Signal()
    hovered = Signal(object)  # (column, row) of the image, or None
    dropped = Signal(list)  # paths
    stills_dropped = Signal(list)  # the IDs of stills that were dragged here

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("canvas")
        self.setAccessibleName("Image")
        self.setAccessibleDescription("The wheel zooms; dragging or the arrow keys move the image")
        self.setMinimumSize(320, 240)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setAcceptDrops(True)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self._presenter: RasterPresenter | SurfacePresenter = RasterPresenter(self)
        self._grabbed: QPointF | None = None
        self._space = False
        self._tool_cursor: Qt.CursorShape | None = None
        self.tools = ToolStack(self)
        self.tools.changed.connect(self._follow_tools)

    @property
    def viewport(self) -> Viewport | None:
        """The position and scale of the image on the canvas; None without an image."""
        return self.scene.viewport

    def present_with(self, presenter: RasterPresenter | SurfacePresenter) -> None:
        """Draw the scene with another presenter."""
        self._presenter.close()
        self._presenter = presenter
        self.redraw()

    def redraw(self, over: bool = True) -> None:
        """Draw the scene again after a change; `over` is whether anything over the frame has changed."""
        self._presenter.update(over)

    def set_image(self, width: int, height: int, aspect: float = 1.0, window: Box | None = None) -> None:
        """Prepare for another image: its size, pixel aspect ratio and display window (x, y, width, height).

        Zoom and pan are kept if both images have display windows of the same size; if nothing moves, as in a sequence,
        the displayed frame stays as it is painted.
        """
        scene, old = self.scene, self.viewport
        new = (old or Viewport(*self._device_size(), width, height)).on_image(
            width, height, aspect, window, self._margin()
        )
        if old is not None and new.shares_display(old):  # keep the frame in place until the next one
            x, y = (new.display[n] - old.display[n] for n in (0, 1))
            scene.region = (scene.region[0] + x, scene.region[1] + y, *scene.region[2:])
        else:
            scene.frame = None
        stays = new == old and scene.values is None
        scene.viewport = new
        scene.values = None
        self.view_changed.emit()
        if not stays:
            self.redraw()

    def clear(self) -> None:
        """Show no image."""
        self.scene.viewport = self.scene.frame = self.scene.values = None
        self.redraw()

    def restore(self, viewport: Viewport) -> None:
        """Restore the zoom and pan of an image that was shown before."""
        if self.viewport and viewport.data == self.viewport.data:
            viewport = replace(viewport, display_window=self.viewport.display_window)
            self._set(viewport.resized(*self._device_size(), self._margin()))

    def show_frame(self, frame: QImage | DeviceFrame, region: Box) -> None:
        """Show a finished frame of a region of the image."""
        self.scene.frame, self.scene.region = frame, region
        self.redraw(over=self.scene.values is not None)

    def show_values(self, values: Any, region: Box) -> None:
        """Write the graded values (height, width, 3|4) of a region into its pixels."""
        from app.canvas.pixel_values import PixelValues  # few images are zoomed in so far

        self.scene.values = PixelValues(values, region)
        self.redraw()

    def thumbnail(self, width: int, height: int) -> bytes:
        """Return the displayed frame, scaled to fit within a size, as a PNG; b'' without a frame."""
        if self.scene.frame is None:
            return b""
        png = QBuffer()
        keep, smooth = Qt.AspectRatioMode.KeepAspectRatio, Qt.TransformationMode.SmoothTransformation
        as_image(self.scene.frame).scaled(width, height, keep, smooth).save(png, "PNG")  # type: ignore[call-overload]
        return bytes(png.data().data())

    @property
    def has_frame(self) -> bool:
        return self.scene.frame is not None

    def placement(self) -> Placement | None:
        """Return the region to render and its size; None if no image is visible."""
        return self.viewport.placement() if self.viewport else None

    def pixel_at(self, position: QPointF) -> tuple[int, int] | None:
        """Return the column and row of the image at a position of the widget; None beside the image."""
        point = position * self.devicePixelRatioF()
        return self.viewport.pixel_at(point.x(), point.y()) if self.viewport else None

    @property
    def moves_image(self) -> bool:
        """Whether Space is held: a drag then moves the image, whatever tool is there."""
        return self._space

    def fit(self) -> None:
        """Zoom to show the whole image."""
        if self.viewport:
            self._set(self.viewport.fit(self._margin()))

    def actual_size(self) -> None:
        """Show one image pixel per device pixel, zooming about the centre of the canvas."""
        self.zoom_to(1.0)

    def zoom_by(self, factor: float) -> None:
        if self.viewport:
            self.zoom_to(self.viewport.scale * factor)

    def zoom_in(self) -> None:
        """Zoom in by one step, about the centre of the canvas."""
        self.zoom_by(ZOOM_STEP)

    def zoom_out(self) -> None:
        """Zoom out by one step, about the centre of the canvas."""
        self.zoom_by(1 / ZOOM_STEP)

    def zoom_to(self, scale: float, at: QPointF | None = None) -> None:
        """Set the scale in device pixels per image pixel, about a point of the widget (default: the centre)."""
        if self.viewport:
            point = (at or QPointF(self.rect().center())) * self.devicePixelRatioF()
            self._set(self.viewport.zoomed(scale, point.x(), point.y()))

    def paintEvent(self, event: QPaintEvent) -> None:
        paint(self, self.scene)
        self.painted.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._follow_size()

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.DevicePixelRatioChange:
            self._follow_size()
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            key = event
            if self.tools.handle(lambda tool: tool.keeps_key(key)):
                event.accept()
                return True
        return super().event(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        if self.viewport and event.angleDelta().y():
            factor = ZOOM_STEP ** (event.angleDelta().y() / 120)
            self.zoom_to(self.viewport.scale * factor, event.position())
        event.accept()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if self.tools.handle(lambda tool: tool.mouse_press(event)):
            return
        if event.button() & _PAN_BUTTONS:
            self.setFocus(Qt.FocusReason.MouseFocusReason)
            self._grabbed = event.position()
            self.setCursor(Qt.CursorShape.ClosedHandCursor)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self.tools.handle(lambda tool: tool.mouse_move(event)):
            return
        here = event.position()
        if not event.buttons():
            self._show_tool_cursor(here)
        if self._grabbed is not None and self.viewport:
            moved = (here - self._grabbed) * self.devicePixelRatioF()
            self._grabbed = here
            self._set(self.viewport.panned(moved.x(), moved.y()))
        if self.viewport:
            self.hovered.emit(self.pixel_at(here))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self.tools.handle(lambda tool: tool.mouse_release(event)):
            return
        if event.button() & _PAN_BUTTONS:
            self._grabbed = None
            self._show_cursor()

    def leaveEvent(self, event: object) -> None:
        self.hovered.emit(None)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.tools.escape():
            return
        if self.tools.handle(lambda tool: tool.key_press(event)):
            return
        steps = {
            Qt.Key.Key_Left: (PAN_STEP, 0),
            Qt.Key.Key_Right: (-PAN_STEP, 0),
            Qt.Key.Key_Up: (0, PAN_STEP),
            Qt.Key.Key_Down: (0, -PAN_STEP),
        }
        if event.key() == Qt.Key.Key_Space:
            self._space = True
            self._show_cursor()
        elif event.key() in steps and self.viewport:
            dx, dy = steps[Qt.Key(event.key())]
            self._set(self.viewport.panned(dx, dy))
        else:
            super().keyPressEvent(event)

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Space and not event.isAutoRepeat():
            self._space = False
            self._show_cursor()
        else:
            super().keyReleaseEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self._space = False  # its release goes elsewhere
        self._show_cursor()
        super().focusOutEvent(event)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if event.mimeData().hasUrls() or (event.mimeData().hasFormat(MIME) and self.viewport is not None):
            self._set_dropping(True)
            event.acceptProposedAction()

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        self._set_dropping(False)

    def dropEvent(self, event: QDropEvent) -> None:
        self._set_dropping(False)
        event.acceptProposedAction()
        data = event.mimeData()
        if data.hasFormat(MIME):
            self.stills_dropped.emit(ids_from_bytes(bytes(data.data(MIME).data())))
        else:
            self.dropped.emit(local_paths(data))

    def _follow_size(self) -> None:
        self.scene.size, self.scene.ratio = self._device_size(), self.devicePixelRatioF()
        if self.viewport:
            self._set(self.viewport.resized(*self.scene.size, self._margin()))
        self._presenter.resize()

    def _set(self, viewport: Viewport) -> None:
        if viewport != self.viewport:
            self.scene.viewport = viewport
            self.view_changed.emit()
            self.redraw()

    def _set_dropping(self, dropping: bool) -> None:
        self.scene.dropping = dropping
        self.redraw()

    def _follow_tools(self) -> None:
        self._show_tool_cursor(QPointF(self.mapFromGlobal(QCursor.pos())))

    def _show_tool_cursor(self, position: QPointF) -> None:
        """Show the cursor of the tool that a press at a position would go to, if it has one."""
        shape = self.tools.cursor_at(position)
        if shape != self._tool_cursor:
            self._tool_cursor = shape
            self._show_cursor()

    def _show_cursor(self) -> None:
        if self._grabbed is not None:
            self.setCursor(Qt.CursorShape.ClosedHandCursor)
        elif self._tool_cursor is not None:
            self.setCursor(self._tool_cursor)
        else:
            self.setCursor(Qt.CursorShape.OpenHandCursor if self._space else Qt.CursorShape.CrossCursor)

    def _device_size(self) -> tuple[int, int]:
        ratio = self.devicePixelRatioF()
        return round(self.width() * ratio), round(self.height() * ratio)

    def _margin(self) -> int:
        return round(MARGIN * self.devicePixelRatioF())


def local_paths(data: QMimeData) -> list[Path]:
    """Return the local files among dropped URLs."""
    return [Path(url.toLocalFile()) for url in data.urls() if url.isLocalFile()]
