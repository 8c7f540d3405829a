"""The list view of the gallery, and its keys."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QKeyEvent, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QListView

from app.panels.gallery.tiles import StillDelegate
from app.widgets.hint import paint_hint


class GalleryList(QListView):
    """The tiles. Return compares the current still with the image, F2 renames it, Delete deletes the selected ones."""

    taken = Signal()
    rename_wanted = Signal()
    delete_wanted = Signal()
    menu_wanted = Signal(QPoint)  # the global position of the menu for the selected stills

    def __init__(self) -> None:
        super().__init__()
        self.hint = ""
        """What the empty list says."""
        self.setAccessibleName("Stills")
        self.setToolTip("Return compares a still with the image; drag one onto an image to use its grade there")
        self.setViewMode(QListView.ViewMode.IconMode)
        self.setResizeMode(QListView.ResizeMode.Adjust)
        self.setMovement(QListView.Movement.Static)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setDragEnabled(True)
        self.setDragDropMode(QAbstractItemView.DragDropMode.DragOnly)
        self.setUniformItemSizes(True)
        self.setMouseTracking(True)
        self.setItemDelegate(StillDelegate(self))
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.scheduleDelayedItemsLayout()  # the width of the tiles depends on it

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self.model().rowCount() == 0:
            paint_hint(self, self.hint)

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
            Qt.Key.Key_F2: self.rename_wanted,
            Qt.Key.Key_Delete: self.delete_wanted,
        }
        signal = keys.get(Qt.Key(event.key()))
        if signal is None or event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            super().keyPressEvent(event)
        elif self.currentIndex().isValid():
            signal.emit()
