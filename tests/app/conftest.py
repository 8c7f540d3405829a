"""A window with a NumPy executor, and images made here; no display is needed."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication

if not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from app.model.document import Document
from app.model.document_state import Saved, Step
from app.model.versions import Versions
from app.services import event_loop
from app.services.engine_calls import Services
from app.services.event_loop import BUSY_SECONDS, turn_queue
from app.services.memory import collect_young, stop_collecting
from app.shell.main_window import MainWindow
from app.shell.preferences import Preferences
from app.widgets.qt_repairs import keep_constants
from engine import Grade, ops
from engine.errors import UnreadableFile
from engine.io.info import ChannelInfo, ImageInfo, LayerInfo, PartInfo
from engine.io.source import Image
from tests.app.fakes import FakeExecutor

keep_constants()

WIDTH, HEIGHT = 192, 108
PATIENCE_MS = 30_000
"""So long a busy machine may take; what is there ends the wait at once."""


@pytest.fixture(autouse=True)
def _only_this_thread_collects() -> Iterator[None]:
    """Collect no garbage during a test, as long as it does not itself, and what the test left after it."""
    stop_collecting()
    yield
    collect_young()


@pytest.fixture
def uncollected(monkeypatch: pytest.MonkeyPatch) -> None:
    """No garbage is collected at all, by the window either, which begins to once it is complete."""
    for name in ("collect_young", "collect_old"):
        monkeypatch.setattr(f"app.shell.collector.{name}", lambda: None)


@pytest.fixture(autouse=True)
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """No turn of the event loop counts as busy, however slow the machine is; `busy_turns` undoes that."""
    monkeypatch.setattr(event_loop, "BUSY_SECONDS", math.inf)


@pytest.fixture
def busy_turns(unhurried: None, qapp: QApplication, monkeypatch: pytest.MonkeyPatch) -> None:
    """Turns of the event loop count as busy after the usual time, and so does the time before the first one."""
    turn_queue()  # watches turns from now on, whichever test is the first of a process
    monkeypatch.setattr(event_loop, "BUSY_SECONDS", BUSY_SECONDS)


@pytest.fixture
def qtbot(qtbot: Any) -> Any:
    """That of the plugin, which would give up after five seconds."""
    for name in ("waitUntil", "waitSignal", "waitExposed"):
        setattr(qtbot, name, partial(getattr(qtbot, name), timeout=PATIENCE_MS))
    return qtbot


def make_image(path: Path, part: int | None = None, layer: str | None = None) -> Image:
    """A ramp with alpha, and a `diffuse` layer; two parts if the name begins with `parts`, else one."""
    if not path.exists():
        raise UnreadableFile(path, "does not exist", "check the name")
    names = ("R", "G", "B", "A", "diffuse.R", "diffuse.G", "diffuse.B")
    box = (10, 20, 10 + WIDTH - 1, 20 + HEIGHT - 1)
    count = 2 if path.name.startswith("parts") else 1
    channels = tuple(ChannelInfo(name, "half") for name in names)
    parts = tuple(PartInfo(n, f"p{n}", "scanline", channels, box, box, compression="zip") for n in range(count))
    chosen = parts[part or 0]
    layers: dict[str | None, LayerInfo] = {entry.name: entry for entry in chosen.layers}
    x, y = np.meshgrid(np.linspace(0, 1, WIDTH), np.linspace(0, 1, HEIGHT))
    pixels = np.stack([x, y, np.full_like(x, 0.25 * (1 + chosen.index)), np.full_like(x, 0.5)], -1)
    return Image(pixels.astype(np.float16), ImageInfo(path, "openexr", parts), chosen, layers[layer or ""])


@pytest.fixture
def executor() -> FakeExecutor:
    return FakeExecutor()


@pytest.fixture
def window(qtbot: Any, executor: FakeExecutor) -> Iterator[MainWindow]:
    """An empty window on the screen."""
    shown = MainWindow(
        services=Services(read_image=make_image, create_executor=lambda _name, _threads: executor, backends=list)
    )
    qtbot.addWidget(shown)
    shown.show()
    qtbot.waitExposed(shown)
    shown.activateWindow()
    yield shown
    end(shown)


@pytest.fixture
def image_file(tmp_path: Path) -> Path:
    path = tmp_path / "ramp.exr"
    path.write_bytes(b"made by the fake reader")
    return path


@pytest.fixture
def opened(window: MainWindow, image_file: Path, qtbot: Any) -> MainWindow:
    """A window that shows an image."""
    window.files.open_image(image_file)
    qtbot.waitUntil(lambda: window.canvas.has_frame)
    return window


@pytest.fixture
def cube(tmp_path: Path) -> Path:
    """A 2-point 3D LUT that halves."""
    return write_cube(tmp_path / "half.cube", 0.5)


def write_cube(path: Path, gain: float) -> Path:
    corners = [(r * gain, g * gain, b * gain) for b in (0, 1) for g in (0, 1) for r in (0, 1)]
    path.write_text("LUT_3D_SIZE 2\n" + "".join(f"{r} {g} {b}\n" for r, g, b in corners))
    return path


def image(folder: Path, name: str) -> Path:
    path = folder / name
    path.write_bytes(b"made by the fake reader")
    return path


def window_in(folder: Path) -> MainWindow:
    services = Services(read_image=make_image, create_executor=lambda _name, _threads: FakeExecutor(), backends=list)
    window = MainWindow(services=services, folder=folder)
    window.show()
    return window


def begin_with(document: Document, grade: Grade) -> None:
    """Give a document a grade that it was opened with: saved, and without a history."""
    kept = document.state
    document.restore(replace(kept, files={0: Saved(None, grade)}, steps=(Step(grade, ""),), at=0, versions=Versions()))


def preferences_of(window: MainWindow) -> Preferences:
    """The preferences of a window, not shown."""
    ws = window.workspace
    ws.colour.request_names()
    services = ws.services.backends, ws.settings, ws.jobs
    return Preferences(ws.preview, ws.presenting, lambda: ws.colour.names, *services, ws.actions, window)


def end(window: MainWindow) -> None:
    """Close a window, which would stay for what is not saved and exports that run; its threads end."""
    workspace = window.workspace
    for document in workspace.documents:
        document.mark_saved(document.grade, None)
    if workspace.session.path is not None:
        workspace.session.take(workspace.session.path, workspace.open_documents.session())
    workspace.exports.cancel()
    last = time.monotonic() + PATIENCE_MS / 1000
    while window.isVisible() and (workspace.exports.running or workspace.jobs.writes) and time.monotonic() < last:
        QApplication.processEvents()
        time.sleep(0.002)
    assert window.close()
    assert not workspace.finish(PATIENCE_MS / 1000)


@pytest.fixture
def kept(qtbot: Any, tmp_path: Path) -> Iterator[MainWindow]:
    """A window that remembers, with two images; the second has a grade and is shown from close by."""
    window = window_in(tmp_path / "config")
    qtbot.addWidget(window)
    window.files.open_image(image(tmp_path, "one.exr"))
    qtbot.waitUntil(lambda: window.canvas.has_frame)
    window.files.open_image(image(tmp_path, "two.exr"))
    qtbot.waitUntil(lambda: window.document.image is not None and len(window.workspace.documents) == 2)
    window.document.edit_entry(0, ops.Exposure(1.0), "exposure")
    window.document.edit_entry(0, ops.Exposure(2.0), "exposure again")
    window.canvas.actual_size()
    window.workspace.set_view(channel="red", exposure=0.5)
    yield window
    end(window)


def facts(window: MainWindow) -> list[Any]:
    """What a session must bring back, for each document."""
    found = []
    for document in window.workspace.documents:
        path = document.image_path.name if document.image_path else ""
        found.append((path, document.grade, document.steps, document.undo_text, document.view))
    return found


def looked_again(window: MainWindow, qtbot: Any) -> None:
    """Wait until all watched files have been looked at twice: a change is reported once a file has settled."""
    disk = window.workspace.disk
    with patch.object(disk, "_wait", wraps=disk._wait) as waits:
        qtbot.waitUntil(lambda: waits.call_count >= 3)
    QApplication.processEvents()
