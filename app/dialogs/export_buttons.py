"""The buttons of an export dialog, and the answers to what to do with existing files."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from app.services.export_targets import Targets
from app.services.jobs import Jobs
from app.widgets.showing import push_button

LOOK = "look"
"""The key of the job that looks for existing files."""
Go = Callable[[Targets, str], None]
"""Called with the targets and a value of `--existing`, which says what to do with existing files."""


class ExportButtons(QWidget):
    """Cancel and Export. If files exist, the `answers` New version, Skip and Replace take the place of Export.

    An answer applies only to the files that were checked. The dialog calls `withdraw` when its options change. It may
    place the `answers` elsewhere.
    """

    said = Signal(str)  # a message for the user
    found = Signal(object)  # the Targets that were looked for
    failed = Signal(str)  # why they could not be looked for, after `watch`
    renamed = Signal(object)  # the path of the next version

    def __init__(self, jobs: Jobs, what: str, cancel: Callable[[], object], export: Callable[[], object]) -> None:
        """Create the buttons; `what` names what is exported in the tooltip, such as "the graded image"."""
        super().__init__()
        self._jobs = jobs
        self._asked: tuple[Targets, Go] | None = None
        self.cancel = push_button("Cancel", "Close without exporting (Esc)", cancel)
        self.export = push_button("Export", f"Write {what}; ask first if it exists", export)
        self.version = push_button(
            "New version", "Use the next version number after the highest existing one", self._rename
        )
        self.skip = push_button("Skip existing", "Keep existing frames and write only the missing ones", self._skip)
        self.replace = push_button("Replace", "Overwrite existing files", self._replace)
        self.answers = QWidget()
        answers, row = QHBoxLayout(self.answers), QHBoxLayout(self)
        for layout in (answers, row):
            layout.setContentsMargins(0, 0, 0, 0)
        for button in (self.skip, self.replace, self.version):
            answers.addWidget(button)
        for widget in (self.cancel, self.answers, self.export):
            row.addWidget(widget)
        self.withdraw()

    @property
    def asking(self) -> bool:
        """Whether the buttons ask what to do with existing files."""
        return self._asked is not None

    def look(self, find: Callable[[], Targets], go: Go, more: str = "") -> None:
        """Look for existing files on a worker thread, then call `go`, or ask first if there are any.

        `more` is appended to the explanation of Replace.
        """
        self.withdraw()
        self.export.setEnabled(False)
        self._jobs.latest(self, LOOK, find, partial(self._found, go, more), self._fail)

    def watch(self, find: Callable[[], Targets], go: Go, more: str = "") -> None:
        """Look for existing files while the user still edits the options; ask if there are any, and keep the focus."""
        self.withdraw()
        self._jobs.latest(self, LOOK, find, partial(self._seen, go, more), self.failed.emit)

    def _seen(self, go: Go, more: str, targets: Targets) -> None:
        self.found.emit(targets)
        if targets.existing:
            self._ask(go, more, targets)

    def withdraw(self) -> None:
        """Cancel a pending check and close the question, since the target or the options have changed."""
        self._jobs.drop(self, LOOK)
        self._asked = None
        self._show()

    def _found(self, go: Go, more: str, targets: Targets) -> None:
        self.export.setEnabled(True)
        self.found.emit(targets)
        if not targets.existing:
            go(targets, "fail")
            return
        self._ask(go, more, targets)
        self.version.setFocus()

    def _ask(self, go: Go, more: str, targets: Targets) -> None:
        self._asked = targets, go
        self._show()
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
        for widget in (self.answers, self.version, self.replace):
            widget.setVisible(targets is not None)
        default: QPushButton = self.export if targets is None else self.version
        default.setDefault(True)
