"""A line edit that says what its default is."""

from __future__ import annotations

from PySide6.QtGui import QFocusEvent, QMouseEvent
from PySide6.QtWidgets import QLineEdit


class DefaultLine(QLineEdit):
    """Shows a text such as "Same as the source" for the value '', selected as a whole, so that typing replaces it."""

    def __init__(self, default: str) -> None:
        super().__init__(default)
        self._default = default

    @property
    def value(self) -> str:
        """The typed value; '' for the default."""
        return self.value_of(self.text())

    def value_of(self, text: str) -> str:
        """Return the value that a text stands for."""
        return "" if text.strip() == self._default else text.strip()

    def set_value(self, value: str) -> None:
        """Show a value."""
        if value != self.value or not self.text():
            self.setText(value or self._default)
            self.setCursorPosition(0)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self._select()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        if not self.text().strip():
            self.setText(self._default)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        self._select()

    def _select(self) -> None:
        if not self.value:
            self.selectAll()
