"""The tiles of the wall of looks as a list, and its keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QListView

from app.panels.wall.tiles import TileDelegate
from app.widgets.hint import paint_hint

if TYPE_CHECKING:
    from app.panels.look_wall import LookWall

NO_FOLDER = "Choose a folder of LUT and CDL files: the frame hangs here under each of them, live with the grade."
NOTHING_FOUND = "No look of this folder is called so, or none of those is a favourite."


class WallList(QListView):
    """The tiles. Return takes the current look, Escape lets go of it, * makes it a favourite."""

    def __init__(self, panel: LookWall) -> None:
        super().__init__()
        self._panel = panel
        self.setAccessibleName("Looks of the folder")
        self.setToolTip("Arrow keys show a look on the whole image, Return takes it into the grade, Escape lets it go")
        self.setViewMode(QListView.ViewMode.IconMode)
        self.setResizeMode(QListView.ResizeMode.Adjust)
        self.setMovement(QListView.Movement.Static)
        self.setUniformItemSizes(True)
        self.setMouseTracking(True)
        self.setItemDelegate(TileDelegate(self))
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.scheduleDelayedItemsLayout()  # tiles share another width

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self.model().rowCount() == 0:
            paint_hint(self, NOTHING_FOUND if self._panel.model.rowCount() else NO_FOLDER)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        keys = {
            Qt.Key.Key_Return: self._panel.take,
            Qt.Key.Key_Enter: self._panel.take,
            Qt.Key.Key_Escape: self._panel.let_go,
            Qt.Key.Key_Asterisk: self._panel.toggle_favourite,
        }
        act = keys.get(Qt.Key(event.key()))
        if act is None:
            super().keyPressEvent(event)
        else:
            act()
