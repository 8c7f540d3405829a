"""An application and a window as `tessera IMAGE` makes them, and its start up to the first graded image.

As a script, `start.py IMAGE GRADE [SECONDS]`, this is the process that `tests.benchmarks.window` starts: it imports
nothing else. It stays so many seconds longer, as what a first run keeps for later ones is kept after the image.
"""

from __future__ import annotations

import faulthandler
import sys
import time
from pathlib import Path
from typing import Any

PAINTED = "painted"
LIMIT = 60.0
"""Seconds after which a start that hangs ends, with the stacks of its threads."""


def make_application() -> Any:
    """An application as `run` makes it."""
    from app.shell.loading import prepare_process

    prepare_process()
    from PySide6.QtWidgets import QApplication

    from app.shell.start import prepare

    app = QApplication(sys.argv[:1])
    prepare(app)
    return app


def make_window(image: Path, grade: Path, backend: str = "auto", ahead: Any = None) -> Any:
    """The window as `run` makes it, with a grade."""
    from app.shell.start import open_window
    from engine import load_grade

    window = open_window(image, backend, ahead=ahead)
    window.document.open_grade(load_grade(grade), grade)
    window.resize(1280, 720)
    return window


def start_once(image: Path, grade: Path, stays: float = 0.0) -> None:
    """Show the image, say so, end after some more seconds. The loop waits for events, as that of `run` does."""
    from app.shell.loading import prepare_process

    faulthandler.dump_traceback_later(LIMIT, exit=True)
    prepare_process()
    from app.services.read_ahead import ReadAhead

    ahead = ReadAhead(image)
    app = make_application()
    window = make_window(image, grade, ahead=ahead)
    from PySide6.QtCore import QEventLoop

    while not window.canvas.has_frame:
        app.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)
    window.canvas.repaint()
    print(PAINTED, flush=True)
    until = time.monotonic() + stays
    while time.monotonic() < until:
        app.processEvents()
        time.sleep(0.001)
    window.close()


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
    start_once(Path(sys.argv[1]), Path(sys.argv[2]), float(*sys.argv[3:]))
