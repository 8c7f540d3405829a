"""The list view of the LUT wall, and its keys."""

from __future__ import annotations

from PySide6.QtCore import QAbstractProxyModel, Qt, Signal
from PySide6.QtGui import QKeyEvent

from app.panels.wall.model import ITEM
from app.panels.wall.tiles import TileDelegate
from app.widgets.tile_list import TileList

NO_FOLDER = "Choose a folder of LUT and CDL files to see the current frame with each of them applied."
NOTHING_FOUND = "No file in this folder matches the search and the favourites filter."


class WallList(TileList):
    """The tiles. Return adds the selected LUT to the grade, * toggles a favourite."""

    taken = Signal()
    favourite_toggled = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName("LUT and CDL files of the folder")
        self.setToolTip("Arrow keys try a file on the image, Return adds it to the grade, Esc ends trying it")
        self.setItemDelegate(TileDelegate(self))

    def empty_text(self) -> str:
        return NOTHING_FOUND if self.has_looks else NO_FOLDER

    @property
    def has_looks(self) -> bool:
        """Whether the folder has files, shown or filtered out."""
        model = self.model()
        return isinstance(model, QAbstractProxyModel) and model.sourceModel().rowCount() > 0

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
