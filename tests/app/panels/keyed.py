"""What tests of keys over the frames share."""

from __future__ import annotations

from typing import Any

from PySide6.QtWidgets import QApplication

import engine
from app.shell.main_window import MainWindow
from engine import Grade
from engine.grade.curves import Curve, Key
from engine.grade.keys import keys_of
from tests.app.conftest import begin_with

Layer: Any = engine.Layer  # keys are also given as dictionaries
RISE = Curve([Key(1, 0.0, "linear"), Key(5, 1.0, "linear")])


def go(window: MainWindow, frame: int, qtbot: Any) -> None:
    window.workspace.player.go(frame)
    qtbot.waitUntil(lambda: window.document.frame == frame)


def begin(window: MainWindow, *entries: Any) -> None:
    begin_with(window.document, Grade(entries))
    while not window.panel.complete:
        QApplication.processEvents()


def curves(window: MainWindow, at: int = 0) -> dict[str, Curve]:
    return dict(keys_of(window.document.entries[at]))
