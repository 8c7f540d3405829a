"""A buffer that turns regions into full-width rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.core.geometry import Rect
from engine.errors import HandleError

Array = NDArray[Any]


class RowBuffer:
    """Collects regions and passes complete rows to `write`, in order and in multiples of `step`.

    Regions arrive as bands, or as tiles of a band from left to right. Full bands that fit the step are not copied.
    Regions whose width is a multiple of `piece` are not copied either: they go straight to `write_piece`.
    """

    def __init__(
        self,
        width: int,
        height: int,
        step: int,
        write: Callable[[int, Array], None],
        piece: int = 0,
        write_piece: Callable[[Rect, Array], None] | None = None,
    ) -> None:
        self._width, self._height, self._step, self._write = width, height, step, write
        self._piece, self._write_piece = piece, write_piece
        self._top = self._in_pieces = 0
        self._rows: Array | None = None
        self._filled = np.zeros(0, np.int64)

    @property
    def complete(self) -> bool:
        """Whether every row has been written."""
        return self._top == self._height or self._in_pieces == self._width * self._height

    def put(self, rect: Rect, samples: Array) -> None:
        """Add the samples of `rect`. Raises HandleError if its rows have already been written."""
        if rect.y < self._top:
            raise HandleError(f"{rect} arrived after the rows above {self._top} were written")
        fits = rect.height % self._step == 0 or rect.bottom == self._height
        if self._rows is None and rect.width == self._width and rect.y == self._top and fits:
            self._top = rect.bottom
            self._write(rect.y, samples)
            return
        whole = rect.width % self._piece == 0 or rect.right == self._width if self._piece else False
        if fits and whole and self._write_piece and self._rows is None:
            self._in_pieces += rect.pixels
            self._write_piece(rect, samples)
            return
        self._grow(rect.bottom, samples)
        assert self._rows is not None
        first, last = rect.y - self._top, rect.bottom - self._top
        self._rows[first:last, rect.x : rect.right] = samples
        self._filled[first:last] += rect.width
        self._write_complete()

    def _grow(self, bottom: int, samples: Array) -> None:
        """Grow the buffer to row `bottom`, or to the end of its step."""
        needed = min(-(-(bottom - self._top) // self._step) * self._step, self._height - self._top)
        if self._rows is not None and len(self._rows) >= needed:
            return
        rows = np.empty((needed, self._width, samples.shape[2]), samples.dtype)
        filled = np.zeros(needed, np.int64)
        if self._rows is not None:
            rows[: len(self._rows)] = self._rows
            filled[: len(self._rows)] = self._filled
        self._rows, self._filled = rows, filled

    def _write_complete(self) -> None:
        assert self._rows is not None
        partial = np.flatnonzero(self._filled < self._width)
        ready = int(partial[0]) if len(partial) else len(self._filled)
        if self._top + ready < self._height:
            ready -= ready % self._step
        if not ready:
            return
        rows, top = self._rows, self._top
        self._top += ready
        rest = len(rows) - ready
        self._rows = rows[ready:].copy() if rest else None
        self._filled = self._filled[ready:]
        self._write(top, rows[:ready])
