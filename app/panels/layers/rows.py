"""The delegate that paints the rows of the Layers panel: thumbnail, name, and what the layer holds."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QRect, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from app.model.layer_tree import LayerNode, PartNode
from app.panels.layers.model import NODE, SHOWN, Index, Key
from app.panels.layers.thumbnails import Thumbnail
from app.widgets.style import ACCENT, CHOSEN, MUTED, TEXT
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


class RowDelegate(QStyledItemDelegate):
    """Paints parts, layers and channels. `thumbnail` returns that of a layer, None until it is made."""

    def __init__(self, thumbnail: Callable[[Key], Thumbnail | None], parent: QObject) -> None:
        super().__init__(parent)
        self._thumbnail = thumbnail

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        node = index.data(NODE)
        height = LAYER if isinstance(node, LayerNode) else PART if isinstance(node, PartNode) else CHANNEL
        return QSize(0, height)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        node, box = index.data(NODE), QRect(option.rect)
        state: QStyle.StateFlag = option.state
        painter.save()
        if state & QStyle.StateFlag.State_Selected:
            painter.fillRect(box, QColor(CHOSEN))
        elif state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(box, QColor("#383838"))
        if state & QStyle.StateFlag.State_HasFocus and state & QStyle.StateFlag.State_KeyboardFocusChange:
            painter.setPen(QColor(ACCENT))
            painter.drawRect(box.adjusted(0, 0, -1, -1))
        shown = bool(index.data(SHOWN))
        if shown:
            painter.fillRect(QRect(box.left(), box.top(), MARK, box.height()), QColor(TEXT))
        inner = box.adjusted(PAD + MARK, 0, -PAD, 0)
        quiet = TEXT if state & QStyle.StateFlag.State_Selected else MUTED
        if isinstance(node, LayerNode):
            self._paint_layer(painter, inner, node, shown, quiet)
        elif isinstance(node, PartNode):
            _two_texts(painter, inner, node.label, f"{node.part.width} × {node.part.height}", (TEXT, quiet))
        else:
            _two_texts(painter, inner, index.data(Qt.ItemDataRole.DisplayRole), node.type, (TEXT, quiet), shown)
        painter.restore()

    def _paint_layer(self, painter: QPainter, inner: QRect, node: LayerNode, shown: bool, quiet: str) -> None:
        thumbnail = self._thumbnail((node.part.index, node.layer.name))
        field = QRect(inner.left(), inner.center().y() - FIELD.height() // 2 + 1, FIELD.width(), FIELD.height())
        image = thumbnail.image if thumbnail is not None else None
        draw_thumbnail(painter, field, image, failed=thumbnail is not None and image is None)
        left = field.right() + GAP
        half = inner.height() // 2 - 2
        first = QRect(left, inner.top() + 3, inner.right() - left, half)
        second = first.translated(0, half)
        _set_font(painter, bold=shown)
        painter.setPen(QColor(TEXT))
        painter.drawText(first, LEFT, _elided(painter, node.label, first.width(), Qt.TextElideMode.ElideMiddle))
        values = f"~{thumbnail.values}" if thumbnail is not None and thumbnail.values else ""
        _set_font(painter, SMALL)
        _two_texts(painter, second, node.facts, values, (quiet, quiet))


def _two_texts(
    painter: QPainter, box: QRect, text: str, more: str, colours: tuple[str, str], bold: bool = False
) -> None:
    """Paint a text on the left, elided, and one on the right, in these colours."""
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
