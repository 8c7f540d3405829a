"""The list view of the gallery, and its keys."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractItemView

from app.panels.gallery.tiles import StillDelegate
from app.widgets.tile_list import TileList


class GalleryList(TileList):
    """The tiles. Return compares the current still with the image, F2 renames it, Delete deletes the selected ones."""

    taken = Signal()
    rename_wanted = Signal()
    delete_wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.hint = ""
        """What the empty list says."""
        self.setAccessibleName("Stills")
        self.setToolTip("Return compares a still with the image; drag one onto an image to use its grade there")
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setDragEnabled(True)
        self.setDragDropMode(QAbstractItemView.DragDropMode.DragOnly)
        self.setItemDelegate(StillDelegate(self))

    def empty_text(self) -> str:
        return self.hint

    def keyPressEvent(self, event: QKeyEvent) -> None:
        keys = {
            Qt.Key.Key_Return: self.taken,
            Qt.Key.Key_Enter: self.taken,
            Qt.Key.Key_F2: self.rename_wanted,
            Qt.Key.Key_Delete: self.delete_wanted,
        }
        signal = keys.get(Qt.Key(event.key()))
        if signal is None or event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            super().keyPressEvent(event)
        elif self.currentIndex().isValid():
            signal.emit()
