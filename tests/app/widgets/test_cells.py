"""The cells of lists that are kept as they were painted."""

from __future__ import annotations

from collections.abc import Hashable

import pytest
from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, QStringListModel
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtWidgets import QListView, QStyle, QStyleOptionViewItem

from app.widgets import cells
from app.widgets.cells import CellDelegate, CellState, Paint

STATE = QStyle.StateFlag
PLACE = QRect(3, 5, 40, 20)


class Words(CellDelegate):
    """Paints words, and counts how often."""

    BACKGROUND = "#123456"

    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    def cell(self, index: QModelIndex | QPersistentModelIndex) -> tuple[Hashable, Paint]:
        return str(index.data()), lambda *given: self._draw(str(index.data()), *given)

    def _draw(self, word: str, painter: QPainter, place: QRect, state: CellState) -> None:
        self.count += 1
        if state.selected or state.hovered:
            painter.fillRect(place, QColor("#808080" if state.selected else "#404040"))
        painter.setPen(QColor("#ff0000" if state.focused else "#ffffff"))
        painter.drawText(place, word)


@pytest.fixture(autouse=True)
def nothing_kept() -> None:
    cells._CELLS.drop()


def painted(delegate: Words, word: str, state: QStyle.StateFlag = STATE.State_None, ratio: float = 1.0) -> QImage:
    """A cell on the background of its list."""
    image = QImage(QSize(60, 40) * ratio, QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(ratio)
    image.fill(QColor(delegate.BACKGROUND))
    option, model, view = QStyleOptionViewItem(), QStringListModel([word]), QListView()
    option.rect, option.font, option.state = PLACE, view.font(), state
    with QPainter(image) as painter:
        painter.setFont(view.font())
        delegate.paint(painter, option, model.index(0))
    return image


def painted_anew(delegate: Words, word: str, state: QStyle.StateFlag, ratio: float) -> QImage:
    cells._CELLS.drop()
    return painted(delegate, word, state, ratio)


@pytest.mark.parametrize("ratio", [1.0, 1.5, 2.0])
@pytest.mark.parametrize(
    "state", [STATE.State_None, STATE.State_Selected, STATE.State_MouseOver], ids=["plain", "selected", "hovered"]
)
def test_a_cell_that_is_kept_looks_as_if_it_was_painted(qapp: object, state: QStyle.StateFlag, ratio: float):
    delegate = Words()
    direct = QImage(QSize(60, 40) * ratio, QImage.Format.Format_RGB32)
    direct.setDevicePixelRatio(ratio)
    direct.fill(QColor(delegate.BACKGROUND))
    with QPainter(direct) as painter:
        painter.setFont(QListView().font())
        shown = CellState(state == STATE.State_Selected, state == STATE.State_MouseOver, False)
        delegate._draw("word", painter, PLACE, shown)
    first = painted_anew(delegate, "word", state, ratio)
    assert first == direct and painted(delegate, "word", state, ratio) == first
    assert delegate.count == (2 if ratio % 1 == 0 else 3), "between whole ratios it is painted each time"


def test_a_cell_is_painted_once_until_it_looks_different(qapp: object):
    delegate = Words()
    images = [painted(delegate, word) for word in ("one", "one", "two", "two", "one")]
    assert delegate.count == 2 and images[0] == images[1] == images[4] != images[2] == images[3]
    focused = STATE.State_HasFocus | STATE.State_KeyboardFocusChange
    for state in (STATE.State_Selected, STATE.State_MouseOver, focused):
        assert painted(delegate, "one", state) != images[0]
    assert delegate.count == 5
    assert painted(delegate, "one", STATE.State_HasFocus) == images[0], "a click has given the focus"
