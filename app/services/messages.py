"""Messages to the user: warnings and offers in the message bar, notes in the status bar."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal

from engine.core.records import dataclass


@dataclass(frozen=True, eq=False)
class Warned:
    """A warning that was shown, by which it can be withdrawn. Two with the same text are different."""

    text: str


class Messages(QObject):
    """Emits messages for the widgets that show them."""

    warned = Signal(object)  # Warned
    withdrawn = Signal(object)  # Warned, which does not apply any more
    offered = Signal(str, str, object)  # a line, the label of its button, and the function that the button calls
    noted = Signal(str)  # a note about a finished action

    def warn(self, line: str) -> Warned:
        """Show a warning in the message bar: what is wrong and what to do."""
        warned = Warned(line)
        self.warned.emit(warned)
        return warned

    def withdraw(self, warned: Warned | None) -> None:
        """Hide a warning that does not apply any more; None is ignored."""
        if warned is not None:
            self.withdrawn.emit(warned)

    def offer(self, line: str, label: str, run: Callable[[], None]) -> None:
        """Show a line in the message bar with a button called `label` that calls `run`."""
        self.offered.emit(line, label, run)

    def note(self, line: str) -> None:
        """Show what was done in the status bar for a few seconds."""
        self.noted.emit(line)
