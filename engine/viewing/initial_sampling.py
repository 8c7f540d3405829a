"""The first look at a large image: work that several threads share before they decode anything else."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable
from typing import Any

Piece = Callable[[Any], None]
"""A part of the work, called with the source that its thread reads from."""


class InitialSampling:
    """Pieces of work for several threads, and `finish`, called once by the thread that completes the last piece.

    Every thread calls `take_part`, which returns after `finish` or `end`. An exception of a piece or of `finish` is
    raised in its own thread only: the remaining pieces are still processed.
    """

    def __init__(self, pieces: Iterable[Piece], finish: Callable[[], None]) -> None:
        self._pieces, self._finish = deque(pieces), finish
        self._at_work = 0
        self._over = False
        self._changed = threading.Condition()

    def add(self, pieces: Iterable[Piece]) -> None:
        """Add more pieces; to be called by a piece."""
        with self._changed:
            self._pieces.extend(pieces)
            self._changed.notify_all()

    def end(self) -> None:
        """Stop all threads after their current piece."""
        with self._changed:
            self._over = True
            self._changed.notify_all()

    def take_part(self, source: Any) -> None:
        """Process pieces until none are left; each is called with `source`."""
        while (piece := self._next()) is not None:
            try:
                piece(source)
            finally:
                self._done()

    def _next(self) -> Piece | None:
        with self._changed:
            self._changed.wait_for(lambda: self._over or self._pieces)
            if self._over:
                return None
            self._at_work += 1
            return self._pieces.popleft()

    def _done(self) -> None:
        with self._changed:
            self._at_work -= 1
            last = not (self._over or self._pieces or self._at_work)
        if last:
            try:
                self._finish()
            finally:
                self.end()
