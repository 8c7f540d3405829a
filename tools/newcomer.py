"""The steps of a new user from a clone to the first graded and exported EXR, in commands and clicks.

    python -m tools.newcomer            the clicks, in the window that `make run` opens
    python -m tools.newcomer --clone    before that the commands: git clone, and what make sets up

Clicks are mouse events sent to the controls of the window. The times are those of the machine alone; there are no
pauses for a hand. Runs under Xvfb where there is no display. With --clone, packages are downloaded unless pip has them
in its cache, and no kernel has been compiled before.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from tools.xvfb import on_screen

ROOT = Path(__file__).resolve().parents[1]
LIMIT = 120.0


def main() -> None:
    asked = arguments()
    if asked.window:
        grade_and_export(Path(asked.window), asked.since)
        os._exit(0)  # threads that still compile are not waited for
    with tempfile.TemporaryDirectory(prefix="tessera-newcomer-") as folder:
        home = ROOT
        if asked.clone:
            home = Path(folder) / "tessera"
            run_command("git clone URL tessera", ["git", "clone", "--quiet", str(ROOT), str(home)], Path(folder))
            run_command("make run: setting up", ["make", ".venv/.ready"], home)
        sample = Path(folder) / "sample.exr"
        shutil.copy(home / "resources" / "sample.exr", sample)
        words = [str(home / ".venv" / "bin" / "python"), "-m", "tools.newcomer", "--window", str(sample)]
        environment = dict(os.environ) | ({"TESSERA_CACHE": f"{folder}/cache"} if asked.clone else {})
        words = on_screen(words, "1280x720")
        subprocess.run([*words, "--since", str(time.time())], cwd=home, env=environment, check=True)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Time the steps of a new user to the first graded EXR.")
    parser.add_argument("--clone", action="store_true", help="from a clone of this repository")
    parser.add_argument("--window", default="", help=argparse.SUPPRESS)
    parser.add_argument("--since", type=float, default=0.0, help=argparse.SUPPRESS)
    return parser.parse_args()


def run_command(name: str, words: list[str], folder: Path) -> None:
    start = time.time()
    subprocess.run(words, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    tell(f"$ {name}", time.time() - start)


def tell(step: str, seconds: float) -> None:
    print(f"{step:<64} {seconds:6.1f} s", flush=True)


def grade_and_export(image: Path, since: float) -> None:
    """Open the window as `run` does, grade and export the sample, and print the time of each step."""
    hand = Hand(image)
    tell("$ make run: the window, and the sample in it as it is shown", time.time() - since)
    wheel = hand.window.panel.cards[1].editors["slope"].wheel
    hand.drag(wheel, 12, -9)
    hand.until(lambda: hand.exact is hand.window.document.grade)
    hand.say("drag the dot of the slope wheel: the image is graded")
    toolbar = hand.window.toolbar
    hand.click(toolbar.widgetForAction(hand.window.actions_by_name["export"]))
    hand.until(lambda: hand.window.export_dialog is not None)
    hand.say("click Export in the tool bar: the dialog, its fields filled")
    assert hand.window.export_dialog is not None
    hand.click(hand.window.export_dialog.buttons.export)
    exports = hand.window.workspace.exports.exports
    hand.until(lambda: exports and exports[0].over)
    hand.say(f"click Export in the dialog: {exports[0].line}")
    written = image.with_name("sample_graded.exr")
    print(f"{hand.clicks} clicks and {hand.drags} drag; {written.name} has {written.stat().st_size / 1e6:.1f} MB")


class Hand:
    """A mouse on a window that shows an image."""

    def __init__(self, image: Path) -> None:
        from PySide6.QtWidgets import QApplication

        from app.shell.main_window import MainWindow
        from app.shell.start import prepare

        self.app: Any = QApplication(sys.argv[:1])
        prepare(self.app)
        self.window = MainWindow()
        self.window.workspace.preview.frame.connect(self._see)
        self.exact: Any = None
        self.clicks = self.drags = 0
        self._begun = time.time()
        self.window.show()
        self.window.files.open_image(image)
        self.until(lambda: self.exact is not None and self.window.panel.complete)

    def until(self, reached: Any) -> None:
        """Process events until a condition holds."""
        end = time.monotonic() + LIMIT
        while not reached():
            if time.monotonic() > end:
                raise SystemExit("the window did not answer in time")
            self.app.processEvents()
            time.sleep(0.001)

    def say(self, step: str) -> None:
        """Print what was done since the last click, and its time."""
        tell(f"  {step}", time.time() - self._begun)

    def click(self, widget: Any) -> None:
        self.clicks += 1
        self._mouse(widget, [(0, 0)])

    def drag(self, widget: Any, dx: int, dy: int) -> None:
        self.drags += 1
        self._mouse(widget, [(dx * n // 8, dy * n // 8) for n in range(9)])

    def _mouse(self, widget: Any, way: list[tuple[int, int]]) -> None:
        """Press in the middle of a control, go a way, release: events of its window, which finds out who gets them."""
        from PySide6.QtCore import QPoint, Qt
        from PySide6.QtTest import QTest

        self._begun = time.time()
        top = widget.window()
        start = widget.mapTo(top, widget.rect().center())
        left, none = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
        QTest.mouseMove(top.windowHandle(), start)
        QTest.mousePress(top.windowHandle(), left, none, start)
        for dx, dy in way[1:]:
            QTest.mouseMove(top.windowHandle(), start + QPoint(dx, dy), 10)
        QTest.mouseRelease(top.windowHandle(), left, none, start + QPoint(*way[-1]))

    def _see(self, _image: object, request: Any) -> None:
        self.exact = request.grade if request.exact else None


if __name__ == "__main__":
    main()
