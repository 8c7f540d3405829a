"""The part of the preview that concerns compare grids: many images at once, each with its own grade."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence

from PySide6.QtCore import QObject, Signal

from app.render.grid_requests import CellRequest, GridRequest
from app.render.matte_preview import MattePreview
from engine.viewing import Levels


class GridPreview(MattePreview):
    """Requests the cells of a grid; a newer request replaces the pending one. `Preview` answers them."""

    cell = Signal(int, object, object, bool, str)  # place, QImage or None, CellRequest, if exact, why there is none

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.budget = 0
        self._gridding: GridRequest | None = None
        self._grid: GridRequest | None = None

    def submit_grid(self, cells: Sequence[CellRequest | None], done: Iterable[int] = ()) -> None:
        """Request the cells of a grid instead of frames of the displayed image, until `end_grid`. Those at the places
        `done` are on the screen already."""
        shown = {cell.levels: None for cell in cells if cell is not None}
        self._watch(self._displayed, *(levels for levels in shown if levels is not self._displayed))
        for levels in self._watched:
            levels.set_budget(self.budget // len(self._watched))
        with self._changed:
            self._request = None
            self._gridding = self._grid = GridRequest(self._serial, tuple(cells), frozenset(done))
            self._changed.notify()
        self.requested.emit()

    def end_grid(self) -> None:
        """Release the images of the grid; frames of the displayed image can be requested again."""
        if self._grid is None:
            return
        displayed = self._displayed
        self._watch(displayed)
        if displayed is not None:
            displayed.set_budget(self.budget)
        with self._changed:
            self._grid, self._gridding = None, GridRequest(self._serial, ())
            self._changed.notify()

    def _frame_again(self) -> None:
        if self._grid is not None:
            self._gridding = self._gridding or self._grid
        else:
            super()._frame_again()

    @property
    @abstractmethod
    def _displayed(self) -> Levels | None:
        """The levels of the displayed image."""

    @abstractmethod
    def _watch(self, *shown: Levels | None) -> None:
        """Watch the levels that frames are made from while they load, and suspend the others."""
