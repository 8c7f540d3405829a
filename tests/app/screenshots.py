"""Screenshots of the window's states, to be looked at.

    python -m tests.app.screenshots DIR [--only WORD ...] [--size 1280x720 1920x1080 3840x2160@2] [--platform xcb]

Each size is a process of its own with the real engine, under Xvfb where there is no display (`--platform offscreen`
does without any), and leaves DIR/SIZE/STATE.png. The states are those of `tests.app.screenshot_states`, in their order;
a size with an @ has that scale, as on a screen of high density. What is shown is made here and always the same, but
for the folders and the times of exports.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
SIZES = ("1280x720", "1920x1080", "3840x2160@2")
QUIET, LIMIT = 0.5, 120.0
"""Seconds without news after which a state is taken to stand still, and the most that are waited for."""


def main() -> None:
    asked = arguments()
    if asked.child:
        take_all(Path(asked.folder), asked.size[0], asked.only)
        os._exit(0)  # threads that still compile are not waited for
    for size in asked.size:
        start(asked, size)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Screenshots of the window's states.")
    parser.add_argument("folder", metavar="DIR")
    parser.add_argument("--only", nargs="+", default=[], help="the states whose names have one of these words")
    parser.add_argument("--size", nargs="+", default=list(SIZES), help="WIDTHxHEIGHT in device pixels, and @SCALE")
    parser.add_argument("--platform", default="xcb", choices=("xcb", "offscreen"))
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args()


def start(asked: argparse.Namespace, size: str) -> None:
    """A process for one size."""
    area, _, scale = size.partition("@")
    words = [sys.executable, "-m", "tests.app.screenshots", asked.folder, "--child", "--size", size]
    words += ["--only", *asked.only] if asked.only else []
    platform = asked.platform if shutil.which("xvfb-run") else "offscreen"
    if platform == "xcb":
        words = ["xvfb-run", "-a", "-s", f"-screen 0 {area}x24", *words]
    environment = os.environ | {"QT_QPA_PLATFORM": platform, "QT_SCALE_FACTOR": scale or "1"}
    if subprocess.run(words, cwd=ROOT, env=environment, check=False).returncode:
        raise SystemExit(f"{size}: the window did not end well")


def take_all(folder: Path, size: str, only: list[str]) -> None:
    from tests.app.screenshot_states import STATES

    shots = folder / size
    shots.mkdir(parents=True, exist_ok=True)
    for name, state in STATES.items():
        if only and not any(word in name for word in only):
            continue
        with tempfile.TemporaryDirectory(prefix="tessera-shots-", ignore_cleanup_errors=True) as made:
            shown = Shown(size, Path(made))
            state(shown)
            shown.wait()
            image = shown.grab()
            image.save(str(shots / f"{name}.png"))
            shown.close()
            print(shots / f"{name}.png", flush=True)


class Shown:
    """A window of one size, with what a state needs to be made: `folder` is empty, and gone afterwards."""

    def __init__(self, size: str, folder: Path) -> None:
        from PySide6.QtWidgets import QApplication

        from app.shell.main_window import MainWindow, prepare

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
        self.until(lambda: self._still())

    def open(self, *images: Path) -> None:
        """Open images, a tab each, and wait for the last one."""
        for image in images:
            self.workspace.files.open_image(image)
            self.wait()

    def do(self, name: str) -> None:
        """Give a command, or show a panel by the name `panel_...`."""
        self.workspace.actions[name].trigger()
        self.spin(0.05)

    def grab(self) -> Any:
        """What is on the screen: the window, and whatever lies over it."""
        from PySide6.QtGui import QPainter
        from PySide6.QtWidgets import QApplication

        window = self.window
        if QApplication.platformName() == "xcb":
            return window.screen().grabWindow(0)
        image = window.grab()
        painter = QPainter(image)
        for other in QApplication.topLevelWidgets():
            if other is not window and other.isVisible():
                painter.drawPixmap(window.mapFromGlobal(other.pos()), other.grab())
        painter.end()
        return image

    def close(self) -> None:
        from PySide6.QtWidgets import QApplication

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


if __name__ == "__main__":
    main()
