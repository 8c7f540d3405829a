"""Tabs whose pages are made when they are first shown: a dialog with many of them opens at once."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QTabWidget, QVBoxLayout, QWidget


class LatePages(QTabWidget):
    """A tab widget that is given functions instead of pages."""

    def __init__(self) -> None:
        super().__init__()
        self._make: list[Callable[[], QWidget]] = []
        self._columns: list[QVBoxLayout] = []
        self._pages: dict[int, QWidget] = {}
        self.currentChanged.connect(self.page)

    def add(self, title: str, make: Callable[[], QWidget]) -> int:
        """Add a tab, whose page `make` makes; return its index."""
        holder = QWidget()
        column = QVBoxLayout(holder)
        column.setContentsMargins(0, 0, 0, 0)
        self._make.append(make)
        self._columns.append(column)
        return self.addTab(holder, title)

    def page(self, index: int) -> QWidget:
        """Return the page of a tab, made now if it was not shown yet."""
        if index not in self._pages:
            self._pages[index] = self._make[index]()
            self._columns[index].addWidget(self._pages[index])
            self._pages[index].show()  # by itself, Qt shows it a turn later
        return self._pages[index]
