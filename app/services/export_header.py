"""Shows the header of a file before and after an export, from a dry run in a separate process."""

from __future__ import annotations

import html
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QProcess, Signal
from PySide6.QtWidgets import QTextEdit, QVBoxLayout, QWidget

from app.services.export_job import GRADE, Folder, environment, write_grade
from app.services.export_options import ExportOrder, arguments
from app.services.jobs import Jobs

ADDED, TAKEN = "#cfe3cf", "#d9b3b3"


class HeaderView(QWidget):
    """Lists unchanged, removed and added lines, each with its mark; hidden until requested."""

    said = Signal(str)

    def __init__(self, jobs: Jobs) -> None:
        super().__init__()
        self._jobs = jobs
        self._folder: Folder | None = None
        self._order: ExportOrder | None = None  # the order whose header is being read
        self._process = QProcess(self)
        self._process.setProcessEnvironment(environment())
        self._process.finished.connect(self._ended)
        self.text = QTextEdit()
        self.text.setReadOnly(True)
        self.text.setObjectName("numbers")
        self.text.setAccessibleName("Header before and after")
        self.text.setToolTip("Changes to the header: - removed, + added")
        self.text.setLineWrapMode(QTextEdit.LineWrapMode.NoWrap)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.text)
        self.setMinimumHeight(160)
        self.hide()

    def show_changes(self, order: ExportOrder) -> None:
        """Start reading the changes; they appear after about a second."""
        if self._order is not None:
            return
        self._order = order
        self.said.emit("Reading the header…")
        work, launch = partial(write_grade, order.grade), partial(self._launch, order)
        self._jobs.write(order, work, launch, partial(self._fail, order))

    def stop(self) -> None:
        """Kill the process if it is still running."""
        self._process.kill()
        self._process.waitForFinished(200)
        self._clean()

    def _launch(self, order: ExportOrder, folder: Folder) -> None:
        if order is not self._order:  # the view was closed meanwhile
            folder.cleanup()
            return
        self._folder = folder
        words = arguments(replace(order, existing="replace"), Path(folder.name) / GRADE)  # nothing is written
        self._process.start(sys.executable, [*(w for w in words if w not in ("--progress", "json")), "--dry-run"])

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
        self.said.emit(words or "The header before and after the export.")

    def _fail(self, order: ExportOrder, line: str) -> None:
        if order is self._order:
            self._clean()
            self.said.emit(line)

    def _clean(self) -> None:
        self._order = None
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None


def _line(line: str) -> str:
    colour = {"+": ADDED, "-": TAKEN}.get(line[:1])
    text = html.escape(line) + "\n"
    return f'<span style="color:{colour}">{text}</span>' if colour else text
