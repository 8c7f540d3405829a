"""The History panel: the undo steps of the current document, oldest first."""

from __future__ import annotations

from itertools import zip_longest

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QColor, QFont
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QVBoxLayout, QWidget

from app.panels.following import Following
from app.services.current_document import CurrentDocument
from app.widgets.style import MUTED

ROW_HEIGHT = 22


class HistoryPanel(QWidget):
    """A list of the steps. The current step is selected; undone steps, which redo restores, are dimmed."""

    def __init__(self, current: CurrentDocument) -> None:
        super().__init__()
        self.setObjectName("listPanel")
        self._current = current
        self._rows: list[tuple[str, bool]] = []  # the text of each step that is shown, and whether it is undone
        self.list = QListWidget()
        self.list.setAccessibleName("History of the grade")
        self.list.setToolTip("All changes, oldest first. Click one or use the arrow keys to go to that state.")
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.list)
        self.list.currentRowChanged.connect(self._go)
        Following(self, self._show, current.switch, current.history_changed)

    def _show(self) -> None:
        """Show the current steps; update only rows that differ."""
        document = self._current.document
        rows = [(text, row > document.steps) for row, text in enumerate(document.history)]
        blocked = self.list.blockSignals(True)
        while self.list.count() > len(rows):
            self.list.takeItem(self.list.count() - 1)
        for row, (shown, wanted) in enumerate(zip_longest(self._rows[: len(rows)], rows)):
            if shown != wanted:
                self._show_step(self.list.item(row) or self._new_item(), *wanted)
        self._rows = rows
        if self.list.currentRow() != document.steps:
            self.list.setCurrentRow(document.steps)
        self.list.blockSignals(blocked)

    def _show_step(self, item: QListWidgetItem, text: str, ahead: bool) -> None:
        """Show a step in its row; `ahead` is whether it is undone."""
        title = text[:1].upper() + text[1:] or "Opened"
        item.setText(title)
        item.setToolTip(title)
        font = QFont(self.list.font())
        font.setItalic(ahead)
        item.setFont(font)
        item.setForeground(QColor(MUTED) if ahead else self.list.palette().text())

    def _new_item(self) -> QListWidgetItem:
        item = QListWidgetItem(self.list)
        item.setSizeHint(QSize(0, ROW_HEIGHT))
        return item

    def _go(self, row: int) -> None:
        if row >= 0:
            self._current.document.go_to(row)
