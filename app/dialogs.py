"""How a dialog is shown, and its buttons."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QPushButton


def ask(dialog: QDialog) -> None:
    """Show a dialog before its window and come back at once; once it is closed it is gone, with all that it held."""
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.open()


def push_button(text: str, tip: str, call: Callable[[], object]) -> QPushButton:
    """A button that Return presses only where it has the focus."""
    button = QPushButton(text)
    button.setToolTip(tip)
    button.setAccessibleName(text.rstrip("…"))
    button.setAutoDefault(False)
    button.clicked.connect(lambda: call())
    return button
