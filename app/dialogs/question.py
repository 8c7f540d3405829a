"""A question with buttons, such as whether to save first. It does not block."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QGridLayout, QLabel, QMessageBox, QWidget


class Question(QMessageBox):
    """Asks `text`, with `more` below it. Buttons have the names of QMessageBox.StandardButton."""

    def __init__(self, window: QWidget, text: str, more: str) -> None:
        super().__init__(QMessageBox.Icon.NoIcon, "Tessera", text, parent=window)
        self.setInformativeText(more)
        self._align()

    def add(self, name: str, tip: str, call: Callable[[], None] | None = None, text: str = "") -> None:
        """Add a button that calls `call`."""
        button = self.addButton(QMessageBox.StandardButton[name])
        button.setText(text or button.text())
        button.setToolTip(tip)
        button.setAccessibleName(button.text().replace("&", ""))
        if call is not None:
            button.clicked.connect(lambda: call())

    def set_default(self, name: str) -> None:
        """Set the button that Return presses."""
        self.setDefaultButton(QMessageBox.StandardButton[name])

    def _align(self) -> None:
        """Align text and buttons of a box without an icon at the left; Qt reserves space for the icon."""
        rows = self.layout()
        assert isinstance(rows, QGridLayout)
        first = rows.itemAt(0)
        if first is not None and first.spacerItem() is not None:
            rows.takeAt(0)
        rows.setColumnStretch(rows.columnCount() - 1, 1)
        rows.setContentsMargins(16, 16, 16, 16)
        for label in self.findChildren(QLabel):
            label.setContentsMargins(0, 0, 0, 4)
            label.setIndent(0)
