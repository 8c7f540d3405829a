"""How a dialog is shown."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog


def ask(dialog: QDialog) -> None:
    """Show a dialog before its window and come back at once; once it is closed it is gone, with all that it held."""
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.open()
