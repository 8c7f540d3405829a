"""An export in a process of its own: neither a crash nor a full memory nor the interpreter lock reaches the window."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, QProcess, QProcessEnvironment, QTimer, Signal

from app.jobs import Jobs
from engine import Grade, save_grade

CANCELLED = 130
GRACE_MS = 5000
"""How long a cancelled export may take to clean up before it is killed."""


@dataclass(frozen=True)
class ExportOrder:
    """What to write. `type` and `compression` are the command line's words; part and layer None for its defaults."""

    source: Path
    target: Path
    grade: Grade
    type: str = "source"
    compression: str = "source"
    part: int | None = None
    layer: str | None = None
    backend: str = "auto"
    threads: int = 0


class ExportJob(QObject):
    """Runs one export; ends with exactly one of `finished`, `failed` and `cancelled`."""

    progress = Signal(float, float)  # share done, seconds so far
    finished = Signal(object)  # the report, a dict
    failed = Signal(str)  # one line
    cancelled = Signal()

    def __init__(self, jobs: Jobs, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._jobs = jobs
        self._process = QProcess(self)
        self._process.setProcessEnvironment(_environment())
        self._process.readyReadStandardOutput.connect(self._read)
        self._process.finished.connect(self._ended)
        self._process.errorOccurred.connect(self._broke)
        self._rest = b""
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
        self._jobs.run(partial(save_grade, order.grade, grade), lambda _: self._launch(order, grade), self._fail)

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
            return  # a library's chatter
        if not isinstance(event, dict):
            return
        if event.get("event") == "progress":
            self.progress.emit(float(event.get("done", 0.0)), float(event.get("seconds", 0.0)))
        elif event.get("event") == "done":
            self._report = event.get("report") or {}

    def _ended(self, code: int, status: QProcess.ExitStatus) -> None:
        self._read()
        if self._over:
            return
        self._end()
        if code == 0 and status == QProcess.ExitStatus.NormalExit:
            self.finished.emit(self._report or {})
        elif self._cancelling or code == CANCELLED:
            self.cancelled.emit()
        else:
            self.failed.emit(self._last_line() or f"the export stopped without a word (exit status {code})")

    def _broke(self, error: QProcess.ProcessError) -> None:
        if error == QProcess.ProcessError.FailedToStart and not self._over:
            self._fail(f"the export could not be started: {self._process.errorString()}")

    def _last_line(self) -> str:
        text = bytes(self._process.readAllStandardError().data()).decode("utf-8", "replace")
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        return lines[-1] if lines else ""

    def _end(self) -> None:
        self._over = True
        if self._folder is not None:
            self._folder.cleanup()


def arguments(order: ExportOrder, grade: Path) -> list[str]:
    """The command line of an order."""
    words = ["-m", "app.cli", "export", str(order.source), str(order.target), "--grade", str(grade)]
    words += ["--type", order.type]
    if order.compression != "source":
        words += ["--compression", order.compression]
    words += ["--force", "--progress", "json"]
    if order.part is not None:
        words += ["--part", str(order.part)]
    if order.layer:
        words += ["--layer", order.layer]
    if order.backend != "auto":
        words += ["--backend", order.backend]
    if order.threads:
        words += ["--threads", str(order.threads)]
    return words


def _environment() -> QProcessEnvironment:
    """This process's, with the folder that holds the package `app` first on the path."""
    environment = QProcessEnvironment.systemEnvironment()
    home = str(Path(__file__).resolve().parent.parent)
    paths = [home, *filter(None, environment.value("PYTHONPATH").split(os.pathsep))]
    environment.insert("PYTHONPATH", os.pathsep.join(paths))
    environment.insert("PYTHONUNBUFFERED", "1")
    return environment
