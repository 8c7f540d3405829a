"""The image drawn by a GPU: a window of the system within the canvas, and what fills it."""

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

from app.canvas.presenting.frames import DeviceFrame
from app.canvas.presenting.raster import paint
from app.canvas.presenting.scene import BACKGROUND
from engine.errors import BackendError

if TYPE_CHECKING:
    from app.canvas.canvas import Canvas
    from engine.compute.backends.wgpu.composer import Composer
    from engine.compute.backends.wgpu.surface import Surface

PLATFORMS = ("xcb", "windows", "cocoa")
AGAIN_MS = 20
"""After so long a frame that was skipped is drawn again."""
ABOUT_TO_GO = QPlatformSurfaceEvent.SurfaceEventType.SurfaceAboutToBeDestroyed
REMOTE_SESSION = 0x1000
"""Windows' number for the question whether the desktop is on another machine."""


def hindrance() -> str:
    """Why there can be no surface in a window here; '' where nothing speaks against one."""
    platform = QGuiApplication.platformName()
    if platform not in PLATFORMS:
        return f"Qt's platform {platform} has none"
    if platform == "xcb" and (not os.environ.get("DISPLAY", "").startswith(":") or _x11_display() is None):
        return "the display is on another machine"
    if sys.platform == "win32":
        import ctypes

        return "the display is on another machine" if ctypes.windll.user32.GetSystemMetrics(REMOTE_SESSION) else ""
    return ""


class Screen(QWidget):
    """A window of the system that covers the canvas. What happens in it is the canvas's affair."""

    def __init__(self, canvas: Canvas) -> None:
        # Native children of the canvas alone, not the docks and bars beside it.
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
                each.setAttribute(Qt.WidgetAttribute.WA_NativeWindow)  # or it would lie beneath
        self.lower()

    def paintEngine(self) -> QPaintEngine:
        return None  # type: ignore[return-value]  # as Qt wants it where others draw

    def paintEvent(self, event: QPaintEvent) -> None:
        if self.redirected(QPoint()) is None:
            self.draw()
        else:
            paint(self, self._scene)  # a screenshot, or what else Qt renders

    @property
    def size_of_system(self) -> tuple[int, int]:
        """Its width and height in device pixels."""
        ratio = self.devicePixelRatioF()
        return round(self.width() * ratio), round(self.height() * ratio)

    def window_of_system(self) -> dict[str, Any]:
        """It, as wgpu takes it."""
        info: dict[str, Any] = {"window": int(self.winId())}
        if QGuiApplication.platformName() == "xcb":
            info |= {"platform": "x11", "display": _x11_display()}
        return info


def surface_on(screen: Screen, composer: Composer) -> Callable[[], Surface]:
    """What makes a surface there, for another thread, since drivers take their time. BackendError where it fails."""
    from engine.compute.backends.wgpu.surface import Surface

    return partial(Surface, composer, screen.window_of_system(), *screen.size_of_system)


class SurfacePresenter(QObject):
    """Draws the canvas's scene with a composer. A pan or a zoom moves the frame that is there already."""

    lost = Signal(str)  # why it draws no more

    def __init__(self, canvas: Canvas, screen: Screen, surface: Surface) -> None:
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
        """The scene has changed; `over` tells whether what lies over the frame has."""
        self._over = self._over or over
        if self._canvas.scene.viewport is None:
            self._composer.show(None)
            self._frame = None
        self._screen.setVisible(self._canvas.scene.viewport is not None)
        self._screen.update()

    def resize(self) -> None:
        """The canvas has another size."""
        self._screen.setGeometry(self._canvas.rect())
        self.update(True)

    def close(self) -> None:
        """Let go of the window and of what is shown."""
        self._let_go()
        self._screen.draw = _nothing
        self._screen.hide()
        self._screen.deleteLater()
        self.deleteLater()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QPlatformSurfaceEvent) and event.surfaceEventType() == ABOUT_TO_GO:
            self._let_go()
            self.lost.emit("the window was made anew")
        return False

    def _let_go(self) -> None:
        if self._surface is not None:
            self._surface.close()
            self._surface = None

    def _draw(self) -> None:
        if self._surface is None:
            return
        try:
            self._bring()
            if not self._surface.draw(*self._canvas.scene.size):
                QTimer.singleShot(AGAIN_MS, self._screen, self._screen.update)
        except BackendError as error:
            self._let_go()
            self.lost.emit(str(error))
            return
        self._canvas.painted.emit()

    def _bring(self) -> None:
        """Give the composer what has changed."""
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
        """A frame on the composer's device; one that was made for another device, or for none, is brought there."""
        if isinstance(frame, DeviceFrame) and frame.handle.primitives is self._composer.primitives:
            return frame.handle
        return self._composer.upload(bytes_of(frame.image if isinstance(frame, DeviceFrame) else frame))

    def _layer(self) -> QImage:
        """What lies over the frame, painted by Qt."""
        scene = self._canvas.scene
        image = QImage(*scene.size, QImage.Format.Format_RGBA8888_Premultiplied)
        image.fill(0)
        painter = QPainter(image)
        scene.paint_over(painter)
        painter.end()
        return image


def bytes_of(image: QImage) -> Any:
    """(height, width, 4) bytes of an image of four bytes for a pixel, which must outlive them."""
    rows = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine())
    return rows[:, : 4 * image.width()].reshape(image.height(), image.width(), 4)


def _nothing() -> None:
    """There is nothing to draw with yet, or any more."""


def _x11_display() -> int | None:
    """Qt's own connection to the X server, so that both see a window at once."""
    app = QGuiApplication.instance()
    native = getattr(app, "nativeInterface", lambda: None)()
    display = getattr(native, "display", lambda: None)()
    return int(display) if display else None
