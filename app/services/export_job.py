"""Runs an export in a separate process: its crashes, memory use and interpreter lock don't affect the window."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, QProcess, QProcessEnvironment, QTimer, Signal

from app.services.export_options import ATTRIBUTES, OWN_OPS, ExportOrder, arguments
from app.services.jobs import Jobs
from engine import Grade, save_grade
from engine.core.atomic import write_bytes, write_text
from engine.core.records import dataclass
from engine.errors import WriteFailed
from engine.grade.renewal import own_files_of

Folder = tempfile.TemporaryDirectory[str]
CANCELLED = 130
GRADE = "grade.json"
GRACE_MS = 5000
"""How long a cancelled export may take to clean up before it is killed."""


class ExportJob(QObject):
    """Runs one export; ends with exactly one of `finished`, `failed` and `cancelled`."""

    progress = Signal(float, float)  # fraction done, 0..1, and seconds so far
    finished = Signal(object)  # the report, a dict
    said = Signal(str)  # a line that the process printed
    failed = Signal(str)  # the error, as one line
    cancelled = Signal(object)  # Progress: what was written until then

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
        self._report: dict[str, Any] = {}
        self._frames, self._total = 0, 0
        self._cancelling = False
        self._over = True
        self._folder: Folder | None = None

    @property
    def running(self) -> bool:
        return not self._over

    def start(self, order: ExportOrder) -> None:
        """Write the grade to a temporary file, on a thread, and start the process."""
        self._over = False
        self._jobs.write(
            self, partial(write_grade, order.grade, order.attributes), partial(self._launch, order), self._fail, self
        )

    def cancel(self) -> None:
        """Ask the process to clean up and stop; kill it if it does not."""
        self._cancelling = True
        if self._process.state() != QProcess.ProcessState.NotRunning:
            self._process.terminate()
            QTimer.singleShot(GRACE_MS, self, self._process.kill)

    def _launch(self, order: ExportOrder, folder: Folder) -> None:
        self._folder = folder
        if self._cancelling:
            self._end()
            self.cancelled.emit(self._done)
        else:
            self._process.start(sys.executable, arguments(order, Path(folder.name) / GRADE))

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
            self.said.emit(line.decode("utf-8", "replace"))  # printed by a library
            return
        if not isinstance(event, dict):
            return
        if event.get("event") == "progress":
            done, self._total = float(event.get("done", 0.0)), int(event.get("total", 0))
            self._frames = int(done) if self._total else 0  # for one image, `done` is the fraction
            self.progress.emit(done / max(self._total, 1), float(event.get("seconds", 0.0)))
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
            self.finished.emit(self._report)
        elif self._cancelling or code == CANCELLED:
            self.cancelled.emit(self._done)
        else:
            self.failed.emit(self._last or f"the export ended without an error message (exit status {code})")

    def _broke(self, error: QProcess.ProcessError) -> None:
        if error == QProcess.ProcessError.FailedToStart and not self._over:
            self._fail(f"the export could not be started: {self._process.errorString()}")

    def _end(self) -> None:
        self._over = True
        if self._folder is not None:
            self._folder.cleanup()

    @property
    def _done(self) -> Progress:
        return Progress(self._total, self._frames, self._report)


@dataclass(frozen=True)
class Progress:
    """How far an export got: `frames` of `total` are complete.

    `total` is 0 for one image; `report` is {} if the process was killed.
    """

    total: int
    frames: int
    report: dict[str, Any]

    @property
    def text(self) -> str:
        """A sentence that says what was written."""
        if not self.total:
            return "Nothing was written."
        if not self.report:
            known = f"At least {self.frames} of {self.total} frames are complete."
            return known if self.frames else "It was killed before the first frame."
        made, kept = (len(self.report.get(name, ())) for name in ("made", "kept"))
        before = f"; {kept} {'was' if kept == 1 else 'were'} there already" if kept else ""
        return f"{made or 'No'} of {self.total} frames {'was' if made == 1 else 'were'} written{before}."


def write_grade(grade: Grade, attributes: tuple[tuple[str, str], ...] = ()) -> Folder:
    """Write a grade, named GRADE, ATTRIBUTES and OWN_OPS into a new temporary folder; WriteFailed if that fails."""
    try:
        folder = tempfile.TemporaryDirectory(prefix="tessera-", ignore_cleanup_errors=True)
    except OSError as error:
        what = f"can't create a temporary folder ({error.strerror or error})"
        raise WriteFailed(Path(error.filename or "TMPDIR"), what, "free the disk, or set TMPDIR") from error
    try:
        save_grade(grade, Path(folder.name) / GRADE)
        if attributes:
            write_text(Path(folder.name) / ATTRIBUTES, json.dumps(dict(attributes)))
        for file in own_files_of(grade):
            own = Path(folder.name) / OWN_OPS
            own.mkdir(exist_ok=True)
            write_bytes(own / file.name, file.content)
    except BaseException:
        folder.cleanup()
        raise
    return folder


def environment() -> QProcessEnvironment:
    """Return this process's environment with the folder of the package `app` first on Python's path."""
    environment = QProcessEnvironment.systemEnvironment()
    home = str(Path(__file__).resolve().parents[2])
    paths = [home, *filter(None, environment.value("PYTHONPATH").split(os.pathsep))]
    environment.insert("PYTHONPATH", os.pathsep.join(paths))
    environment.insert("PYTHONUNBUFFERED", "1")
    return environment
