"""The delegate that paints the tiles of the gallery: thumbnail, name, and where and when it was grabbed."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtWidgets import QListView, QStyleOptionViewItem

from app.model.still import Still
from app.panels.gallery.model import STILL, GalleryModel, Index
from app.widgets.cells import Cell, CellDelegate, CellState, paint_state
from app.widgets.style import MUTED, PANEL, TEXT
from app.widgets.thumbnail import draw_thumbnail

PAD, LINE, GUTTER = 6, 16, 4
LEAST, SHAPE = 152, (16, 9)
"""Least width of a thumbnail in pixels, and the aspect ratio of its field."""
SMALL = 11
"""Font size of the second line, in pixels."""


class StillDelegate(CellDelegate):
    """Paints one tile. As many tiles as fit share the width of the gallery."""

    BACKGROUND = PANEL

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

    def cell(self, index: Index) -> Cell:
        still: Still = index.data(STILL)
        model = index.model()
        assert isinstance(model, GalleryModel)
        image, failed = model.thumbnails.get(still), still.id in model.thumbnails.problems
        date = still.date or still.source_name
        content = still.name, date, image.cacheKey() if image is not None else 0, failed
        return Cell(still.id, content, partial(_paint, (still.name, date), image, failed))


def _paint(
    texts: tuple[str, str], image: QImage | None, failed: bool, painter: QPainter, place: QRect, state: CellState
) -> None:
    box = place.adjusted(2, 2, -2, -2)
    paint_state(painter, box, state)
    across = place.width() - 2 * PAD
    field = QRect(box.left() + PAD - 2, box.top() + PAD - 2, across, _height(across))
    draw_thumbnail(painter, field, image, failed)
    name = QRect(field.left(), field.bottom() + 3, across, LINE)
    _write(painter, name, texts[0], TEXT)
    font = painter.font()
    font.setPixelSize(SMALL)
    painter.setFont(font)
    _write(painter, name.translated(0, LINE), texts[1], TEXT if state.selected else MUTED)


def _write(painter: QPainter, place: QRect, text: str, colour: str) -> None:
    painter.setPen(QColor(colour))
    short = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideMiddle, place.width())
    painter.drawText(place, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, short)


def _height(across: int) -> int:
    """Return the height of a thumbnail field of a given width."""
    return across * SHAPE[1] // SHAPE[0]
