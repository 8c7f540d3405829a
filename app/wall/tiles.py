"""How a look is drawn on the wall: its thumbnail, its name below, a star where it is a favourite."""

from __future__ import annotations

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from app.style import CHOSEN, MUTED, TEXT, icon
from app.wall.maker import HEIGHT, WIDTH
from app.wall.model import ITEM, Index, WallItem

PAD, NAME = 6, 18
MARK = 14


class TileDelegate(QStyledItemDelegate):
    """One tile of the wall."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(WIDTH + 2 * PAD, HEIGHT + NAME + 2 * PAD)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        item: WallItem = index.data(ITEM)
        box: QRect = option.rect.adjusted(2, 2, -2, -2)
        state: QStyle.StateFlag = option.state
        painter.save()
        if state & QStyle.StateFlag.State_Selected:
            painter.fillRect(box, QColor(CHOSEN))
        elif state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(box, QColor("#383838"))
        picture = QRect(box.left() + PAD - 2, box.top() + PAD - 2, WIDTH, HEIGHT)
        self._draw_picture(painter, picture, item)
        if item.favourite:
            icon("star").paint(painter, picture.right() - MARK - 2, picture.top() + 3, MARK, MARK)
        name = QRect(picture.left(), picture.bottom() + 3, WIDTH, NAME)
        painter.setPen(QColor(MUTED if item.problem else TEXT))
        short = painter.fontMetrics().elidedText(item.name, Qt.TextElideMode.ElideMiddle, WIDTH)
        painter.drawText(name, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, short)
        painter.restore()

    @staticmethod
    def _draw_picture(painter: QPainter, place: QRect, item: WallItem) -> None:
        painter.fillRect(place, QColor("#262626"))
        if item.image is not None:
            size = item.image.size()
            left = place.left() + (place.width() - size.width()) // 2
            top = place.top() + (place.height() - size.height()) // 2
            painter.drawImage(left, top, item.image)
        elif item.problem:
            middle = place.center()
            icon("warning").paint(painter, middle.x() - 10, middle.y() - 10, 20, 20)
