"""Large images, decoded in units on threads: coarse mip levels first, then the visible region, then the rest."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from engine.compute.backends.base import LOG
from engine.compute.streaming import Pixels
from engine.core.geometry import Rect
from engine.core.priorities import INTERFACE_TURN, lower_priority
from engine.core.system import usable_cores
from engine.errors import TesseraError
from engine.io.source import FileSource
from engine.viewing.initial_sampling import InitialSampling
from engine.viewing.levels import Levels
from engine.viewing.store import Store
from engine.viewing.units import COARSEST_LEVEL, grid_for, interleaved, samples_of

if TYPE_CHECKING:
    from engine.viewing.initial_sampling import Piece


NEWS_SECONDS = (0.25, 1.0)
"""The first interval between change notifications, which then doubles each time up to the second value."""
LOOK_COLUMNS = 1024
"""Columns of the first look if samples are whole scanlines."""
OpenSource = Callable[[int], FileSource]
"""Opens the image itself at level 0, or the file's own mip level of that number."""


class LargeLevels(Levels):
    """A large file for viewing. Threads decode it from `want` on until nothing is missing, or until `rest`.

    Pixels that can't be read are 0. `mips` are (width, height) of the file's own mip levels, if it has any; if one of
    them can't be read, all are made from the image itself. A thread that fails for another reason reports the error and
    ends; the next `want` starts new ones.
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
        self._lock = threading.RLock()
        self._look = InitialSampling((), lambda: None)
        self._seen = self._reported = self._resting = False
        self._threads: list[threading.Thread] = []
        self._wanted: list[int] = []
        self._asked: list[int] = []
        self._busy: set[int] = set()
        self._rest: Iterator[int] = iter(())
        self._working: set[threading.Thread] = set()
        self._run = 0
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
                if len(missing) > 1 or self.store.first == 0:  # units are not kept singly if level 0 is stored whole
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
        with self._lock:
            self.store, self._seen = fresh, False
        self.generation += 1
        self._on_change()

    def want(self, level: int, rect: Rect) -> None:
        store = self.store
        units = store.touching(level, rect) if level < store.overview else []
        with self._lock:
            if units != self._asked:
                self._asked = units
                self._wanted = [unit for unit in units if not store.has(unit, level)][::-1]
            if self._resting or self._working or (self.complete and not self._wanted):
                return
            self._begin()

    def rest(self, wait_seconds: float = 0.0) -> None:
        self._resting = True
        self._on_change, self._on_error = (lambda: None), (lambda line: None)
        self._halt()
        for thread in self._threads:
            thread.join(wait_seconds)

    def _halt(self) -> None:
        """Stop the threads after their current unit, and drop the kept units."""
        with self._lock:
            self._run += 1
            self._working, self._busy, self._asked, self._wanted = set(), set(), [], []
            self._look.end()
        self.store.let_go()

    def _new_store(self, budget: int) -> Store:
        return Store(self._grid, self.channels, self.dtype, budget)

    # -- internals, called with the lock held

    def _begin(self) -> None:
        """Start the threads."""
        self._run += 1
        self._news_at, self._news_step = time.monotonic() + NEWS_SECONDS[0], NEWS_SECONDS[0]
        self._rest = iter(range(len(self._grid)) if self._in_order else interleaved(self._grid))
        self._seen = self._seen or self._in_order
        if not self._seen:
            self._look = self._first_look(self._run)
        self._threads = [
            threading.Thread(target=self._decode, args=(self._run, self._look), name="tessera-decode", daemon=True)
            for _ in range(1 if self._in_order else usable_cores())
        ]
        self._working = set(self._threads)
        for thread in self._threads:
            thread.start()

    def _next_unit(self) -> int | None:
        """Return the next unit to decode: visible units first, then all others; None if nothing is missing."""
        while self._wanted:
            unit = self._wanted.pop()
            if unit not in self._busy and self.store.unit(unit) is None:
                return unit
        if self.complete:
            return None
        return next((unit for unit in self._rest if unit not in self._busy and not self.store.has(unit, 4)), None)

    # -- on the threads

    def _decode(self, run: int, look: InitialSampling) -> None:
        lower_priority()
        try:
            source = self._open(0)
            try:
                if not self._seen:
                    look.take_part(source)
                while (unit := self._take(run)) is not None:
                    self._read_unit(source, unit)
                    self._notify(run, unit)
                    INTERFACE_TURN.give_way()
            finally:
                source.close()
        except Exception as error:  # noqa: BLE001 (nothing may wait for a thread that failed)
            self._tell_error(error, "what can't be read is shown black")
            with self._lock:
                self._asked = []  # so that missing units are requested again
        finally:
            with self._lock:
                self._working.discard(threading.current_thread())

    def _take(self, run: int) -> int | None:
        """Return a unit to decode. After None the thread no longer counts, so that the next `want` starts new ones."""
        with self._lock:
            if run != self._run:
                return None
            unit = self._next_unit()
            if unit is None:
                self._working.discard(threading.current_thread())
            else:
                self._busy.add(unit)
            return unit

    def _read_unit(self, source: FileSource, unit: int) -> None:
        rect = self._grid.rect(unit)
        try:
            pixels = self._read(source, rect)
            self.store.put(unit, pixels)
            with self._lock:
                if unit in self._asked:
                    self.store.keep(unit, pixels)
        finally:
            with self._lock:
                self._busy.discard(unit)

    def _read(self, source: FileSource, rect: Rect) -> Pixels:
        """Return the pixels of a rectangle; 0 if the file is damaged there."""
        try:
            return source.read_region(rect)
        except TesseraError as error:
            self._tell_error(error, "what can't be read is shown black")
            return np.zeros((rect.height, rect.width, self.channels), self.dtype)

    # -- the first look

    def _first_look(self, run: int) -> InitialSampling:
        """Plan how to fill the overview and coarser levels: from the file's own levels, else from sparse samples."""
        store, samples = self.store, self._samples()

        def own(_: FileSource) -> None:
            try:
                self._read_mips(store)
            except Exception as error:  # noqa: BLE001 (the samples replace them)
                self._tell_error(error, "its mip levels are made from the image itself")
                self._has_mips = False
                look.add(samples[0])

        def finish() -> None:
            try:
                if not self._has_mips:
                    store.begin(samples[1])
            finally:
                with self._lock:
                    self._seen = self._seen or run == self._run
            self._grown(run)

        look = InitialSampling([own] if self._has_mips else samples[0], finish)
        return look

    def _samples(self) -> tuple[list[Piece], Pixels]:
        """Return the work that samples the image sparsely, and the small image that it fills."""
        rows = samples_of(self.width, self.height, self._chunk)
        columns = len(rows[0]) if self._chunk[0] else min(LOOK_COLUMNS, self.width)
        small = np.zeros((len(rows), columns, self.channels), self.dtype)
        places = ((y, x, rect) for y, row in enumerate(rows) for x, rect in enumerate(row))
        return [partial(self._sample, small, place) for place in places], small

    def _sample(self, small: Pixels, place: tuple[int, int, Rect], source: FileSource) -> None:
        y, x, rect = place
        pixels = self._read(source, rect).astype(np.float32)
        with np.errstate(all="ignore"):  # infinite samples of either sign
            if self._chunk[0]:
                small[y, x] = pixels.mean(axis=(0, 1))
            else:
                edges = np.linspace(0, self.width, small.shape[1] + 1).astype(int)[:-1]
                small[y] = np.add.reduceat(pixels.mean(axis=0), edges) / np.diff([*edges, self.width])[:, None]

    def _read_mips(self, store: Store) -> None:
        """Read the overview and coarser levels from the file's own levels."""
        for level in self._coarse:
            source = self._open(level)
            try:
                store.level(level)[...] = source.read_region(Rect(0, 0, source.width, source.height))
            finally:
                source.close()

    # -- reports

    def _notify(self, run: int, unit: int) -> None:
        with self._lock:
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

    def _tell_error(self, error: Exception, then: str) -> None:
        """Report the first error of a file, and its consequence."""
        with self._lock:
            first, self._reported = not self._reported, True
        if not isinstance(error, TesseraError):
            LOG.error("decoding failed", exc_info=error)
        if first:
            what = error if isinstance(error, TesseraError) else f"internal error: {type(error).__name__}: {error}"
            self._on_error(f"{what}; {then}")
