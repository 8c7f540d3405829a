"""Helpers to show dialogs, and to create buttons and captions."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QFileDialog, QHBoxLayout, QLabel, QPushButton, QWidget


def ask(dialog: QDialog) -> None:
    """Show a window-modal dialog and return at once; delete the dialog when it closes."""
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.open()


def push_button(text: str, tip: str, call: Callable[[], object]) -> QPushButton:
    """Return a button that Return presses only while it has the focus."""
    button = QPushButton(text)
    button.setToolTip(tip)
    button.setAccessibleName(text.rstrip("…"))
    button.setAutoDefault(False)
    button.clicked.connect(lambda: call())
    return button


def captioned(text: str, control: QWidget) -> QHBoxLayout:
    """Return a row with a caption and the control that it names."""
    caption = QLabel(text)
    caption.setBuddy(control)
    caption.setToolTip(control.toolTip())
    row = QHBoxLayout()
    row.setSpacing(8)
    row.addWidget(caption)
    row.addWidget(control, 1)
    return row


def ask_target(parent: QWidget, title: str, name: str, kinds: str, suffix: str, chosen: Callable[[str], None]) -> None:
    """Ask for a target file. Does not ask whether to replace it, since the export dialogs do so themselves."""
    dialog = QFileDialog(parent, title, name, kinds)
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.setDefaultSuffix(suffix)
    dialog.setOption(QFileDialog.Option.DontConfirmOverwrite)
    dialog.fileSelected.connect(chosen)
    ask(dialog)
