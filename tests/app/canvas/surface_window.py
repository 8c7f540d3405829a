"""A window whose image the GPU draws, used as people use it; prints as JSON what came of it. Needs a display of X11.

xvfb-run -s "-screen 0 1280x900x24" env QT_QPA_PLATFORM=xcb python -m tests.app.canvas.surface_window IMAGE
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from PySide6.QtCore import QEventLoop, QPoint, QPointF, Qt, QTimer
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.canvas.presenting.surface import SurfacePresenter, bytes_of
from app.render.device_frame import DeviceFrame
from app.services.engine_calls import Services
from app.shell.main_window import MainWindow
from app.shell.start import prepare
from engine.viewing.presenting import RASTER, SURFACE
from tests.app.conftest import make_image
from tests.app.fakes import FakeExecutor

LEFT, NONE = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
PATIENCE_MS = 20_000
BLENDED = 16
"""Of 255: so far letters that are half transparent may be off."""


def wait(milliseconds: int) -> None:
    loop = QEventLoop()
    QTimer.singleShot(milliseconds, loop.quit)
    loop.exec()


def until(true: Callable[[], bool]) -> bool:
    """Whether it came true in time."""
    for _ in range(PATIENCE_MS // 20):
        if true():
            return True
        wait(20)
    return False


class Use:
    """The window and what it is put through."""

    def __init__(self, window: MainWindow) -> None:
        self.window, self.canvas = window, window.canvas

    @property
    def screen(self) -> Any:
        return self.canvas._presenter._screen  # type: ignore[union-attr]

    @property
    def draws(self) -> bool:
        """Whether the GPU does."""
        return isinstance(self.canvas._presenter, SurfacePresenter)

    def seen(self) -> np.ndarray:
        """The canvas as the X server has it."""
        corner = self.canvas.mapToGlobal(QPoint(0, 0))
        size = self.canvas.size()
        shown = QGuiApplication.primaryScreen().grabWindow(0, corner.x(), corner.y(), size.width(), size.height())
        return rgb(shown.toImage())

    def same(self) -> bool:
        """Whether the screen shows what Qt would paint, once it has settled."""
        return until(lambda: self.apart() == 0)

    def pan(self) -> list[float]:
        before = self.canvas.viewport
        window = self.screen.windowHandle()
        QTest.mousePress(window, LEFT, NONE, QPoint(100, 120))
        QTest.mouseMove(window, QPoint(130, 140))
        QTest.mouseRelease(window, LEFT, NONE, QPoint(130, 140))
        after = self.canvas.viewport
        assert before is not None and after is not None
        return [after.left - before.left, after.top - before.top]

    def hover(self) -> bool:
        positions: list[Any] = []
        self.canvas.hovered.connect(positions.append)
        QTest.mouseMove(self.screen.windowHandle(), QPoint(200, 200))
        here = self.canvas.viewport.pixel_at(200, 200)  # type: ignore[union-attr]
        return until(lambda: positions[-1:] == [here])

    def wheel(self) -> float:
        before = self.canvas.viewport.scale  # type: ignore[union-attr]
        QTest.wheelEvent(self.screen.windowHandle(), QPointF(200, 200), QPoint(0, 120))
        until(lambda: self.canvas.viewport.scale != before)  # type: ignore[union-attr]
        return float(self.canvas.viewport.scale / before)  # type: ignore[union-attr]

    def pin(self) -> list[int]:
        """Pins, and how far their letters are off: Qt blends letters otherwise where it knows what lies beneath."""
        QTest.mouseClick(self.screen.windowHandle(), LEFT, Qt.KeyboardModifier.ControlModifier, QPoint(210, 190))
        until(lambda: bool(self.window.workspace.view.pins))
        until(lambda: self.apart() <= BLENDED)
        found = [len(self.window.workspace.view.pins), self.apart()]
        self.window.workspace.set_view(pins=())
        return found

    def apart(self) -> int:
        """How far the screen is off what Qt would paint."""
        return int(abs(self.seen().astype(int) - rgb(self.canvas.grab().toImage())).max())

    def bar(self) -> bool:
        """Whether the quiet bar lies over the image."""
        self.window.workspace.messages.warn("what is wrong and what to do")
        box = self.window.bar.geometry().adjusted(6, 6, -6, -6)
        there = until(lambda: bool((self.cut(box) == rgb(self.window.bar.grab().toImage())[6:-6, 6:-6]).all()))
        self.window.bar.hide()
        return there and self.same()

    def chips(self) -> bool:
        """Whether chips lie over the image, and nothing between them."""
        self.window.workspace.set_view(channel="red", exposure=0.5)
        there = until(lambda: len(self.window.chips.frames) == 2) and self.same()
        self.window.workspace.set_view(channel="", exposure=0.0)
        return there and self.same()

    def cut(self, box: Any) -> np.ndarray:
        return self.seen()[box.top() : box.bottom() + 1, box.left() : box.right() + 1]

    def resized(self) -> bool:
        for step in range(6):
            self.window.resize(1100 - 10 * step, 700 + 5 * step)
            wait(15)
        return self.same()

    def by_qt_and_back(self) -> list[bool]:
        presenting = self.window.workspace.presenting
        presenting.set_preference(RASTER)
        steps = [not self.draws and self.same()]
        presenting.set_preference(SURFACE)
        return [*steps, until(lambda: self.draws) and self.same()]

    def lose(self) -> list[bool]:
        """The device goes: Qt paints, and says so."""
        self.canvas._presenter._composer.primitives._device.destroy()  # type: ignore[union-attr]
        self.canvas.redraw()
        steps = [until(lambda: not self.draws), "is lost" in self.window.workspace.presenting.line]
        return [*steps, until(lambda: not isinstance(self.canvas.scene.frame, DeviceFrame)) and self.same()]

    def close_image(self) -> bool:
        """The window teaches again."""
        self.window.workspace.open_documents.close(self.window.document)
        return until(lambda: self.window.empty.isVisible()) and self.screen.isHidden() and self.same()


def rgb(image: QImage) -> np.ndarray:
    plain = image.convertToFormat(QImage.Format.Format_RGB32)
    return bytes_of(plain)[..., 2::-1].copy()


def main() -> int:
    app = QApplication([])
    prepare(app)
    services = Services(read_image=make_image, create_executor=lambda *_: FakeExecutor(), backends=list)
    window = MainWindow(services=services)
    use, found = Use(window), dict[str, Any]()
    window.workspace.presenting.set_preference(SURFACE)
    window.resize(1100, 700)
    window.move(0, 0)
    window.show()
    window.files.open_image(Path(sys.argv[1]))
    found["draws"] = until(lambda: use.draws)
    found["line"] = window.workspace.presenting.line
    window.workspace.stage.refresh()
    if found["draws"]:
        found["on_device"] = until(lambda: isinstance(use.canvas.scene.frame, DeviceFrame))
        for name in ("same", "pan", "hover", "wheel", "same", "pin", "bar", "chips", "resized", "by_qt_and_back"):
            found[name] = getattr(use, name)()
        found["docks"] = any(dock.internalWinId() for dock in window.docks.docks.values())
        found["close_image"] = use.close_image()
        window.files.open_image(Path(sys.argv[1]))
        found["again"] = until(lambda: use.canvas.has_frame) and use.same()
        found["lose"] = use.lose()
    window.document.mark_saved(window.document.grade, Path("unused.json"))
    window.close()
    print(json.dumps(found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
