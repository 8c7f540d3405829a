"""What an export will write: a summary, the status, and the answers about existing files."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from engine.errors import TesseraError

HINT = "The grade is applied at full resolution; view exposure and view gamma are not."


class ExportStatus(QFrame):
    """Two lines of text, `summary` and `line`, above the `answers`."""

    def __init__(self, answers: QWidget, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("exportSummary")
        self.summary, self.line = _text("Summary of the export"), _text("Export status")
        self.summary.setObjectName("cardTitle")
        self.line.setText(HINT)
        row = QHBoxLayout()
        row.addWidget(answers)
        row.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(10, 8, 10, 8)
        column.setSpacing(4)
        column.addWidget(self.summary)
        column.addWidget(self.line)
        column.addLayout(row)

    def say(self, line: str) -> None:
        """Show a status, or the hint if it is ''."""
        self._show(line, False)

    def fail(self, line: str) -> None:
        """Show why the export failed, or can't start."""
        self._show(line, True)

    @property
    def failed(self) -> bool:
        """Whether the status is a failure."""
        return bool(self.line.property("failed"))

    def _show(self, line: str, failed: bool) -> None:
        self.line.setText(sentence(line) or HINT)
        if failed != self.failed:
            self.line.setProperty("failed", failed)
            self.line.style().unpolish(self.line)
            self.line.style().polish(self.line)

    def summarise(self, text: str) -> None:
        """Show a summary, or why there is none."""
        self.summary.setText(sentence(text))


def sentence(text: str | TesseraError) -> str:
    """Return a text that begins with a capital, unless with the name of a file or a token."""
    words = str(text)
    return words if set("./{") & set(words.partition(" ")[0]) else words[:1].upper() + words[1:]


def _text(name: str) -> QLabel:
    label = QLabel()
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    label.setAccessibleName(name)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label
