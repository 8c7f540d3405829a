"""Messages to the user: warnings and offers in the message bar, notes in the status bar."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal


class Messages(QObject):
    """Emits messages for the widgets that show them."""

    shown = Signal(str)  # a warning
    withdrawn = Signal(str)  # a warning that no longer applies
    offered = Signal(str, str, object)  # a line, the label of its button, and the function that the button calls
    noted = Signal(str)  # a note about a finished action

    def tell(self, line: str) -> None:
        """Show a warning in the message bar: what is wrong and what to do."""
        self.shown.emit(line)

    def take_back(self, line: str) -> None:
        """Hide a warning that no longer applies."""
        self.withdrawn.emit(line)

    def offer(self, line: str, label: str, run: Callable[[], None]) -> None:
        """Show a line in the message bar with a button called `label` that calls `run`."""
        self.offered.emit(line, label, run)

    def note(self, line: str) -> None:
        """Show what was done in the status bar for a few seconds."""
        self.noted.emit(line)
