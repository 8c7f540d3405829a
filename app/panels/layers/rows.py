"""The delegate that paints the rows of the Layers panel: thumbnail, name, and what the layer holds."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import partial

from PySide6.QtCore import QObject, QRect, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QImage, QPainter
from PySide6.QtWidgets import QStyleOptionViewItem

from app.model.layer_tree import LayerNode, PartNode
from app.panels.layers.model import NODE, SHOWN, Index, Key
from app.panels.layers.thumbnails import Thumbnail
from app.widgets.cells import Cell, CellDelegate, CellState, Paint, paint_state
from app.widgets.style import ACCENT, LIST, MUTED, TEXT
from app.widgets.thumbnail import draw_thumbnail

FIELD = QSize(64, 36)
"""Size of the field of a thumbnail, in pixels."""
LAYER, PART, CHANNEL = 44, 24, 20
"""Heights of rows."""
PAD, GAP, MARK = 4, 8, 2
SMALL = 11
"""Font size of the second line."""
LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class RowDelegate(CellDelegate):
    """Paints parts, layers and channels. `thumbnail` returns that of a layer, None until it is made."""

    BACKGROUND = LIST

    def __init__(self, thumbnail: Callable[[Key], Thumbnail | None], parent: QObject) -> None:
        super().__init__(parent)
        self._thumbnail = thumbnail

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        node = index.data(NODE)
        height = LAYER if isinstance(node, LayerNode) else PART if isinstance(node, PartNode) else CHANNEL
        return QSize(0, height)

    def cell(self, index: Index) -> Cell:
        node, shown = index.data(NODE), bool(index.data(SHOWN))
        if isinstance(node, LayerNode):
            thumbnail = self._thumbnail((node.part.index, node.layer.name))
            image = thumbnail.image if thumbnail is not None else None
            failed = thumbnail is not None and image is None
            values = f"~{thumbnail.values}" if thumbnail is not None and thumbnail.values else ""
            texts = node.label, node.facts, values
            painted = (image.cacheKey() if image is not None else 0, failed)
            return _cell((*texts, *painted, shown), partial(_paint_layer, texts, image, failed, shown))
        if isinstance(node, PartNode):
            size = f"{node.part.width} × {node.part.height}"
            return _cell((node.label, size, shown), partial(_paint_texts, (node.label, size), shown, False))
        both = index.data(Qt.ItemDataRole.DisplayRole), node.type
        return _cell((*both, shown, "channel"), partial(_paint_texts, both, shown, shown))


def _cell(content: Hashable, paint: Paint) -> Cell:
    """Return a cell that only its own pixmap of another width may stand in for."""
    return Cell(content, content, paint)


def _paint_layer(
    texts: tuple[str, str, str],
    image: QImage | None,
    failed: bool,
    shown: bool,
    painter: QPainter,
    place: QRect,
    state: CellState,
) -> None:
    """Paint the label, the facts and the range of the values of a layer beside its thumbnail."""
    inner, quiet = _paint_row(painter, place, state, shown)
    field = QRect(inner.left(), inner.center().y() - FIELD.height() // 2 + 1, FIELD.width(), FIELD.height())
    draw_thumbnail(painter, field, image, failed)
    left = field.right() + GAP
    half = inner.height() // 2 - 2
    first = QRect(left, inner.top() + 3, inner.right() - left, half)
    second = first.translated(0, half)
    _set_font(painter, bold=shown)
    painter.setPen(QColor(TEXT))
    painter.drawText(first, LEFT, _elided(painter, texts[0], first.width(), Qt.TextElideMode.ElideMiddle))
    _set_font(painter, SMALL)
    _two_texts(painter, second, texts[1:], (quiet, quiet))


def _paint_texts(
    texts: tuple[str, str], shown: bool, bold: bool, painter: QPainter, place: QRect, state: CellState
) -> None:
    """Paint the row of a part or a channel."""
    inner, quiet = _paint_row(painter, place, state, shown)
    _two_texts(painter, inner, texts, (TEXT, quiet), bold)


def _paint_row(painter: QPainter, place: QRect, state: CellState, shown: bool) -> tuple[QRect, str]:
    """Paint what all rows have, and return the rectangle inside and the colour of secondary text."""
    paint_state(painter, place, state)
    if state.focused:
        painter.setPen(QColor(ACCENT))
        painter.drawRect(place.adjusted(0, 0, -1, -1))
    if shown:
        painter.fillRect(QRect(place.left(), place.top(), MARK, place.height()), QColor(TEXT))
    return place.adjusted(PAD + MARK, 0, -PAD, 0), TEXT if state.selected else MUTED


def _two_texts(
    painter: QPainter, box: QRect, texts: tuple[str, str], colours: tuple[str, str], bold: bool = False
) -> None:
    """Paint a text on the left, elided, and one on the right, in these colours."""
    text, more = texts
    width = painter.fontMetrics().horizontalAdvance(more) + GAP if more else 0
    painter.setPen(QColor(colours[1]))
    painter.drawText(box, RIGHT, more)
    if bold:
        _set_font(painter, bold=True)
    painter.setPen(QColor(colours[0]))
    painter.drawText(box, LEFT, _elided(painter, text, box.width() - width, Qt.TextElideMode.ElideRight))


def _set_font(painter: QPainter, size: int = 0, bold: bool = False) -> None:
    font = QFont(painter.font())
    font.setBold(bold)
    if size:
        font.setPixelSize(size)
    painter.setFont(font)


def _elided(painter: QPainter, text: str, width: int, mode: Qt.TextElideMode) -> str:
    return QFontMetrics(painter.font()).elidedText(text, mode, width)
