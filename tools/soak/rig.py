"""Real windows for a soak, which share a settings folder; their clock and their disk watcher obey the soak."""

from __future__ import annotations

import itertools
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import numpy as np
import OpenImageIO as oiio
from PySide6.QtCore import QCoreApplication, QEvent, QMessageLogContext, QtMsgType, qInstallMessageHandler
from PySide6.QtWidgets import QApplication, QDialog, QFileDialog, QInputDialog, QMessageBox

from app.services.disk import Disk
from app.services.engine_calls import Services
from app.services.event_loop import turn_queue
from app.services.jobs import Jobs
from app.shell.main_window import MainWindow
from app.widgets import style
from app.widgets.qt_repairs import keep_constants
from engine.core.file_watch import FileWatch
from tests.app.fakes import FakeExecutor
from tools.soak.answers import deliver

PATIENCE = 60.0
"""Seconds that a busy machine may take until everything is answered."""
SIZE = 16, 12
FOLDERS = "images", "luts", "grades"
Buttons = QMessageBox.StandardButton


class Stuck(Exception):
    """The window did not come to rest, or a dialog that was expected did not come."""


class HandDisk(Disk):
    """Looks at what is watched when it is told to, on the thread that tells it."""

    def __init__(self, parent: Any = None) -> None:
        super().__init__(parent)
        self._watches: dict[str, FileWatch] = {}
        self._shown: dict[str, Any] = {}
        self._news = False

    def _ask(self, name: str) -> None:
        self._asked.add(name)

    def look(self) -> bool:
        """Look at all of it, as the thread does twice a second; whether something has changed."""
        self._asked.clear()
        self._news = False
        for name, files in list(self._files.items()):
            self._look_at(name, files, self._watches.setdefault(name, FileWatch()))
        for name, folder in list(self._folders.items()):
            self._look_into(name, folder, self._shown)
        return self._news

    def _tell(self, signal: Any, name: str, paths: list[Path], always: bool = False) -> None:
        self._news = self._news or bool(paths) or always
        super()._tell(signal, name, paths, always)


class Clock:
    """Stands in for the module `time` where edits are merged."""

    def __init__(self) -> None:
        self.now = 1000.0

    def monotonic(self) -> float:
        return self.now


class Rig:
    """The windows, and the files that they work on."""

    def __init__(self, folder: Path, clock: Clock) -> None:
        self.folder, self.clock = folder, clock
        self.config = folder / "config"
        self.errors: list[str] = []  # exceptions that nothing caught
        self._times = itertools.count(1_700_000_000)
        for name in FOLDERS:
            (folder / name).mkdir(parents=True, exist_ok=True)

    def window(self) -> MainWindow:
        """Another window, shown; the exceptions that it catches count as errors."""
        services = Services(create_executor=lambda _name, _threads: FakeExecutor(), backends=list)
        window = MainWindow(services=services, folder=self.config)
        window.workspace.messages.warned.connect(lambda warned: self._note_internal_error(warned.text))
        window.resize(1100, 700)
        window.show()
        return window

    def _note_internal_error(self, line: str) -> None:
        if line.startswith("Internal error"):
            self.errors.append(line)

    def write(self, path: Path, text: str) -> None:
        """Write a file as another program would, whole or not at all."""
        temporary = path.with_name(f".{path.name}.tmp")
        temporary.write_text(text, encoding="utf-8")
        self._finish(temporary, path)

    def _finish(self, temporary: Path, path: Path) -> None:
        """Give a file its name, and a time that no write before had."""
        when = next(self._times)
        os.utime(temporary, (when, when))
        temporary.replace(path)

    def write_image(self, path: Path, values: dict[str, float]) -> None:
        """An EXR of one value for each layer; '' is the main one."""
        names = [f"{layer}.{channel}" if layer else channel for layer in values for channel in "RGB"]
        spec = oiio.ImageSpec(*SIZE, len(names), "half")
        spec.channelnames = names
        pixels = np.empty((SIZE[1], SIZE[0], len(names)), np.float32)
        for at, value in enumerate(values.values()):
            pixels[..., 3 * at : 3 * at + 3] = rgb_of(value)
        temporary = path.with_name(f".tmp.{path.name}")
        output = oiio.ImageOutput.create(str(temporary))
        assert output is not None and output.open(str(temporary), spec), oiio.geterror()
        assert output.write_image(pixels), output.geterror()
        output.close()
        self._finish(temporary, path)


def rgb_of(value: float) -> tuple[float, float, float]:
    """The pixel of an image: exact in half floats, and of three different channels."""
    return value, value / 2, value / 4


@contextmanager
def rig(folder: Path, jobs: type[Jobs] = Jobs) -> Iterator[Rig]:
    """A rig whose clock, disk watcher and jobs are in place until it is over."""
    clock = Clock()
    with ExitStack() as stack:
        stack.enter_context(patch("app.workspace.Disk", HandDisk))
        stack.enter_context(patch("app.workspace.Jobs", jobs))
        stack.enter_context(patch("engine.core.file_watch.QUIET_SECONDS", 0.0))
        stack.enter_context(patch("app.model.document.time", SimpleNamespace(monotonic=clock.monotonic)))
        yield Rig(folder, clock)


def turn() -> None:
    """Handle all that waits, deletions too."""
    QCoreApplication.sendPostedEvents()
    QCoreApplication.processEvents()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def until(come: Callable[[], Any], what: Callable[[], str]) -> None:
    """Turn until something is so; `what` says what it was, if that never comes."""
    end = time.monotonic() + PATIENCE
    while not come():
        if time.monotonic() > end:
            raise Stuck(f"waited in vain for {what()}")
        turn()
        time.sleep(0.0005)


def settle(windows: list[MainWindow]) -> None:
    """Turn until nothing is on its way in any window."""
    for _ in range(3):
        turn()
    until(lambda: is_at_rest(windows), lambda: f"rest: {pending(windows)}")
    turn()


def is_at_rest(windows: list[MainWindow]) -> bool:
    """Whether nothing is on its way; if something is, deliver an answer."""
    deliver(windows)
    return all(map(is_idle, windows))


def pending(windows: list[MainWindow]) -> list[str]:
    """What is still to come in each window, and the questions that are open."""
    lines = []
    for window in windows:
        box = question(window)
        lines.append(on_its_way(window) + (f" (asks {box.text()!r})" if box is not None else ""))
    return lines


def is_idle(window: MainWindow) -> bool:
    return not on_its_way(window)


def on_its_way(window: MainWindow) -> str:
    """What is still to come; nothing in a closed window, which drops all but its writes."""
    if not window.isVisible():
        return ""
    workspace = window.workspace
    clip = workspace.player.clip
    documents = [each for each in workspace.documents if each.image is not None]
    found = {
        "jobs": workspace.jobs.active,
        "frames": clip is not None and clip.needs_wanted,
        "colour": not all(map(workspace.colour.settled, documents)),
        "preview": not workspace.preview.idle,
    }
    return ", ".join(name for name, there in found.items() if there)


# -- dialogs


def question(window: MainWindow) -> QMessageBox | None:
    """The question that is open."""
    return next(iter(_shown(window, QMessageBox)), None)


def answer(window: MainWindow, button: QMessageBox.StandardButton, words: str) -> None:
    """Answer the question that is open, which must have these words."""
    box = question(window)
    if box is None or words not in box.text():
        raise Stuck(f"expected the question {words!r}, found {box.text() if box is not None else None!r}")
    box.button(button).click()
    turn()


def choose_files(window: MainWindow, *paths: str) -> None:
    """Answer the file dialog that is open; without paths, cancel it."""
    dialog = _dialog(window, QFileDialog)
    if paths and dialog.acceptMode() == QFileDialog.AcceptMode.AcceptSave:
        dialog.fileSelected.emit(paths[0])
    elif paths:
        dialog.filesSelected.emit(list(paths))
    dialog.done(QDialog.DialogCode.Rejected)
    turn()


def choose_text(window: MainWindow, at: int) -> None:
    """Choose a line of the list that is open."""
    dialog = _dialog(window, QInputDialog)
    dialog.textValueSelected.emit(dialog.comboBoxItems()[at])
    dialog.done(QDialog.DialogCode.Rejected)
    turn()


def _dialog(window: MainWindow, kind: type[Any]) -> Any:
    found = _shown(window, kind)
    if len(found) != 1:
        raise Stuck(f"expected one {kind.__name__}, found {len(found)}")
    return found[0]


def _shown(window: MainWindow, kind: type[Any]) -> list[Any]:
    turn_queue().prepare_input()  # as a person would find them
    return [dialog for dialog in window.findChildren(kind) if dialog.isVisible()]


def application() -> QApplication:
    """The application, without what Qt says of a platform that has no screen."""
    keep_constants()
    qInstallMessageHandler(_print)
    app = QApplication.instance() or QApplication(["soak"])
    assert isinstance(app, QApplication)
    style.apply(app)
    return app


def _print(_kind: QtMsgType, _where: QMessageLogContext, text: str) -> None:
    if "propagateSizeHints" not in text:
        print(text, file=sys.stderr, flush=True)
