"""How a dialog is shown, and its buttons."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QFileDialog, QPushButton, QWidget


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


def ask_target(parent: QWidget, title: str, name: str, kinds: str, suffix: str, chosen: Callable[[str], None]) -> None:
    """Ask where to write, for a dialog of exports: that asks once, itself, before a file is replaced."""
    dialog = QFileDialog(parent, title, name, kinds)
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.setDefaultSuffix(suffix)
    dialog.setOption(QFileDialog.Option.DontConfirmOverwrite)
    dialog.fileSelected.connect(chosen)
    ask(dialog)
