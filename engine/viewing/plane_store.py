"""Planes of an image for viewing: read on a thread, at the mip levels that views need, and kept within a budget."""

from __future__ import annotations

import itertools
import threading
import time
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.compute.backends.base import LOG
from engine.core.bounded_cache import SizedCache
from engine.core.geometry import Place, Rect
from engine.core.priorities import lower_priority
from engine.core.system import total_memory
from engine.errors import Cancelled, TesseraError
from engine.mattes.planes import Plane
from engine.viewing.mip_levels import level_size, needed
from engine.viewing.plane_names import named
from engine.viewing.plane_sources import PlaneNeed, Unreadable
from engine.viewing.requests import Region

if TYPE_CHECKING:
    from engine.viewing.plane_sources import Floats, Missing, PlaneFile, Reader


ARRAYS_SHARE = 16
"""The planes of all images that are kept take at most 1 / ARRAYS_SHARE of the machine's memory."""
WHOLE_PIXELS = 1 << 23
"""A level with at most this many pixels is read whole; of larger ones the visible region, in steps of REGION_STEP."""
REGION_STEP = 512
FRAME, SCOPES, HIGHLIGHT, THUMBNAILS = "frame", "scopes", "highlight", "thumbnails"
PURPOSES = (FRAME, SCOPES, HIGHLIGHT, THUMBNAILS)
"""What planes are read for, the most urgent first."""
OBJECT = "object"
"""The kind of a missing plane that can be read all the same: some of its objects have no coverage."""
_NUMBERS = itertools.count()


@lru_cache(maxsize=1)
def kept_arrays() -> SizedCache[Any, Floats]:
    """Return the planes of all images that are kept."""
    return SizedCache(total_memory() // ARRAYS_SHARE, lambda array: array.nbytes)


class PlaneStore:
    """The planes of one image of `size`. Thread-safe.

    `place` is that of its pixels at level 0 in its display window, which has the size `frame`. `want` reads planes on a
    thread, `arrays` returns them, read at once where they are not there yet. `open_file` is called at the first use.
    """

    def __init__(
        self, size: tuple[int, int], place: Place, frame: tuple[int, int], open_file: Callable[[], PlaneFile]
    ) -> None:
        self.size, self.place, self.frame = size, place, frame
        self._open = open_file
        self._file: PlaneFile | None = None
        self._number = next(_NUMBERS)
        self._kept = kept_arrays()
        self._lock, self._opening = threading.RLock(), threading.Lock()
        self._found: dict[Plane, Missing | None] = {}
        self._wanted: dict[str, tuple[PlaneNeed, ...]] = {}
        self._thread: threading.Thread | None = None
        self._asked: tuple[PlaneNeed, ...] | None = None
        self._watched = self._resting = self._closing = False
        self._work: tuple[str, float] | None = None
        self._share = 0.0
        self._on_change: Callable[[str], None] = lambda purpose: None
        weakref.finalize(self, _forget, self._kept, self._number)

    # -- what there is

    @property
    def reader(self) -> Any:
        """The reader of the planes, for picking objects as well."""
        return self._opened().reader

    @property
    def used(self) -> int:
        """The bytes of decoded samples in main memory."""
        return 0 if self._file is None else self._file.reader.used

    @property
    def frame_needs(self) -> tuple[PlaneNeed, ...] | None:
        """What was last wanted for a frame; None before the first one since the last `watch`."""
        return self._asked

    def unknown(self, planes: Iterable[Plane]) -> bool:
        """Return whether it is not known yet of one of these planes whether the file has it."""
        with self._lock:
            return any(plane not in self._found for plane in planes)

    def missing(self, planes: Iterable[Plane]) -> tuple[Missing, ...]:
        """Return what is known to be missing of these planes."""
        with self._lock:
            found = (self._found.get(plane) for plane in dict.fromkeys(planes))
            return tuple(each for each in found if each is not None)

    def lacks(self, planes: Iterable[Plane]) -> frozenset[Plane]:
        """Return those of these planes that can't be read."""
        return frozenset(each.plane for each in self.missing(planes) if each.kind != OBJECT)

    def needs(self, planes: Iterable[Plane], region: Region, level: int) -> list[PlaneNeed]:
        """Return what a view of a region, in pixels of level 0, needs of planes at a mip level."""
        rect = self._around(region, level)
        return [PlaneNeed(plane, level, rect) for plane in dict.fromkeys(planes)]

    def has(self, need: PlaneNeed) -> bool:
        """Return whether a plane has been read, or is known to be missing."""
        return self._kept.get(self._key(need)) is not None or bool(self.lacks([need.plane]))

    def level_there(self, planes: Sequence[Plane], region: Region, level: int) -> int | None:
        """Return the mip level nearest to `level` at which planes have been read, finer ones first; None without."""
        coarsest = max(self.size).bit_length()
        for each in (*range(level, -1, -1), *range(level + 1, coarsest + 1)):
            if all(self._kept.get(self._key(need)) is not None for need in self.needs(planes, region, each)):
                return int(each)
        return None

    def arrays(self, planes: Sequence[Plane], region: Region, level: int) -> tuple[list[Floats], Rect]:
        """Return the values of planes around a region at a mip level, and the rectangle of the level that they cover.

        What has not been read is read now. Raises UnsupportedFile or UnreadableFile as the reader does.
        """
        needs = self.needs(planes, region, level)
        kept = [self._kept.get(self._key(need)) for need in needs]
        if any(array is None for array in kept):
            self._read(self._opened().reader, needs)
            kept = [self._kept.get(self._key(need)) for need in needs]
        if any(array is None for array in kept):  # more than the budget
            rect = self._around(region, level)
            return list(np.moveaxis(self._opened().reader.read(planes, rect, level), -1, 0)), rect
        return [array for array in kept if array is not None], self._around(region, level)

    def exact(self, planes: Sequence[Plane], rect: Rect) -> Floats:
        """Return the values of planes in a rectangle of level 0, (height, width, planes), read now."""
        return self._opened().reader.read(planes, rect)

    # -- reading ahead of frames

    def read_ahead(self, needs: Iterable[PlaneNeed]) -> None:
        """Read planes for a later frame, now. Those that can't be read count as missing from then on.

        Files are closed and decoded samples freed again, unless the planes are watched by now.
        """
        lacking = [need for need in needs if not self.has(need)]
        while lacking:
            group = _together(lacking, lacking[0])
            lacking = [need for need in lacking if need not in group]
            try:
                self.look_up([need.plane for need in group])
                self._read(self._opened().reader, [need for need in group if not self.has(need)])
            except Exception as error:  # noqa: BLE001 (the frame is shown without these planes, which is said then)
                self._fail(group, error)
        with self._lock:
            closes = self._file if not self._watched else None
        if closes is not None:
            closes.reader.close()

    # -- reading on the thread

    def want(self, purpose: str, needs: Iterable[PlaneNeed]) -> bool:
        """Read planes for one of PURPOSES instead of what was wanted for it before; return whether all are there.

        Of planes that can't be kept together nothing is read: `arrays` reads each when it is needed.
        """
        needs = tuple(dict.fromkeys(needs))
        lacking = tuple(need for need in needs if not self.has(need))
        if sum(need.nbytes for need in needs) > self._kept.budget // 2:  # two images may be compared
            self.look_up([need.plane for need in needs])
            lacking = ()
        with self._lock:
            if purpose == FRAME and self._watched:
                self._asked = needs
            unknown = any(need.plane not in self._found for need in lacking)
            self._wanted[purpose] = lacking
            if (lacking or unknown) and self._thread is None and not self._resting:
                self._begin()
        return not lacking

    def reads_for(self, purpose: str) -> bool:
        """Return whether planes are still being read for a purpose."""
        with self._lock:
            return bool(self._wanted.get(purpose)) and not self._resting

    @property
    def work(self) -> tuple[str, float] | None:
        """What is being read, in words, and since when (`time.monotonic`); None if nothing is."""
        with self._lock:
            if self._work is None:
                return None
            text, since = self._work
            return (f"{text}, {self._share:.0%}" if self._share else text), since

    def watch(self, on_change: Callable[[str], None]) -> None:
        """Call `on_change` with a purpose, from another thread, once all that is wanted for it is there."""
        with self._lock:
            self._on_change, self._watched, self._resting = on_change, True, False
            if any(self._wanted.values()) and self._thread is None:
                self._begin()

    def rest(self) -> None:
        """Stop reading, close all files and free decoded samples, soon and without waiting, until the next `watch`."""
        with self._lock:
            self._on_change = lambda purpose: None
            self._wanted.clear()
            self._asked = None
            self._watched, self._resting, self._closing = False, True, self._file is not None
            if self._closing and self._thread is None:
                self._begin()

    def _begin(self) -> None:
        self._thread = threading.Thread(target=self._run, name="tessera-planes", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        lower_priority()
        while (step := self._next_step()) is not None:
            step()

    def _next_step(self) -> Callable[[], None] | None:
        """Return what to do next; None ends the thread."""
        with self._lock:
            if self._closing:
                self._closing = False
                assert self._file is not None
                return self._file.reader.close
            purpose = self._urgent()
            if purpose is not None:
                return partial(self._read_for, purpose)
            self._thread = self._work = None
            return None

    def _urgent(self) -> str | None:
        return next((purpose for purpose in PURPOSES if self._wanted.get(purpose)), None)

    def _read_for(self, purpose: str) -> None:
        """Read the first planes that are wanted for a purpose, those of the same region together."""
        wanted = self._wanted.get(purpose, ())
        first = next(iter(wanted), None)
        if first is None:
            return
        group = _together(wanted, first)
        try:
            with self._lock:
                self._work, self._share = (f"Reading {named([need.plane for need in group])}", time.monotonic()), 0.0
            self.look_up([need.plane for need in group])
            group = [need for need in group if not self.has(need)]
            if group:
                self._prepare(purpose, group)
                self._read(self._opened().reader, group)
        except Cancelled:
            return
        except Exception as error:  # noqa: BLE001 (no plane may end the thread)
            self._fail(group, error)
        self._done(purpose, group)

    def _prepare(self, purpose: str, group: Sequence[PlaneNeed]) -> None:
        def stop() -> bool:
            with self._lock:
                return self._urgent() != purpose or not set(group) <= set(self._wanted[purpose])

        def progress(done: int, total: int) -> None:
            self._share = done / max(total, 1)

        planes = [need.plane for need in group]
        self._opened().reader.prepare(planes, group[0].rect, group[0].level, progress, stop)

    def _done(self, purpose: str, group: Sequence[PlaneNeed]) -> None:
        """Announce the planes of a purpose once they are all there."""
        with self._lock:
            left = tuple(need for need in self._wanted.get(purpose, ()) if not self.has(need))
            over = bool(self._wanted.get(purpose)) and not left
            self._wanted[purpose] = left
            tell = self._on_change
        if over:
            tell(purpose)

    def _fail(self, group: Sequence[PlaneNeed], error: Exception) -> None:
        """Regard planes that can't be read as missing, and say why."""
        if not isinstance(error, TesseraError):
            LOG.error("reading planes failed", exc_info=error)
        line = str(error) if isinstance(error, TesseraError) else f"internal error: {type(error).__name__}: {error}"
        with self._lock:
            self._found |= {need.plane: Unreadable(need.plane, line) for need in group}

    # -- values

    def look_up(self, planes: Sequence[Plane]) -> None:
        """Find out which of these planes the file has, now."""
        with self._lock:
            new = [plane for plane in planes if plane not in self._found]
        if new:
            found: Mapping[Plane, Missing] = {each.plane: each for each in self._opened().missing(new)}
            with self._lock:
                self._found |= {plane: found.get(plane) for plane in new}

    def _opened(self) -> PlaneFile:
        with self._opening:
            if self._file is None:
                self._file = self._open()
            return self._file

    def _read(self, reader: Reader, needs: Sequence[PlaneNeed]) -> None:
        lacking = [need for need in needs if self._kept.get(self._key(need)) is None]
        if lacking:
            values = reader.read([need.plane for need in lacking], lacking[0].rect, lacking[0].level)
            for n, need in enumerate(lacking):
                self._kept.put(self._key(need), np.ascontiguousarray(values[..., n]))

    def _around(self, region: Region, level: int) -> Rect:
        """Return the rectangle of a level that is read for a region."""
        width, height = level_size(*self.size, level)
        if width * height <= WHOLE_PIXELS:
            return Rect(0, 0, width, height)
        rect, step = needed(region, level, (width, height)), REGION_STEP
        x, y = rect.x // step * step, rect.y // step * step
        return Rect(x, y, -(-rect.right // step) * step - x, -(-rect.bottom // step) * step - y).clipped(width, height)

    def _key(self, need: PlaneNeed) -> tuple[int, PlaneNeed]:
        return self._number, need


def _together(needs: Iterable[PlaneNeed], first: PlaneNeed) -> list[PlaneNeed]:
    """Return those needs that are read together with one of them: those of the same region."""
    return [need for need in needs if (need.level, need.rect) == (first.level, first.rect)]


def _forget(kept: SizedCache[Any, Floats], number: int) -> None:
    kept.drop(lambda key: key[0] == number)
