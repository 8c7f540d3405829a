"""A list of tiles, as many side by side as fit."""

from __future__ import annotations

from abc import abstractmethod
from bisect import bisect_left, bisect_right

from PySide6.QtCore import QPoint, QRect, Signal
from PySide6.QtGui import QContextMenuEvent, QHideEvent, QPaintEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QListView

from app.widgets.hint import paint_hint


class TileList(QListView):
    """Tiles of one size, whose delegate takes their width from that of the list."""

    menu_wanted = Signal(QPoint)  # the global position of the menu for the selected tiles
    visible_changed = Signal()  # other tiles are visible: it was scrolled, resized, shown or hidden

    def __init__(self) -> None:
        super().__init__()
        self.setViewMode(QListView.ViewMode.IconMode)
        self.setResizeMode(QListView.ResizeMode.Adjust)
        self.setMovement(QListView.Movement.Static)
        self.setUniformItemSizes(True)
        self.setMouseTracking(True)
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.verticalScrollBar().valueChanged.connect(lambda _: self.visible_changed.emit())

    def visible_rows(self) -> range:
        """Return the rows of the model whose tiles are visible, also in part; none while the list is hidden."""
        rows, area = range(self.model().rowCount()), self.viewport().rect()

        def tile(row: int) -> QRect:
            return self.visualRect(self.model().index(row, 0))

        begin = bisect_left(rows, area.top(), key=lambda row: tile(row).bottom())
        end = bisect_right(rows, area.bottom(), key=lambda row: tile(row).top())
        return rows[begin:end] if self.isVisible() else range(0)

    @abstractmethod
    def empty_text(self) -> str:
        """Return what the empty list says."""

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.scheduleDelayedItemsLayout()  # the width of the tiles depends on it
            self.executeDelayedItemsLayout()  # at once: later, the tiles would be painted twice
        self.visible_changed.emit()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.visible_changed.emit()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.visible_changed.emit()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self.model().rowCount() == 0:
            paint_hint(self, self.empty_text())

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        if event.reason() == QContextMenuEvent.Reason.Keyboard:
            tile = self.visualRect(self.currentIndex())
            self.menu_wanted.emit(self.viewport().mapToGlobal(tile.center()))
        elif self.indexAt(event.pos()).isValid():  # the press of the button has selected it
            self.menu_wanted.emit(event.globalPos())
