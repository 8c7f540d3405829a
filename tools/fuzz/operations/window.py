"""What the window does with its settings when it starts. It needs no display."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

from PySide6.QtCore import qInstallMessageHandler
from PySide6.QtWidgets import QApplication

from app.services.jobs import Jobs
from app.services.settings import FILE, Settings
from tools.fuzz.kind import Harm, Task

SHOWN_SECONDS = 0.05
DEFAULTS: tuple[Any, ...] = ("", "auto", [], {}, 24.0, True, 1 << 30)
OF_PLATFORM = ("propagateSizeHints", "This plugin does not support")
"""Words of what Qt says of a platform without windows."""


def _folder(task: Task) -> Path:
    """A folder of settings that holds the input."""
    folder = task.folder("config")
    (folder / FILE).write_bytes(task.data)
    return folder


def read_settings(task: Task) -> None:
    """Read the settings, and each value as any type."""
    jobs = Jobs()
    settings = Settings(_folder(task), jobs)
    for name in ("backend", "keys", "recent", "export_presets", "playback_rate", "memory_budget", "layout"):
        for default in DEFAULTS:
            if type(settings.get(name, default)) is not type(default):
                raise Harm(f"a setting is of another type than its default: {type(default).__name__}")
    jobs.close()


def open_window(task: Task) -> None:
    """Start the window with these settings, show its dialogs and panels, and close it."""
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    said = list[str]()
    before = qInstallMessageHandler(lambda _kind, _context, text: said.append(text))
    try:
        application = QApplication.instance() or QApplication(["tessera"])
        _shown(application, _folder(task))
    finally:
        qInstallMessageHandler(before)
        os.environ.pop("QT_QPA_PLATFORM")
    if strange := [text for text in said if not any(words in text for words in OF_PLATFORM)]:
        raise Harm(f"Qt complains: {strange[0][:60]}")


def _shown(application: Any, folder: Path) -> None:
    from app.shell.main_window import MainWindow
    from app.shell.start import prepare

    prepare(application)
    window = MainWindow("cpu", 1, folder=folder)
    try:
        window.show()
        for name in window.docks.docks:
            window.docks.show(name)
        _spin(application)
        for name in ("export", "preferences"):
            window.workspace.actions[name].trigger()
            _spin(application)
    finally:
        window.close()
        _spin(application)
        window.deleteLater()
        _spin(application)


def _spin(application: Any) -> None:
    until = time.monotonic() + SHOWN_SECONDS
    while time.monotonic() < until:
        application.processEvents()
        time.sleep(0.002)
