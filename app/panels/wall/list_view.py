"""The list view of the LUT wall, and its keys."""

from __future__ import annotations

from PySide6.QtCore import QAbstractProxyModel, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QListView

from app.panels.wall.tiles import TileDelegate
from app.widgets.hint import paint_hint

NO_FOLDER = "Choose a folder of LUT and CDL files to see the current frame with each of them applied."
NOTHING_FOUND = "No file in this folder matches the search and the favourites filter."


class WallList(QListView):
    """The tiles. Return adds the selected LUT to the grade, Escape clears the selection, * toggles a favourite."""

    taken = Signal()
    let_go = Signal()
    favourite_toggled = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName("LUT and CDL files of the folder")
        self.setToolTip("Arrow keys preview a file on the image, Return adds it to the grade, Escape ends the preview")
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

    def keyPressEvent(self, event: QKeyEvent) -> None:
        keys = {
            Qt.Key.Key_Return: self.taken,
            Qt.Key.Key_Enter: self.taken,
            Qt.Key.Key_Escape: self.let_go,
            Qt.Key.Key_Asterisk: self.favourite_toggled,
        }
        signal = keys.get(Qt.Key(event.key()))
        if signal is None:
            super().keyPressEvent(event)
        else:
            signal.emit()
