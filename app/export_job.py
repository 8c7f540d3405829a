"""An export in a process of its own: neither a crash nor a full memory nor the interpreter lock reaches the window."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, QProcess, QProcessEnvironment, QTimer, Signal

from app.export_options import ExportOrder, arguments
from app.jobs import Jobs
from engine import save_grade

CANCELLED = 130
GRACE_MS = 5000
"""How long a cancelled export may take to clean up before it is killed."""


class ExportJob(QObject):
    """Runs one export; ends with exactly one of `finished`, `failed` and `cancelled`."""

    progress = Signal(float, float)  # share done, seconds so far
    finished = Signal(object)  # the report, a dict
    said = Signal(str)  # a line that the program printed
    failed = Signal(str)  # one line
    cancelled = Signal()

    def __init__(self, jobs: Jobs, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._jobs = jobs
        self._process = QProcess(self)
        self._process.setProcessEnvironment(environment())
        self._process.readyReadStandardOutput.connect(self._read)
        self._process.readyReadStandardError.connect(self._hear)
        self._process.finished.connect(self._ended)
        self._process.errorOccurred.connect(self._broke)
        self._rest = self._heard = b""
        self._last = ""
        self._report: dict[str, Any] | None = None
        self._cancelling = False
        self._over = True
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    @property
    def running(self) -> bool:
        return not self._over

    def start(self, order: ExportOrder) -> None:
        """Write the grade to a temporary file, on a thread, and start the process."""
        self._over = False
        self._folder = tempfile.TemporaryDirectory(prefix="tessera-")
        grade = Path(self._folder.name) / "grade.json"
        work = partial(save_grade, order.grade, grade)
        self._jobs.write(grade, work, lambda _: self._launch(order, grade), self._fail, self)

    def cancel(self) -> None:
        """Ask the process to clean up and stop; kill it if it does not."""
        self._cancelling = True
        if self._process.state() != QProcess.ProcessState.NotRunning:
            self._process.terminate()
            QTimer.singleShot(GRACE_MS, self, self._process.kill)

    def _launch(self, order: ExportOrder, grade: Path) -> None:
        if self._cancelling:
            self._end()
            self.cancelled.emit()
        else:
            self._process.start(sys.executable, arguments(order, grade))

    def _fail(self, line: str) -> None:
        self._end()
        self.failed.emit(line)

    def _read(self) -> None:
        self._rest += bytes(self._process.readAllStandardOutput().data())
        *lines, self._rest = self._rest.split(b"\n")
        for line in lines:
            self._take(line)

    def _take(self, line: bytes) -> None:
        try:
            event = json.loads(line)
        except ValueError:
            self.said.emit(line.decode("utf-8", "replace"))  # a library's chatter
            return
        if not isinstance(event, dict):
            return
        if event.get("event") == "progress":
            share = float(event.get("done", 0.0)) / max(float(event.get("total", 1.0)), 1.0)  # frames, or a share
            self.progress.emit(share, float(event.get("seconds", 0.0)))
        elif event.get("event") == "done":
            self._report = event.get("report") or {}

    def _hear(self) -> None:
        self._heard += bytes(self._process.readAllStandardError().data())
        *lines, self._heard = self._heard.split(b"\n")
        for line in lines:
            words = line.decode("utf-8", "replace").strip().removeprefix("tessera: ")
            if words:
                self._last = words
                self.said.emit(words)

    def _ended(self, code: int, status: QProcess.ExitStatus) -> None:
        self._read()
        self._heard += b"\n"
        self._hear()
        if self._over:
            return
        self._end()
        if code == 0 and status == QProcess.ExitStatus.NormalExit:
            self.finished.emit(self._report or {})
        elif self._cancelling or code == CANCELLED:
            self.cancelled.emit()
        else:
            self.failed.emit(self._last or f"the export stopped without a word (exit status {code})")

    def _broke(self, error: QProcess.ProcessError) -> None:
        if error == QProcess.ProcessError.FailedToStart and not self._over:
            self._fail(f"the export could not be started: {self._process.errorString()}")

    def _end(self) -> None:
        self._over = True
        if self._folder is not None:
            self._folder.cleanup()


def environment() -> QProcessEnvironment:
    """This process's, with the folder that holds the package `app` first on the path."""
    environment = QProcessEnvironment.systemEnvironment()
    home = str(Path(__file__).resolve().parent.parent)
    paths = [home, *filter(None, environment.value("PYTHONPATH").split(os.pathsep))]
    environment.insert("PYTHONPATH", os.pathsep.join(paths))
    environment.insert("PYTHONUNBUFFERED", "1")
    return environment
