"""A layout that places widgets in rows, as words in a paragraph."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QLayout, QLayoutItem, QWidget


class FlowLayout(QLayout):
    """Rows of widgets, each as wide as it wants to be; the last one takes the rest of its row if it is `filling`."""

    def __init__(self, parent: QWidget, spacing: int = 4, filling: int = 0) -> None:
        """`filling` is the least width of the last widget; 0 leaves it as wide as it wants to be."""
        super().__init__(parent)
        self._items: list[QLayoutItem] = []
        self._filling = filling
        self.setContentsMargins(0, 0, 0, 0)
        self.setSpacing(spacing)

    def addItem(self, item: QLayoutItem) -> None:
        self._items.append(item)

    def insert(self, index: int, widget: QWidget) -> None:
        """Add a widget before the one at `index`."""
        self.addWidget(widget)
        self._items.insert(index, self._items.pop())

    def count(self) -> int:
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return self._arrange(QRect(0, 0, width, 0), move=False)

    def setGeometry(self, rect: QRect) -> None:
        super().setGeometry(rect)
        self._arrange(rect, move=True)

    def sizeHint(self) -> QSize:
        return self.minimumSize()

    def minimumSize(self) -> QSize:
        size = QSize()
        for item in self._items:
            size = size.expandedTo(QSize(0, item.minimumSize().height()))
        return size

    def _arrange(self, rect: QRect, move: bool) -> int:
        """Return the height that the widgets take; place them if `move` is set."""
        x, y, height = rect.x(), rect.y(), 0
        row: list[tuple[QLayoutItem, QRect]] = []
        for item in self._items:
            if item.isEmpty():
                continue
            hint = item.sizeHint()
            fills = bool(self._filling) and item is self._items[-1]
            width = min(self._filling if fills else hint.width(), rect.width())
            if x > rect.x() and x + width > rect.x() + rect.width():
                _place(row, height, move)
                x, y, height, row = rect.x(), y + height + self.spacing(), 0, []
            if fills:
                width = rect.x() + rect.width() - x
            row.append((item, QRect(QPoint(x, y), QSize(width, hint.height()))))
            x += width + self.spacing()
            height = max(height, hint.height())
        _place(row, height, move)
        return y + height - rect.y()


def _place(row: list[tuple[QLayoutItem, QRect]], height: int, move: bool) -> None:
    """Place the widgets of a row in the middle of its height, if `move` is set."""
    for item, box in row if move else ():
        item.setGeometry(box.translated(0, (height - box.height()) // 2))
