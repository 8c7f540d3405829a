"""Frames of a stereo sequence: both eyes appear together."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import OpenEXR
import pytest

from app.services.engine_calls import Services
from app.shell.main_window import MainWindow
from engine.errors import UnreadableFile
from engine.io import read_image
from tests.app.conftest import end
from tests.app.fakes import FakeExecutor


class Disk:
    """Reads images; the left eye only while `open` is set, and not at all if `broken`."""

    def __init__(self) -> None:
        self.open, self.broken = threading.Event(), False
        self.open.set()

    def read(self, path: Path, part: int | None = None, layer: str | None = None) -> Any:
        if layer == "left":
            self.open.wait(60.0)
            if self.broken:
                raise UnreadableFile(path, "is damaged", "render it again")
        return read_image(path, part, layer)


@pytest.fixture
def disk() -> Disk:
    return Disk()


@pytest.fixture
def window(tmp_path: Path, disk: Disk, qtbot: Any) -> Iterator[MainWindow]:
    """The first of three frames with two views, side by side."""
    for frame in range(1001, 1004):
        planes = {name: np.full((8, 12), frame - 1000, np.float16) for name in ("R", "G", "B")}
        planes |= {f"left.{name}": plane + np.float16(0.5) for name, plane in planes.items()}
        header = {"compression": OpenEXR.ZIP_COMPRESSION, "multiView": ["right", "left"]}
        OpenEXR.File(header, planes).write(str(tmp_path / f"eyes.{frame}.exr"))
    executor = FakeExecutor()
    shown = MainWindow(services=Services(read_image=disk.read, create_executor=lambda _name, _threads: executor))
    qtbot.addWidget(shown)
    shown.show()
    shown.files.open_image(tmp_path / "eyes.1001.exr")
    qtbot.waitUntil(lambda: shown.canvas.has_frame and shown.workspace.player.clip is not None)
    shown.actions_by_name["eyes_side_by_side"].trigger()
    qtbot.waitUntil(lambda: shows_both(shown))
    yield shown
    disk.open.set()
    end(shown)


def shows_both(window: MainWindow) -> bool:
    request = window.workspace.stage.shown_request
    return request is not None and request.view.comparison is not None


def test_both_eyes_stay_until_both_of_the_next_frame_are_read(window: MainWindow, disk: Disk, qtbot: Any):
    both: list[bool] = []
    window.preview.frame.connect(lambda _frame, request: both.append(request.view.comparison is not None))
    disk.open.clear()
    window.workspace.player.go(1002)
    qtbot.waitUntil(lambda: window.document.name == "eyes.1002.exr")
    qtbot.wait(60)
    assert both == []
    disk.open.set()
    qtbot.waitUntil(lambda: shows_both(window))
    assert all(both)


def test_one_eye_is_shown_if_the_other_can_not_be_read(window: MainWindow, disk: Disk, qtbot: Any):
    disk.broken = True
    window.workspace.player.go(1002)
    qtbot.waitUntil(lambda: window.workspace.stage.shown_request is not None and not shows_both(window))
    assert "eyes.1002.exr" in window.bar.text
