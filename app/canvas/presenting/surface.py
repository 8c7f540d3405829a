"""The presenter that draws the image with a GPU, in a native window inside the canvas."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import QEvent, QObject, QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication, QImage, QPaintEngine, QPainter, QPaintEvent, QPlatformSurfaceEvent
from PySide6.QtWidgets import QApplication, QWidget

from app.canvas.presenting.raster import paint
from app.canvas.presenting.scene import BACKGROUND, SceneWidget
from app.render.device_frame import DeviceFrame
from engine.errors import BackendError

if TYPE_CHECKING:
    from engine.compute.backends.wgpu.composer import Composer
    from engine.compute.backends.wgpu.surface import Surface

PLATFORMS = ("xcb", "windows", "cocoa")
AGAIN_MS = 20
"""Delay before a skipped frame is drawn again."""
ABOUT_TO_GO = QPlatformSurfaceEvent.SurfaceEventType.SurfaceAboutToBeDestroyed
REMOTE_SESSION = 0x1000
"""SM_REMOTESESSION of the Windows API: whether the desktop is a remote session."""


def why_no_surface() -> str:
    """Return why a window cannot have a surface here, or '' if it can."""
    platform = QGuiApplication.platformName()
    if platform not in PLATFORMS:
        return f"the Qt platform {platform} does not support GPU surfaces"
    if platform == "xcb" and (not os.environ.get("DISPLAY", "").startswith(":") or _x11_display() is None):
        return "the display is on another machine"
    if sys.platform == "win32":
        import ctypes

        return "the display is on another machine" if ctypes.windll.user32.GetSystemMetrics(REMOTE_SESSION) else ""
    return ""


class Screen(QWidget):
    """A native window that covers the canvas. The canvas handles its events."""

    def __init__(self, canvas: SceneWidget) -> None:
        # Make only the children of the canvas native, not the docks and bars beside it.
        QApplication.setAttribute(Qt.ApplicationAttribute.AA_DontCreateNativeWidgetSiblings)
        super().__init__(canvas)
        self.draw: Callable[[], None] = _nothing
        self._scene = canvas.scene
        self.setObjectName("screen")
        self.setAccessibleName(canvas.accessibleName())
        for wanted in (
            Qt.WidgetAttribute.WA_NativeWindow,
            Qt.WidgetAttribute.WA_PaintOnScreen,
            Qt.WidgetAttribute.WA_NoSystemBackground,
        ):
            self.setAttribute(wanted)
        self.setMouseTracking(True)
        self.setGeometry(canvas.rect())
        for each in canvas.children():
            if isinstance(each, QWidget) and each is not self:
                each.setAttribute(Qt.WidgetAttribute.WA_NativeWindow)  # otherwise this window would hide it
        self.lower()

    def paintEngine(self) -> QPaintEngine:
        return None  # type: ignore[return-value]  # Qt requires this for WA_PaintOnScreen

    def paintEvent(self, event: QPaintEvent) -> None:
        if self.redirected(QPoint()) is None:
            self.draw()
        else:
            paint(self, self._scene)  # Qt renders into an image, for example a screenshot

    @property
    def device_size(self) -> tuple[int, int]:
        """The width and height in device pixels."""
        ratio = self.devicePixelRatioF()
        return round(self.width() * ratio), round(self.height() * ratio)

    def native_window(self) -> dict[str, Any]:
        """Return the native window as wgpu expects it."""
        info: dict[str, Any] = {"window": int(self.winId())}
        if QGuiApplication.platformName() == "xcb":
            info |= {"platform": "x11", "display": _x11_display()}
        return info


def surface_on(screen: Screen, composer: Composer) -> Callable[[], Surface]:
    """Return a function that creates the surface; call it on another thread, since drivers can be slow.

    The function raises BackendError if the surface cannot be created.
    """
    from engine.compute.backends.wgpu.surface import Surface

    return partial(Surface, composer, screen.native_window(), *screen.device_size)


class SurfacePresenter(QObject):
    """Draws the canvas's scene with a composer. Pan and zoom move the existing frame."""

    lost = Signal(str)  # why it no longer draws

    def __init__(self, canvas: SceneWidget, screen: Screen, surface: Surface) -> None:
        super().__init__(canvas)
        self._canvas, self._screen, self._composer = canvas, screen, surface.composer
        self._surface: Surface | None = surface
        self._frame: Any = None
        self._placed: Any = None
        self._over = True
        screen.draw = self._draw
        screen.windowHandle().installEventFilter(self)
        self.update(True)

    def update(self, over: bool) -> None:
        """Redraw after a change of the scene; `over` is whether anything over the frame has changed."""
        self._over = self._over or over
        if self._canvas.scene.viewport is None:
            self._composer.show(None)
            self._frame = None
        self._screen.setVisible(self._canvas.scene.viewport is not None)
        self._screen.update()

    def resize(self) -> None:
        """Follow the size of the canvas."""
        self._screen.setGeometry(self._canvas.rect())
        self.update(True)

    def close(self) -> None:
        """Release the surface and delete the native window."""
        self._release()
        self._screen.draw = _nothing
        self._screen.hide()
        self._screen.deleteLater()
        self.deleteLater()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QPlatformSurfaceEvent) and event.surfaceEventType() == ABOUT_TO_GO:
            self._release()
            self.lost.emit("the window was recreated")
        return False

    def _release(self) -> None:
        if self._surface is not None:
            self._surface.close()
            self._surface = None

    def _draw(self) -> None:
        if self._surface is None:
            return
        try:
            self._update_composer()
            if not self._surface.draw(*self._canvas.scene.size):
                QTimer.singleShot(AGAIN_MS, self._screen, self._screen.update)
        except BackendError as error:
            self._release()
            self.lost.emit(str(error))
            return
        self._canvas.painted.emit()

    def _update_composer(self) -> None:
        """Pass to the composer what has changed."""
        scene, composer = self._canvas.scene, self._composer
        if scene.frame is not self._frame:
            composer.show(None if scene.frame is None else self._handle(scene.frame))
            self._frame = scene.frame
        placed = (scene.size, scene.viewport, scene.region, scene.frame and (scene.frame.width(), scene.frame.height()))
        if placed != self._placed:
            composer.place(*scene.places(), (BACKGROUND.red(), BACKGROUND.green(), BACKGROUND.blue()))
            self._placed, self._over = placed, True
        if self._over:
            image = self._layer() if scene.covered else None
            composer.cover(None if image is None else bytes_of(image))
            self._over = False

    def _handle(self, frame: QImage | DeviceFrame) -> Any:
        """Return a handle of the frame on the composer's device; upload the frame if it is elsewhere."""
        if isinstance(frame, DeviceFrame) and frame.handle.primitives is self._composer.primitives:
            return frame.handle
        return self._composer.upload(bytes_of(frame.image if isinstance(frame, DeviceFrame) else frame))

    def _layer(self) -> QImage:
        """Return an image of what lies over the frame, painted by Qt."""
        scene = self._canvas.scene
        image = QImage(*scene.size, QImage.Format.Format_RGBA8888_Premultiplied)
        image.fill(0)
        with QPainter(image) as painter:
            scene.paint_over(painter)
        return image


def bytes_of(image: QImage) -> Any:
    """Return the bytes (height, width, 4) of an image with four bytes per pixel, which must outlive them."""
    rows = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine())
    return rows[:, : 4 * image.width()].reshape(image.height(), image.width(), 4)


def _nothing() -> None:
    """Do nothing: there is no surface to draw on, or no longer."""


def _x11_display() -> int | None:
    """Return Qt's own connection to the X server: over it, wgpu sees new windows at once. None without one."""
    app = QGuiApplication.instance()
    native = getattr(app, "nativeInterface", lambda: None)()
    display = getattr(native, "display", lambda: None)()
    return int(display) if display else None
