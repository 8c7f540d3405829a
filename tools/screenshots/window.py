"""The window that screenshots are taken of."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from PySide6.QtGui import QPainter, QPixmap
from PySide6.QtWidgets import QApplication, QWidget

from app.shell.empty_state import SAMPLE
from app.shell.main_window import MainWindow
from app.shell.start import prepare
from engine.grade.entries import Entry

W = TypeVar("W", bound=QWidget)
QUIET, LIMIT = 0.5, 120.0
"""Seconds without news after which a state is taken to stand still, and the most that are waited for."""


class Shown:
    """A window of one size, with what a state needs to be made: `folder` is empty, and gone afterwards."""

    def __init__(self, size: str, folder: Path) -> None:
        self.folder = folder
        self.app: Any = QApplication.instance()
        if self.app is None:
            self.app = QApplication(sys.argv[:1])
            prepare(self.app)
        settings = folder / "settings"
        settings.mkdir()
        self.window = MainWindow("cpu", folder=settings)
        self.workspace = self.window.workspace
        self._news, self._busy, self._exact = time.monotonic(), False, True
        preview = self.workspace.preview
        for signal in (preview.scoped, preview.sampled, preview.marked, self.workspace.jobs.active_changed):
            signal.connect(self._note)
        preview.frame.connect(self._see)
        preview.status.connect(self._say)
        width, height = (int(side) for side in size.partition("@")[0].split("x"))
        ratio = self.window.devicePixelRatioF()
        self.window.move(0, 0)
        self.window.resize(round(width / ratio), round(height / ratio))
        self.window.show()
        self.window.activateWindow()
        self.spin(0.2)

    def spin(self, seconds: float) -> None:
        """Let the window work for so long."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.app.processEvents()
            time.sleep(0.002)

    def until(self, reached: Callable[[], bool]) -> None:
        """Let the window work until something is so."""
        end = time.monotonic() + LIMIT
        while not reached():
            if time.monotonic() > end:
                raise SystemExit("the window did not answer in time")
            self.spin(0.01)

    def wait(self) -> None:
        """Until nothing is on its way any more."""
        self._news = time.monotonic()
        self.until(self._still)

    def open(self, *images: Path) -> None:
        """Open images, a tab each, and wait for the last one."""
        for image in images:
            self.workspace.files.open_image(image)
            self.wait()

    def grade(self, *entries: Entry) -> None:
        """Open the sample with a grade of these entries, and wait for their cards."""
        self.open(SAMPLE)
        document = self.workspace.document
        document.edit(document.grade.with_entries(entries), "grade")
        self.until(lambda: self.window.panel.complete)
        self.wait()

    def do(self, name: str) -> None:
        """Give a command, or show a panel by the name `panel_...`."""
        self.workspace.actions[name].trigger()
        self.spin(0.05)

    def panel(self, name: str, kind: type[W]) -> W:
        """Show a panel, which is of this kind."""
        panel = self.workspace.show_panel(name)
        assert isinstance(panel, kind)
        return panel

    def dialog(self, kind: type[W]) -> W:
        """The dialog of this kind that is open."""
        return next(each for each in QApplication.topLevelWidgets() if isinstance(each, kind) and each.isVisible())

    def grab(self) -> QPixmap:
        """What is on the screen: the window, and whatever lies over it."""
        window = self.window
        if QApplication.platformName() == "xcb":
            return window.screen().grabWindow(0)
        image = window.grab()
        painter = QPainter(image)
        for other in sorted(QApplication.topLevelWidgets(), key=_depth):
            if other is not window and other.isVisible():
                painter.drawPixmap(window.mapFromGlobal(other.pos()), other.grab())
        painter.end()
        return image

    def close(self) -> None:
        for other in QApplication.topLevelWidgets():
            if other is not self.window:
                other.close()
        for document in self.workspace.documents:
            document.mark_saved(document.grade, document.grade_path)
        self.workspace.exports.cancel()
        self.until(lambda: not self.workspace.exports.running)
        self.window.close()
        self.window.deleteLater()
        self.spin(0.05)

    def _note(self, *_: object) -> None:
        self._news = time.monotonic()

    def _see(self, _image: object, request: Any) -> None:
        self._exact = request.exact
        self._note()

    def _say(self, status: str) -> None:
        self._busy = bool(status)
        self._note()

    def _still(self) -> bool:
        return (
            self._exact and not self._busy and self.workspace.jobs.active == 0 and time.monotonic() - self._news > QUIET
        )


def _depth(widget: QWidget) -> int:
    """Return the number of windows that a window belongs to: it lies over them."""
    parent = widget.parentWidget()
    return 0 if parent is None else 1 + _depth(parent.window())
