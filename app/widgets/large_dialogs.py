"""How dialogs that take long to make are shown."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtWidgets import QDialog

from app.services.event_loop import turn_queue
from app.widgets.showing import ask


def ask_later(dialog: QDialog) -> None:
    """Show a dialog as `ask` does; if making it took long, in the next turn of the event loop, before any input."""
    _later(dialog, partial(ask, dialog))


def show_later(dialog: QDialog) -> None:
    """Show a dialog beside its window; if making it took long, in the next turn of the event loop, before any input."""
    _later(dialog, dialog.show)


def _later(dialog: QDialog, show: Callable[[], object]) -> None:
    if not turn_queue().put_off(dialog, show, before_input=True):
        show()
