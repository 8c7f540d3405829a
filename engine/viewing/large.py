"""Pictures too large to be decoded at once: decoded in units on threads, coarse first and what is looked at first."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from engine.errors import TesseraError
from engine.io.source import FileSource
from engine.machine import usable_cores
from engine.streaming import Pixels
from engine.tiling import Rect
from engine.viewing.levels import Levels
from engine.viewing.store import Store
from engine.viewing.units import COARSEST_LEVEL, grid_for, interleaved, samples_of

NEWS_SECONDS = (0.25, 1.0)
"""News of a growing picture come after so long, then each after twice as long as the last, up to the second time."""
LOOK_COLUMNS = 1024
"""Columns of the first look where samples are whole lines."""
OpenSource = Callable[[int], FileSource]
"""Opens the file: the picture itself at 0, else its own mip level of that number."""


class LargeLevels(Levels):
    """A file for viewing. Threads decode from `want` on until nothing is missing, or until `rest`.

    What can't be read is 0. `mips` are (width, height) of the file's own levels, if it has any.
    """

    def __init__(self, open_source: OpenSource, mips: Sequence[tuple[int, int]], budget: int) -> None:
        self._open = open_source
        source = open_source(0)
        self.width, self.height, self.channels = source.width, source.height, source.channels
        self.dtype, self._chunk = source.dtype, source.block
        self._in_order = source.part.type == "image"
        source.close()
        self._grid = grid_for(self.width, self.height, self._chunk)
        self.store = self._new_store(budget)
        self._on_change: Callable[[], None] = lambda: None
        self._on_error: Callable[[str], None] = lambda line: None
        self._coarse = range(self.store.overview, COARSEST_LEVEL + 1)
        self._has_mips = list(mips[self._coarse.start : self._coarse.stop]) == [
            self.store.size(k) for k in self._coarse
        ]
        self._changed = threading.Condition()
        self._looks: deque[tuple[int, int, Rect]] = deque()
        self._look: Pixels | None = None
        self._looking = 0
        self._seen = self._told = self._resting = False
        self._threads: list[threading.Thread] = []
        self._wanted: list[int] = []
        self._asked: list[int] = []
        self._busy: set[int] = set()
        self._rest: Iterator[int] = iter(())
        self._alive = self._run = 0
        self._news_at = self._news_step = 0.0

    @property
    def stored(self) -> range:  # type: ignore[override]
        store = self.store
        return range(store.first if store.filled else store.overview, COARSEST_LEVEL + 1)

    @property
    def complete(self) -> bool:
        return self.store.filled or (self._has_mips and self._seen)

    @property
    def begun(self) -> bool:  # type: ignore[override]
        return self._seen

    def whole(self, level: int) -> Pixels:
        return self.store.level(level)

    def region(self, level: int, rect: Rect) -> tuple[Pixels, bool]:
        return self.store.region(level, rect)

    def exact(self, rect: Rect) -> Pixels:
        missing = [unit for unit in self.store.touching(0, rect) if self.store.unit(unit) is None]
        if missing:
            source = self._open(0)
            try:
                if len(missing) > 1 or self.store.first == 0:  # no single unit is kept where all of them will be
                    return source.read_region(rect)
                self.store.keep(missing[0], source.read_region(self._grid.rect(missing[0])))
            finally:
                source.close()
        pixels, there = self.store.region(0, rect)
        return pixels if there else self.exact(rect)

    def watch(self, on_change: Callable[[], None], on_error: Callable[[str], None]) -> None:
        self._on_change, self._on_error = on_change, on_error
        self._resting = False

    @property
    def used(self) -> int:
        return self.store.used

    def set_budget(self, budget: int) -> None:
        fresh = self._new_store(budget)
        if fresh.first == self.store.first:
            self.store.set_budget(budget)
            return
        self._halt()
        with self._changed:
            self.store, self._seen = fresh, False
        self.generation += 1
        self._on_change()

    def want(self, level: int, rect: Rect) -> None:
        store = self.store
        units = store.touching(level, rect) if level < store.overview else []
        with self._changed:
            if units != self._asked:
                self._asked = units
                self._wanted = [unit for unit in units if not store.has(unit, level)][::-1]
            if self._resting or self._alive or (self.complete and not self._wanted):
                return
            self._begin()

    def rest(self, wait_seconds: float = 0.0) -> None:
        self._resting = True
        self._on_change, self._on_error = (lambda: None), (lambda line: None)
        self._halt()
        for thread in self._threads:
            thread.join(wait_seconds)

    def _halt(self) -> None:
        """Let threads end after the unit in hand, and let go of units."""
        with self._changed:
            self._run += 1
            self._alive, self._busy, self._asked, self._wanted = 0, set(), [], []
            self._changed.notify_all()
        self.store.let_go()

    def _new_store(self, budget: int) -> Store:
        return Store(self._grid, self.channels, self.dtype, budget)

    # -- inside, with the lock held

    def _begin(self) -> None:
        """Start the threads."""
        self._run += 1
        self._news_at, self._news_step = time.monotonic() + NEWS_SECONDS[0], NEWS_SECONDS[0]
        self._rest = iter(range(len(self._grid)) if self._in_order else interleaved(self._grid))
        self._seen = self._seen or self._in_order
        if not self._seen:
            self._plan_looks()
        self._alive = 1 if self._in_order else usable_cores()
        self._threads = [
            threading.Thread(target=self._decode, args=(self._run,), name="tessera-decode", daemon=True)
            for _ in range(self._alive)
        ]
        for thread in self._threads:
            thread.start()

    def _plan_looks(self) -> None:
        """What the first look is made from: sparse chunks."""
        rows = samples_of(self.width, self.height, self._chunk)
        columns = len(rows[0]) if self._chunk[0] else min(LOOK_COLUMNS, self.width)
        self._look = np.zeros((len(rows), columns, self.channels), self.dtype)
        places = ((y, x, rect) for y, row in enumerate(rows) for x, rect in enumerate(row))
        self._looks, self._looking = deque([(0, 0, Rect(0, 0, 0, 0))] if self._has_mips else places), 0

    def _next_unit(self) -> int | None:
        """What to decode: units that are looked at, then all others; None if nothing is missing."""
        while self._wanted:
            unit = self._wanted.pop()
            if unit not in self._busy and self.store.unit(unit) is None:
                return unit
        if self.complete:
            return None
        return next((unit for unit in self._rest if unit not in self._busy and not self.store.has(unit, 4)), None)

    # -- on the threads

    def _decode(self, run: int) -> None:
        try:
            source = self._open(0)
            try:
                self._first_look(source, run)
                while (unit := self._take(run)) is not None:
                    self._read_unit(source, unit)
                    self._tell_news(run, unit)
            finally:
                source.close()
        except TesseraError as error:
            self._tell_error(error)
            with self._changed:
                self._alive -= run == self._run

    def _take(self, run: int) -> int | None:
        """A unit to decode; after None the thread no longer counts, so that whatever is wanted next starts others."""
        with self._changed:
            if run != self._run:
                return None
            unit = self._next_unit()
            if unit is None:
                self._alive -= 1
            else:
                self._busy.add(unit)
            return unit

    def _read_unit(self, source: FileSource, unit: int) -> None:
        rect = self._grid.rect(unit)
        try:
            pixels = source.read_region(rect)
        except TesseraError as error:
            self._tell_error(error)
            pixels = np.zeros((rect.height, rect.width, self.channels), self.dtype)
        self.store.put(unit, pixels)
        with self._changed:
            self._busy.discard(unit)
            if unit in self._asked:
                self.store.keep(unit, pixels)

    def _first_look(self, source: FileSource, run: int) -> None:
        """Take a share of the samples; return when the overview is made from all of them."""
        while True:
            with self._changed:
                if self._seen or run != self._run:
                    return
                if not self._looks:
                    self._changed.wait()
                    continue
                y, x, rect = self._looks.popleft()
                self._looking += 1
            self._look_at(source, y, x, rect)
            with self._changed:
                self._looking -= 1
                last = not self._looks and not self._looking
            if last:
                self._finish_look(run)

    def _look_at(self, source: FileSource, y: int, x: int, rect: Rect) -> None:
        if self._look is None or self._has_mips:
            return
        try:
            pixels = source.read_region(rect).astype(np.float32)
        except TesseraError:
            return  # it is told when the unit is read
        if self._chunk[0]:
            self._look[y, x] = pixels.mean(axis=(0, 1))
        else:
            edges = np.linspace(0, self.width, self._look.shape[1] + 1).astype(int)[:-1]
            self._look[y] = np.add.reduceat(pixels.mean(axis=0), edges) / np.diff([*edges, self.width])[:, None]

    def _finish_look(self, run: int) -> None:
        if self._has_mips:
            self._read_mips()
        elif self._look is not None:
            self.store.begin(self._look)
        with self._changed:
            self._seen = True
            self._changed.notify_all()
        self._grown(run)

    def _read_mips(self) -> None:
        """The overview and all that is coarser from the file's own levels."""
        for level in self._coarse:
            source = self._open(level)
            self.store.level(level)[...] = source.read_region(Rect(0, 0, source.width, source.height))
            source.close()

    def _tell_news(self, run: int, unit: int) -> None:
        with self._changed:
            now = time.monotonic()
            over = self.store.filled or (not self._wanted and unit in self._asked)
            if run != self._run or not (over or now >= self._news_at):
                return
            self._news_step = min(2.0 * self._news_step, NEWS_SECONDS[1])
            self._news_at = now + self._news_step
        self._grown(run)

    def _grown(self, run: int) -> None:
        if run == self._run:
            self.generation += 1
            self._on_change()

    def _tell_error(self, error: TesseraError) -> None:
        with self._changed:
            first, self._told = not self._told, True
        if first:
            self._on_error(f"{error}; what can't be read is shown black")
