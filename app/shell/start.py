"""The start of the application: its settings for Qt, its window, and the exit status."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path

from PySide6.QtWidgets import QApplication

from app.services.engine_calls import Services
from app.services.read_ahead import ReadAhead
from app.services.threads import prepare_threads
from app.shell.main_window import MainWindow
from app.widgets import style
from app.widgets.qt_repairs import STYLE, has_style, keep_constants
from engine.core.user_folders import config_folder
from engine.viewing import levels_of

ENDING_SECONDS = 2.0
"""How long to wait for threads that still read after the window is closed."""


def prepare(app: QApplication) -> None:
    """Prepare an application for its first window."""
    keep_constants()
    prepare_threads()
    app.setApplicationName("Tessera")
    if not has_style():
        app.setStyle(STYLE)
    style.apply(app)


def open_window(
    image: Path | None,
    backend: str = "auto",
    threads: int = 0,
    ahead: ReadAhead | None = None,
    folder: Path | None = None,
) -> MainWindow:
    """Show the window; with an image, which `ahead` may be reading already, its panels follow once that is painted."""
    services = Services()
    if ahead is not None:
        services = replace(services, read_image=ahead.wrapping(services.read_image))
    window = MainWindow(backend, threads, services, folder)
    if image is not None:
        window.workspace.colour.hold_names()
        window.later.wait_for(window.canvas)
        if ahead is not None:
            ahead.then(lambda found: window.workspace.preview.expect(levels_of(found)))
        window.files.open_image(image)
    window.show()
    return window


def run(image: Path | None, backend: str = "auto", threads: int = 0, ahead: ReadAhead | None = None) -> int:
    """Show the window, with an image if one is given, until it is closed; return the exit status."""
    app = QApplication.instance() or QApplication(sys.argv[:1])
    assert isinstance(app, QApplication)
    prepare(app)
    window = open_window(image, backend, threads, ahead, config_folder())
    code = app.exec()
    for name in window.workspace.finish():
        print(f"tessera: {name}: could not be written: the disk does not respond; check it", file=sys.stderr)
        code = 1
    if not window.workspace.jobs.ended(ENDING_SECONDS):  # blocked by a disk that does not respond
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)  # a thread that returns while Python shuts down may crash
    return code
