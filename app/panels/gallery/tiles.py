"""The delegate that paints the tiles of the gallery: thumbnail, name, and where and when it was grabbed."""

from __future__ import annotations

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from app.model.still import Still
from app.panels.gallery.model import STILL, GalleryModel, Index
from app.widgets.style import CHOSEN, MUTED, TEXT
from app.widgets.thumbnail import draw_thumbnail

PAD, LINE, GUTTER = 6, 16, 4
LEAST, SHAPE = 152, (16, 9)
"""Least width of a thumbnail in pixels, and the aspect ratio of its field."""
SMALL = 11
"""Font size of the second line, in pixels."""


class StillDelegate(QStyledItemDelegate):
    """Paints one tile. As many tiles as fit share the width of the gallery."""

    def __init__(self, gallery: QListView) -> None:
        super().__init__(gallery)
        self._gallery = gallery

    @property
    def width(self) -> int:
        """The distance from one tile to the next, in pixels."""
        available = self._gallery.width() - self._gallery.verticalScrollBar().sizeHint().width() - GUTTER
        least = LEAST + 2 * PAD
        return max(available // max(available // least, 1), least)

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        across = self.width
        return QSize(across, _height(across - 2 * PAD) + 2 * LINE + 2 * PAD + 2)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        still: Still = index.data(STILL)
        box: QRect = option.rect.adjusted(2, 2, -2, -2)
        state: QStyle.StateFlag = option.state
        selected = bool(state & QStyle.StateFlag.State_Selected)
        painter.save()
        if selected:
            painter.fillRect(box, QColor(CHOSEN))
        elif state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(box, QColor("#383838"))
        across = option.rect.width() - 2 * PAD
        image = QRect(box.left() + PAD - 2, box.top() + PAD - 2, across, _height(across))
        model = index.model()
        assert isinstance(model, GalleryModel)
        draw_thumbnail(painter, image, model.thumbnails.get(still), still.id in model.thumbnails.problems)
        name = QRect(image.left(), image.bottom() + 3, across, LINE)
        _write(painter, name, still.name, TEXT)
        font = painter.font()
        font.setPixelSize(SMALL)
        painter.setFont(font)
        date = still.date or still.source_name
        _write(painter, name.translated(0, LINE), date, TEXT if selected else MUTED)
        painter.restore()


def _write(painter: QPainter, place: QRect, text: str, colour: str) -> None:
    painter.setPen(QColor(colour))
    short = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideMiddle, place.width())
    painter.drawText(place, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, short)


def _height(across: int) -> int:
    """Return the height of a thumbnail field of a given width."""
    return across * SHAPE[1] // SHAPE[0]
