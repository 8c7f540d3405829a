"""The History panel: the undo steps of the current document, oldest first."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QColor, QFont
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QVBoxLayout, QWidget

from app.services.open_documents import OpenDocuments
from app.widgets.style import MUTED

ROW_HEIGHT = 22


class HistoryPanel(QWidget):
    """A list of the steps. The current step is selected; undone steps, which redo restores, are dimmed."""

    def __init__(self, documents: OpenDocuments) -> None:
        super().__init__()
        self.setObjectName("listPanel")
        self._documents = documents
        self.list = QListWidget()
        self.list.setAccessibleName("History of the grade")
        self.list.setToolTip("All changes, oldest first. Click one or use the arrow keys to go to that state.")
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.list)
        documents.history_changed.connect(self._show)
        self.list.currentRowChanged.connect(self._go)
        self._show()

    def _show(self) -> None:
        """Show the current steps; update only items that differ, since a drag changes the last one repeatedly."""
        document = self._documents.current
        texts = [text[:1].upper() + text[1:] or "Opened" for text in document.history]
        blocked = self.list.blockSignals(True)
        while self.list.count() > len(texts):
            self.list.takeItem(self.list.count() - 1)
        for row, text in enumerate(texts):
            item = self.list.item(row) or self._new_item()
            if item.text() != text:
                item.setText(text)
                item.setToolTip(text)
            ahead = row > document.steps
            if item.font().italic() != ahead:
                font = QFont(self.list.font())
                font.setItalic(ahead)
                item.setFont(font)
                item.setForeground(QColor(MUTED) if ahead else self.list.palette().text())
        if self.list.currentRow() != document.steps:
            self.list.setCurrentRow(document.steps)
        self.list.blockSignals(blocked)

    def _new_item(self) -> QListWidgetItem:
        item = QListWidgetItem(self.list)
        item.setSizeHint(QSize(0, ROW_HEIGHT))
        return item

    def _go(self, row: int) -> None:
        if row >= 0:
            self._documents.current.go_to(row)
