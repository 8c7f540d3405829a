"""The header of a file before and after an export, found by a program of its own that writes nothing."""

from __future__ import annotations

import html
import sys
import tempfile
from functools import partial
from pathlib import Path

from PySide6.QtCore import QProcess, Signal
from PySide6.QtWidgets import QTextEdit, QVBoxLayout, QWidget

from app.export_job import environment
from app.export_options import ExportOrder, arguments
from app.jobs import Jobs
from engine import save_grade

ADDED, TAKEN = "#cfe3cf", "#d9b3b3"


class HeaderView(QWidget):
    """Lines that stay, go and come, each with its mark; hidden until it is asked for."""

    said = Signal(str)

    def __init__(self, jobs: Jobs) -> None:
        super().__init__()
        self._jobs = jobs
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._process = QProcess(self)
        self._process.setProcessEnvironment(environment())
        self._process.finished.connect(self._ended)
        self.text = QTextEdit()
        self.text.setReadOnly(True)
        self.text.setObjectName("numbers")
        self.text.setAccessibleName("Header before and after")
        self.text.setToolTip("The header: - what goes, + what comes")
        self.text.setLineWrapMode(QTextEdit.LineWrapMode.NoWrap)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.text)
        self.setMinimumHeight(160)
        self.hide()

    def show_changes(self, order: ExportOrder) -> None:
        """Begin to find them; they appear a second or so later."""
        if self._folder is not None:
            return
        self.said.emit("Reading the header…")
        self._folder = tempfile.TemporaryDirectory(prefix="tessera-")
        grade = Path(self._folder.name) / "grade.json"
        work = partial(save_grade, order.grade, grade)
        self._jobs.write(grade, work, lambda _: self._launch(order, grade), self._fail, self)

    def stop(self) -> None:
        """End the program, if it still runs."""
        self._process.kill()
        self._process.waitForFinished(200)
        self._clean()

    def _launch(self, order: ExportOrder, grade: Path) -> None:
        if self._folder is None:
            return  # closed meanwhile
        words = [word for word in arguments(order, grade) if word not in ("--progress", "json")]
        self._process.start(sys.executable, [*words, "--dry-run"])

    def _ended(self, code: int) -> None:
        out = bytes(self._process.readAllStandardOutput().data()).decode("utf-8", "replace")
        notes = bytes(self._process.readAllStandardError().data()).decode("utf-8", "replace").strip().splitlines()
        self._clean()
        words = " ".join(line.removeprefix("tessera: ") for line in notes)
        if code:
            self.said.emit(words or "The header can't be shown.")
            return
        self.text.setHtml(f"<pre>{''.join(_line(line) for line in out.splitlines())}</pre>")
        self.show()
        self.said.emit(words or "This is what the header becomes.")

    def _fail(self, line: str) -> None:
        self._clean()
        self.said.emit(line)

    def _clean(self) -> None:
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None


def _line(line: str) -> str:
    colour = {"+": ADDED, "-": TAKEN}.get(line[:1])
    text = html.escape(line) + "\n"
    return f'<span style="color:{colour}">{text}</span>' if colour else text
