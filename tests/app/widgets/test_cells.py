"""The cells of lists that are kept as they were painted."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest
from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, QStringListModel
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtWidgets import QListView, QStyle, QStyleOptionViewItem

from app.services.event_loop import BUSY_SECONDS
from app.widgets.cells import AT_LEAST, Cell, CellDelegate, CellState, forget_cells
from tests.app.turns import compute

STATE = QStyle.StateFlag
PLACE = QRect(3, 5, 40, 20)


class Words(CellDelegate):
    """Paints words, and counts how often."""

    BACKGROUND = "#123456"

    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    def cell(self, index: QModelIndex | QPersistentModelIndex) -> Cell:
        return Cell(index.row(), str(index.data()), partial(self._draw, str(index.data())))

    def _draw(self, word: str, painter: QPainter, place: QRect, state: CellState) -> None:
        self.count += 1
        if state.selected or state.hovered:
            painter.fillRect(place, QColor("#808080" if state.selected else "#404040"))
        painter.setPen(QColor("#ff0000" if state.focused else "#ffffff"))
        painter.drawText(place, word)


@pytest.fixture(autouse=True)
def nothing_kept() -> None:
    forget_cells()


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
    forget_cells()
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


def test_in_a_busy_turn_the_last_pixmaps_stand_in(busy_turns: None, qtbot: Any):
    delegate, model, view = Words(), QStringListModel([f"word {n}" for n in range(6)]), QListView()
    view.setModel(model)
    view.setItemDelegate(delegate)
    view.resize(200, 300)
    qtbot.addWidget(view)
    view.show()
    qtbot.waitUntil(lambda: delegate.count >= 6)
    before, delegate.count = view.grab().toImage(), 0
    model.setStringList([f"other {n}" for n in range(6)])
    compute(BUSY_SECONDS + 0.002)
    stale = view.grab().toImage()
    assert delegate.count <= AT_LEAST and stale != before
    qtbot.waitUntil(lambda: delegate.count == 6)
    forget_cells()
    shown = view.grab().toImage()
    assert shown != stale and delegate.count >= 6
