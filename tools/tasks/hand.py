"""A hand on a window: every click, drag and key is an event of Qt, and counted as a step."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QKeySequence, QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from app.shell.main_window import MainWindow

W = TypeVar("W", bound=QWidget)
LEFT, NONE = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier
LIMIT, LONGEST = 60.0, 8
"""The longest wait, in seconds, and the longest jump of a drag, in pixels."""
EVERY_WAY = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, -1), (1, -1), (-1, 1))


class Hand:
    """Works in a window of 1280 x 720. What `prepare` does before a task is not counted."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.steps: list[str] = []
        self.open_window()

    def open_window(self) -> None:
        """Open a window with the settings of the folder."""
        self.window = MainWindow("cpu", folder=self.folder / "settings")
        self.workspace: Any = self.window.workspace
        self.window.show()
        self.window.activateWindow()
        self.settle()

    @property
    def document(self) -> Any:
        """The current document."""
        return self.workspace.document

    def open(self, *images: Path) -> None:
        """Open images and wait for the last one; not a step."""
        for image in images:
            self.workspace.files.open_image(image)
            self.until(partial(self._shows, image))
        self.until(lambda: self.window.canvas.has_frame and self.window.panel.complete)
        self.settle()
        self.window.canvas.setFocus()

    def settle(self, seconds: float = 0.15) -> None:
        """Let the window work."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            QApplication.processEvents()
            time.sleep(0.002)

    def until(self, reached: Callable[[], object]) -> None:
        """Let the window work until something is so."""
        end = time.monotonic() + LIMIT
        while not reached():
            if time.monotonic() > end:
                raise TimeoutError(f"the window did not answer; steps so far: {', '.join(self.steps)}")
            self.settle(0.02)

    def finish(self) -> None:
        """Close the window without asking."""
        for document in self.workspace.documents:
            document.mark_saved(document.grade, None)
        self.workspace.exports.cancel()
        self.window.close()

    def begin(self) -> None:
        """Begin to count."""
        self.settle(0.3)
        self.steps.clear()

    # -- steps

    def key(self, *keys: str) -> None:
        """Press keys, such as "Ctrl+E", with the focus where it is."""
        for key in keys:
            self.steps.append(key)
            combined = QKeySequence(key)[0]  # type: ignore[index]
            QTest.keyClick(self._focus(), combined.key(), combined.keyboardModifiers())
            self.settle()

    def write(self, text: str) -> None:
        """Type text; each character is a key."""
        self.steps += text
        for character in text:
            QTest.keyClicks(self._focus(), character)
            self.settle(0.03)
        self.settle()

    def click(self, widget: QWidget, place: QPoint | None = None, what: str = "") -> None:
        """Click a control that is on the screen."""
        assert widget.isVisible(), f"{what or widget.accessibleName()} is not on the screen"
        assert widget.isEnabled(), f"{what or widget.accessibleName()} is disabled"
        self.steps.append(f"click {what or widget.accessibleName() or type(widget).__name__}")
        QTest.mouseClick(widget, LEFT, NONE, place or widget.rect().center())
        self.settle()

    def drag_to(self, widget: QWidget, start: QPoint, error: Callable[[], float], tolerance: float) -> None:
        """Drag until an error is within a tolerance, if need be once more with Shift."""
        for fine in (False, True):
            if error() > tolerance:
                self.drag(widget, start, error, fine)
        assert error() <= tolerance, f"{widget.accessibleName()} is off by {error():.4g}"

    def drag(self, widget: QWidget, start: QPoint, error: Callable[[], float], fine: bool = False) -> None:
        """Drag from a point to where the error is least: by pixels, and over places where nothing moves."""
        assert widget.isVisible(), f"{widget.accessibleName()} is not on the screen"
        self.steps.append(f"{'fine ' if fine else ''}drag {widget.accessibleName() or type(widget).__name__}")
        modifier = SHIFT if fine else NONE
        QTest.mousePress(widget, LEFT, modifier, start)
        here, best = start, error()
        reach = 1
        while reach <= LONGEST:
            tried = []
            for way in EVERY_WAY:
                there = here + QPoint(reach * way[0], reach * way[1])
                self._move(widget, there, modifier)
                tried.append((error(), there))
                self._move(widget, here, modifier)
            least, place = min(tried, key=lambda each: each[0])
            if least < best:
                best, here, reach = least, place, 1
                self._move(widget, here, modifier)
            else:
                reach *= 2
        QTest.mouseRelease(widget, LEFT, modifier, here)
        self.settle()

    def dialog(self, kind: type[W]) -> W:
        """Return the dialog of a kind that is open, active as a window manager makes it; Xvfb has none."""
        found: list[Any] = []

        def appeared() -> bool:
            found[:] = [e for e in QApplication.topLevelWidgets() if isinstance(e, kind) and e.isVisible()]
            return bool(found)

        self.until(appeared)
        dialog: W = found[0]
        if not dialog.isActiveWindow():
            dialog.activateWindow()
            self.until(dialog.isActiveWindow)
        return dialog

    def _shows(self, image: Path) -> bool:
        return self.document.image_path == image and self.document.image is not None

    def _focus(self) -> QWidget:
        """Return the widget that gets the keys: in the open popup, else in the active window."""
        popup = QApplication.activePopupWidget()
        if popup is not None:
            return popup.focusWidget() or popup
        if QApplication.activeWindow() is None:
            self.window.activateWindow()
            self.settle()
        return QApplication.focusWidget() or self.window

    def _move(self, widget: QWidget, place: QPoint, modifier: Qt.KeyboardModifier) -> None:
        where = QPointF(widget.mapToGlobal(place))
        event = QMouseEvent(QEvent.Type.MouseMove, QPointF(place), where, Qt.MouseButton.NoButton, LEFT, modifier)
        QApplication.sendEvent(widget, event)
