"""Cells of lists and trees, kept as they were painted last: a repaint of the window copies them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Hashable
from typing import NamedTuple

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QRect
from PySide6.QtGui import QColor, QPainter, QPixmap
from PySide6.QtWidgets import QAbstractItemView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from app.services.event_loop import turn_queue
from app.widgets.style import CHOSEN
from engine.core.bounded_cache import BoundedCache, SizedCache

_SELECTED, _HOVERED, _FOCUSED, _BY_KEY = (
    flag.value
    for flag in (
        QStyle.StateFlag.State_Selected,
        QStyle.StateFlag.State_MouseOver,
        QStyle.StateFlag.State_HasFocus,
        QStyle.StateFlag.State_KeyboardFocusChange,
    )
)
MOST_LAST, AT_LEAST = 1024, 2
"""Cells whose last pixmap is found again; cells that are painted in a turn however busy it is."""
_CELLS: SizedCache[Hashable, QPixmap] = SizedCache(16 << 20, lambda each: 4 * each.width() * each.height())


class CellState(NamedTuple):
    """Whether a cell is selected, under the pointer, and has the focus that the keyboard gave it."""

    selected: bool
    hovered: bool
    focused: bool


Paint = Callable[[QPainter, QRect, CellState], None]
"""Paints a cell into a rectangle; the painter has the font of the list."""


class Cell(NamedTuple):
    """One cell: `content` is all that it shows, and differs if it looks different; its pixmap with another content of
    the same `name` may stand in for it for a moment."""

    name: Hashable
    content: Hashable
    paint: Paint


class CellDelegate(QStyledItemDelegate):
    """Base of delegates that paint their cells themselves: copying one takes a tenth of the time of painting it.

    `BACKGROUND` is the colour of the list behind them. In a turn of the event loop that is busy, as while the window is
    resized, the last pixmap of a cell is stretched, and the cell is painted in one of the next turns.
    """

    BACKGROUND = ""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._last: BoundedCache[tuple[Hashable, CellState], Hashable] = BoundedCache(MOST_LAST)
        self._left = AT_LEAST  # to be painted in this turn even if it is busy
        self._awaited = False  # whether cells are painted in a later turn

    @abstractmethod
    def cell(self, index: QModelIndex | QPersistentModelIndex) -> Cell:
        """Return what a cell shows and how to paint it."""

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        cell, state = self.cell(index), _state(option)
        place: QRect = option.rect
        ratio = painter.device().devicePixelRatio()
        if ratio % 1:  # a cell may begin within a pixel of the screen then
            painter.save()
            cell.paint(painter, place, state)
            painter.restore()
            return
        key = (type(self), cell.content, state, place.width(), place.height(), ratio)
        last = self._last.get((cell.name, state))
        pixmap = _CELLS.get(key)
        if pixmap is None and last is not None and self._is_to_wait:
            pixmap = _CELLS.get(last)
            self._go_on_later(option.widget)
        if pixmap is None:
            pixmap = self._painted(cell.paint, option, state, ratio)
            _CELLS.put(key, pixmap)
            self._last.put((cell.name, state), key)
        painter.drawPixmap(place, pixmap)

    @property
    def _is_to_wait(self) -> bool:
        self._left -= 1
        return self._left < 0 and turn_queue().is_busy

    def _go_on_later(self, view: QWidget) -> None:
        if not self._awaited:
            self._awaited = True
            turn_queue().put(view, lambda: self._go_on(view))

    def _go_on(self, view: QWidget) -> None:
        self._awaited, self._left = False, AT_LEAST
        assert isinstance(view, QAbstractItemView)
        view.viewport().update()

    def _painted(self, paint: Paint, option: QStyleOptionViewItem, state: CellState, ratio: float) -> QPixmap:
        size = option.rect.size()
        made = QPixmap(size * ratio)
        made.setDevicePixelRatio(ratio)
        made.fill(QColor(self.BACKGROUND))
        with QPainter(made) as painter:
            painter.setFont(option.font)
            paint(painter, QRect(0, 0, size.width(), size.height()), state)
        return made


def _state(option: QStyleOptionViewItem) -> CellState:
    bits = option.state.value
    focused = bits & _FOCUSED and bits & _BY_KEY
    return CellState(bool(bits & _SELECTED), bool(bits & _HOVERED), bool(focused))


def paint_state(painter: QPainter, box: QRect, state: CellState) -> None:
    """Fill a cell that is selected or under the pointer."""
    if state.selected or state.hovered:
        painter.fillRect(box, QColor(CHOSEN if state.selected else "#383838"))


def forget_cells() -> None:
    """Forget how cells were painted: they may show images that are closed."""
    _CELLS.drop()
