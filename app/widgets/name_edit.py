"""A field for a name or a line of text that is entered with Return."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit, QSizePolicy


class NameEdit(QLineEdit):
    """Edits a name; Escape restores it, Return enters it and ends editing."""

    def __init__(self, name: str, accessible: str, tip: str) -> None:
        super().__init__(name)
        self.name = name
        self.setCursorPosition(0)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(accessible)
        self.setToolTip(tip)

    def show_name(self, name: str) -> None:
        """Show another name; what is typed over the same one stays."""
        if name != self.name:
            self.name = name
            self.setText(name)
            self.setCursorPosition(0)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            event.setAccepted(self.text() != self.name)  # else it is left to the window
            self.setText(self.name)
            self.clearFocus()
        else:
            super().keyPressEvent(event)
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self.clearFocus()
