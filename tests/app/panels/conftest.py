"""A window with a grade of three entries, shared by the tests of grading."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication

from app.services.engine_calls import Services
from app.shell.main_window import MainWindow
from engine import Grade, ops
from tests.app.conftest import begin_with, end, make_image
from tests.app.fakes import FakeExecutor
from tests.app.panels.acting import THREE
from tests.app.panels.keyed import go


@pytest.fixture(scope="module")
def shared(qapp: Any) -> Iterator[MainWindow]:
    """A window for all the tests that need no image."""
    shown = MainWindow(services=Services(create_executor=lambda _name, _threads: FakeExecutor()))
    shown.show()
    yield shown
    end(shown)


@pytest.fixture
def graded(shared: MainWindow, qtbot: Any) -> Iterator[MainWindow]:
    """A window with three entries, as if it were new."""
    shared.workspace.settings.set("wheels", True)
    shared.workspace.open_documents.new()
    for document in shared.workspace.documents[:-1]:
        shared.workspace.open_documents.close(document)
    begin_with(shared.document, THREE)
    shared.panel.select(-1)
    shared.bar.hide()
    shared.docks.show("grade")
    shared.activateWindow()
    qtbot.waitUntil(shared.isActiveWindow)
    QApplication.processEvents()
    yield shared
    QGuiApplication.clipboard().clear()


@pytest.fixture
def shot(window: MainWindow, tmp_path: Path, qtbot: Any) -> MainWindow:
    """A window that shows frame 3 of a sequence without 4."""
    for frame in (1, 2, 3, 5, 6):
        (tmp_path / f"s.{frame:04}.exr").touch()
    window.files.open_image(tmp_path / "s.0003.exr")
    qtbot.waitUntil(lambda: window.workspace.player.clip is not None and window.canvas.has_frame)
    return window


@pytest.fixture(scope="module")
def sequence(qapp: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[MainWindow]:
    """A window for all tests of a module that shows a sequence from 1 to 6, without 4."""
    folder = tmp_path_factory.mktemp("sequence")
    for frame in (1, 2, 3, 5, 6):
        (folder / f"s.{frame:04}.exr").touch()
    services = Services(read_image=make_image, create_executor=lambda _name, _threads: FakeExecutor(), backends=list)
    window = MainWindow(services=services)
    window.show()
    window.files.open_image(folder / "s.0003.exr")
    yield window
    end(window)


@pytest.fixture
def keyed(sequence: MainWindow, qtbot: Any) -> Iterator[MainWindow]:
    """That window at frame 3."""
    qtbot.waitUntil(lambda: sequence.workspace.player.clip is not None and sequence.canvas.has_frame)
    sequence.activateWindow()
    sequence.docks.show("grade")
    go(sequence, 3, qtbot)
    yield sequence
    QGuiApplication.clipboard().clear()


@pytest.fixture
def halved(opened: MainWindow) -> MainWindow:
    """A ramp under a grade that halves it."""
    opened.document.open_grade(Grade([ops.Exposure(-1.0)]), None)
    return opened
