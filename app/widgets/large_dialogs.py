"""How dialogs that take long to make are shown."""

from __future__ import annotations

from PySide6.QtWidgets import QDialog

from app.services.event_loop import turn_queue
from app.widgets.showing import ask


def ask_later(dialog: QDialog) -> None:
    """Show a dialog as `ask` does; if making it took long, in the next turn of the event loop, before any input."""
    if not turn_queue().put_off(dialog, lambda: ask(dialog), before_input=True):
        ask(dialog)
