"""The delegate that paints the tiles of the LUT wall: thumbnail, name, and a star for favourites."""

from __future__ import annotations

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from app.panels.wall.model import ITEM, Index, WallItem
from app.widgets.style import CHOSEN, MUTED, TEXT, icon
from app.widgets.thumbnail import draw_thumbnail

PAD, NAME, GUTTER = 6, 18, 4
MARK = 14
LEAST, SHAPE = 144, (16, 9)
"""Least width of a thumbnail in pixels, and the aspect ratio of its field."""


class TileDelegate(QStyledItemDelegate):
    """Paints one tile. As many tiles as fit share the width of the wall."""

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

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        item: WallItem = index.data(ITEM)
        box: QRect = option.rect.adjusted(2, 2, -2, -2)
        state: QStyle.StateFlag = option.state
        painter.save()
        if state & QStyle.StateFlag.State_Selected:
            painter.fillRect(box, QColor(CHOSEN))
        elif state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(box, QColor("#383838"))
        across = option.rect.width() - 2 * PAD
        image = QRect(box.left() + PAD - 2, box.top() + PAD - 2, across, _height(across))
        draw_thumbnail(painter, image, item.image, bool(item.problem or item.missing))
        if item.favourite:
            icon("star").paint(painter, image.right() - MARK - 2, image.top() + 3, MARK, MARK)
        name = QRect(image.left(), image.bottom() + 3, across, NAME)
        quiet = item.problem and not state & QStyle.StateFlag.State_Selected  # MUTED is too dark on CHOSEN
        painter.setPen(QColor(MUTED if quiet else TEXT))
        short = painter.fontMetrics().elidedText(item.name, Qt.TextElideMode.ElideMiddle, across)
        painter.drawText(name, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, short)
        painter.restore()


def _height(across: int) -> int:
    """Return the height of a thumbnail field of a given width."""
    return across * SHAPE[1] // SHAPE[0]
