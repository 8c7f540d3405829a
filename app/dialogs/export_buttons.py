"""The buttons of a dialog that writes files, and the question what to do with files that exist already."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from app.dialogs.showing import push_button
from app.services.export_targets import Targets
from app.services.jobs import Jobs

LOOK = "look"
"""The key of the jobs that look for existing files."""
Go = Callable[[Targets, str], None]
"""Takes what exists, and what becomes of it, as `--existing` does."""


class ExportButtons(QWidget):
    """Cancel and Export; New version, Skip and Replace take the place of Export while the question is open.

    An answer counts for what was looked at. Whoever shows these buttons calls `withdraw` when that has changed.
    """

    said = Signal(str)  # a line for the user
    renamed = Signal(object)  # the path of the next version

    def __init__(self, jobs: Jobs, what: str, cancel: Callable[[], object], export: Callable[[], object]) -> None:
        """`what` is exported: the image, the LUT."""
        super().__init__()
        self._jobs = jobs
        self._asked: tuple[Targets, Go] | None = None
        self.cancel = push_button("Cancel", "Close without exporting (Esc)", cancel)
        self.export = push_button("Export", f"Write {what}; existing files are asked about first", export)
        self.version = push_button(
            "New version", "Use the next version of the name, after the highest that exists", self._rename
        )
        self.skip = push_button("Skip existing", "Keep the frames that exist, write the others", self._skip)
        self.replace = push_button("Replace", "Overwrite what exists", self._replace)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        for button in (self.cancel, self.version, self.skip, self.replace, self.export):
            row.addWidget(button)
        self.withdraw()

    @property
    def asking(self) -> bool:
        """Whether the question is there."""
        return self._asked is not None

    def look(self, find: Callable[[], Targets], go: Go, more: str = "") -> None:
        """Look for existing files, off this thread; then go on, or ask first. `more` says more about Replace."""
        self.withdraw()
        self.export.setEnabled(False)
        self._jobs.latest(self, LOOK, find, partial(self._found, go, more), self._fail)

    def withdraw(self) -> None:
        """What is to be written has changed: no look and no question counts any more."""
        self._jobs.drop(self, LOOK)
        self._asked = None
        self._show()

    def _found(self, go: Go, more: str, targets: Targets) -> None:
        self.export.setEnabled(True)
        if not targets.existing:
            go(targets, "fail")
            return
        self._asked = targets, go
        self._show()
        self.version.setFocus()
        skip = ", Skip existing to write only the others" if targets.sequence else ""
        replace = f"Replace to overwrite {'them' if targets.sequence else 'it'}{more}"
        self.said.emit(f"{targets.line} Press {replace}{skip}, or New version to use {targets.free.name}.")

    def _fail(self, line: str) -> None:
        self.export.setEnabled(True)
        self.said.emit(line[:1].upper() + line[1:])

    def _rename(self) -> None:
        if self._asked is not None:
            free = self._asked[0].free
            self.withdraw()
            self.renamed.emit(free)
            self.export.setFocus()

    def _skip(self) -> None:
        if self._asked is not None:
            targets, go = self._asked
            go(targets, "skip")

    def _replace(self) -> None:
        if self._asked is not None:
            targets, go = self._asked
            go(targets, targets.existing)

    def _show(self) -> None:
        targets = self._asked[0] if self._asked is not None else None
        self.export.setEnabled(True)
        self.export.setVisible(targets is None)
        self.skip.setVisible(targets is not None and targets.sequence)
        for button in (self.version, self.replace):
            button.setVisible(targets is not None)
        default: QPushButton = self.export if targets is None else self.version
        default.setDefault(True)
