"""The list view of the LUT wall, and its keys."""

from __future__ import annotations

from PySide6.QtCore import QAbstractProxyModel, QPoint, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QKeyEvent, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QListView

from app.panels.wall.model import ITEM
from app.panels.wall.tiles import TileDelegate
from app.widgets.hint import paint_hint

NO_FOLDER = "Choose a folder of LUT and CDL files to see the current frame with each of them applied."
NOTHING_FOUND = "No file in this folder matches the search and the favourites filter."


class WallList(QListView):
    """The tiles. Return adds the selected LUT to the grade, * toggles a favourite."""

    taken = Signal()
    favourite_toggled = Signal()
    menu_wanted = Signal(QPoint)  # the global position of the menu for the selected tile

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName("LUT and CDL files of the folder")
        self.setToolTip("Arrow keys try a file on the image, Return adds it to the grade, Esc ends trying it")
        self.setViewMode(QListView.ViewMode.IconMode)
        self.setResizeMode(QListView.ResizeMode.Adjust)
        self.setMovement(QListView.Movement.Static)
        self.setUniformItemSizes(True)
        self.setMouseTracking(True)
        self.setItemDelegate(TileDelegate(self))
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.scheduleDelayedItemsLayout()  # the width of the tiles depends on it

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self.model().rowCount() == 0:
            paint_hint(self, NOTHING_FOUND if self.has_looks else NO_FOLDER)

    @property
    def has_looks(self) -> bool:
        """Whether the folder has files, shown or filtered out."""
        model = self.model()
        return isinstance(model, QAbstractProxyModel) and model.sourceModel().rowCount() > 0

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        if event.reason() == QContextMenuEvent.Reason.Keyboard:
            tile = self.visualRect(self.currentIndex())
            self.menu_wanted.emit(self.viewport().mapToGlobal(tile.center()))
        elif self.indexAt(event.pos()).isValid():  # the press of the button has selected it
            self.menu_wanted.emit(event.globalPos())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        keys = {
            Qt.Key.Key_Return: self.taken,
            Qt.Key.Key_Enter: self.taken,
            Qt.Key.Key_Asterisk: self.favourite_toggled,
        }
        signal = keys.get(Qt.Key(event.key()))
        item = self.currentIndex().data(ITEM)
        if event.key() == Qt.Key.Key_Escape and item is not None and item.look is None:
            self.selectionModel().clear()  # it is not tried; Esc in the window ends trying others
        elif signal is None:
            super().keyPressEvent(event)
        else:
            signal.emit()
