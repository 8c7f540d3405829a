"""The delegate that paints the tiles of the LUT wall: thumbnail, name, and a star for favourites."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QListView, QStyleOptionViewItem

from app.panels.wall.model import ITEM, Index, WallItem
from app.widgets.cells import Cell, CellDelegate, CellState, paint_state
from app.widgets.style import MUTED, PANEL, TEXT, icon
from app.widgets.thumbnail import draw_thumbnail

PAD, NAME, GUTTER = 6, 18, 4
MARK = 14
LEAST, SHAPE = 144, (16, 9)
"""Least width of a thumbnail in pixels, and the aspect ratio of its field."""


class TileDelegate(CellDelegate):
    """Paints one tile. As many tiles as fit share the width of the wall."""

    BACKGROUND = PANEL

    def __init__(self, wall: QListView) -> None:
        super().__init__(wall)
        self._wall = wall

    @property
    def width(self) -> int:
        """The distance from one tile to the next, in pixels."""
        available = self._wall.width() - self._wall.verticalScrollBar().sizeHint().width() - GUTTER
        least = LEAST + 2 * PAD
        return max(available // max(available // least, 1), least)

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        across = self.width
        return QSize(across, _height(across - 2 * PAD) + NAME + 2 * PAD)

    def cell(self, index: Index) -> Cell:
        item: WallItem = index.data(ITEM)
        image = item.image.cacheKey() if item.image is not None else 0
        content = item.name, item.favourite, image, bool(item.problem), bool(item.missing)
        return Cell(item.path, content, partial(_paint, item))


def _paint(item: WallItem, painter: QPainter, place: QRect, state: CellState) -> None:
    box = place.adjusted(2, 2, -2, -2)
    paint_state(painter, box, state)
    across = place.width() - 2 * PAD
    image = QRect(box.left() + PAD - 2, box.top() + PAD - 2, across, _height(across))
    draw_thumbnail(painter, image, item.image, bool(item.problem or item.missing))
    if item.favourite:
        icon("star").paint(painter, image.right() - MARK - 2, image.top() + 3, MARK, MARK)
    name = QRect(image.left(), image.bottom() + 3, across, NAME)
    quiet = item.problem and not state.selected  # MUTED is too dark on CHOSEN
    painter.setPen(QColor(MUTED if quiet else TEXT))
    short = painter.fontMetrics().elidedText(item.name, Qt.TextElideMode.ElideMiddle, across)
    painter.drawText(name, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, short)


def _height(across: int) -> int:
    """Return the height of a thumbnail field of a given width."""
    return across * SHAPE[1] // SHAPE[0]
