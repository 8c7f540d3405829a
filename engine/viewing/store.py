"""The tile cache of a large image: coarse mip levels as a whole, and single units of finer ones, within a budget."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.compute.backends.cpu import CpuPrimitives, resize_array
from engine.compute.streaming import Pixels
from engine.core.geometry import Rect
from engine.viewing.levels import level_size
from engine.viewing.units import COARSEST_LEVEL

if TYPE_CHECKING:
    from engine.viewing.units import Grid


OVERVIEW_PIXELS = 1 << 22
"""The overview, from which fitted views are made, is the first level with at most this many pixels."""


class Store:
    """The decoded pixels of an image of `grid`'s size with 3 or 4 channels. Thread-safe.

    Levels from `first` to COARSEST_LEVEL are stored whole, in half of `budget` bytes if they fit; of finer levels, only
    the most recently used units. The overview is always stored, with approximations for missing units.
    """

    def __init__(self, grid: Grid, channels: int, dtype: np.dtype[Any], budget: int) -> None:
        self.grid, self.channels, self.dtype, self.budget = grid, channels, dtype, budget
        self.overview = next((k for k in range(COARSEST_LEVEL) if self._pixels(k) <= OVERVIEW_PIXELS), COARSEST_LEVEL)
        size = channels * dtype.itemsize
        totals = [sum(self._pixels(k) for k in range(n, COARSEST_LEVEL + 1)) * size for n in range(self.overview)]
        self.first = next((n for n, total in enumerate(totals) if total <= budget // 2), self.overview)
        self._arrays = {
            k: np.zeros((*self.size(k)[::-1], channels), dtype) for k in range(self.first, COARSEST_LEVEL + 1)
        }
        self._level_bytes = sum(array.nbytes for array in self._arrays.values())
        self._done = np.zeros(len(grid), bool)
        self._kept: OrderedDict[int, Pixels] = OrderedDict()
        self._cpu = CpuPrimitives()
        self._lock = threading.Lock()

    def size(self, level: int) -> tuple[int, int]:
        """Return width and height of a level."""
        return level_size(self.grid.width, self.grid.height, level)

    @property
    def used(self) -> int:
        """The bytes of pixels: of the filled share of the levels, and of kept units."""
        with self._lock:
            return int(self._level_bytes * self._done.mean()) + sum(pixels.nbytes for pixels in self._kept.values())

    @property
    def filled(self) -> bool:
        """Whether every unit has been decoded."""
        return bool(self._done.all())

    def level(self, level: int) -> Pixels:
        """Return a level that is stored whole."""
        return self._arrays[level]

    def has(self, unit: int, level: int) -> bool:
        """Return whether the pixels of a unit are available at a level."""
        return bool(self._done[unit]) if level >= self.first else unit in self._kept

    def put(self, unit: int, pixels: Pixels) -> None:
        """Write a decoded unit to the levels that are stored whole."""
        if not self._done[unit]:
            rect, before = self.grid.rect(unit), pixels
            for level in range(self.first, COARSEST_LEVEL + 1):
                place = self._place(rect, level)
                into = self._arrays[level][place.y : place.bottom, place.x : place.right]
                if level == 0:
                    into[...] = pixels
                else:
                    before = self._shrunk(before, level if level == self.first else 1, place, into)
            self._done[unit] = True

    def keep(self, unit: int, pixels: Pixels) -> None:
        """Keep a unit for finer levels than those stored whole; the least recently used units are dropped."""
        if self.first == 0:
            return
        with self._lock:
            self._kept[unit] = pixels
            self._kept.move_to_end(unit)
        self.set_budget(self.budget)

    def set_budget(self, budget: int) -> None:
        """Drop units until all pixels fit in `budget` bytes; the levels that are stored whole stay the same."""
        self.budget = budget
        with self._lock:
            used = self._level_bytes + sum(pixels.nbytes for pixels in self._kept.values())
            while used > budget and len(self._kept) > 1:
                used -= self._kept.popitem(last=False)[1].nbytes

    def let_go(self) -> None:
        """Drop all kept units."""
        with self._lock:
            self._kept.clear()

    def unit(self, unit: int) -> Pixels | None:
        """Return the pixels of a unit at level 0, or None if they are not stored."""
        rect = self.grid.rect(unit)
        if self.first == 0:
            return self._arrays[0][rect.y : rect.bottom, rect.x : rect.right] if self._done[unit] else None
        with self._lock:
            if unit in self._kept:
                self._kept.move_to_end(unit)
            return self._kept.get(unit)

    def region(self, level: int, rect: Rect) -> tuple[Pixels, bool]:
        """Return a region of a level, and whether it is complete; missing pixels are made from the overview."""
        units = self.touching(level, rect)
        missing = not all(self.has(unit, level) for unit in units)
        if level >= self.first and not missing:
            return self._arrays[level][rect.y : rect.bottom, rect.x : rect.right], True
        pixels = self._from_overview(level, rect) if missing else self._empty(rect)
        for unit in units:
            place = self._place(self.grid.rect(unit), level)
            left, right = max(place.x, rect.x), min(place.right, rect.right)
            top, bottom = max(place.y, rect.y), min(place.bottom, rect.bottom)
            part = self._at_level(unit, level, place) if left < right and top < bottom else None
            if part is not None:
                both = Rect(left, top, right - left, bottom - top)
                pixels[both.within(rect)] = part[both.within(place)]
        return pixels, not missing

    def touching(self, level: int, rect: Rect) -> list[int]:
        """Return the units that a region of a level is made from, the middle first."""
        side = 1 << level
        wide = Rect(rect.x * side, rect.y * side, rect.width * side, rect.height * side)
        return self.grid.touching(wide.clipped(self.grid.width, self.grid.height))

    def begin(self, look: Pixels) -> None:
        """Fill the overview from a small version of the image, before any unit is decoded."""
        self._resized(look, self._arrays[self.overview], "bilinear")
        for level in range(self.overview + 1, COARSEST_LEVEL + 1):
            before, after = self._arrays[level - 1], self._arrays[level]
            self._shrunk(before, 1, Rect(0, 0, after.shape[1], after.shape[0]), after)

    def _at_level(self, unit: int, level: int, place: Rect) -> Pixels | None:
        if level >= self.first:
            whole = self._arrays[level]
            return whole[place.y : place.bottom, place.x : place.right] if self._done[unit] else None
        pixels = self.unit(unit)
        if pixels is None or level == 0:
            return pixels
        return self._shrunk(pixels, level, place, self._empty(place))

    def _shrunk(self, pixels: Pixels, steps: int, place: Rect, into: Pixels) -> Pixels:
        """Fill `into` with the means of 2**steps x 2**steps pixels."""
        side = float(1 << steps)
        return self._resized(pixels, into, "area", (0.0, 0.0, place.width * side, place.height * side))

    def _from_overview(self, level: int, rect: Rect) -> Pixels:
        scale = 0.5 ** (self.overview - level)
        part = (rect.x * scale, rect.y * scale, rect.width * scale, rect.height * scale)
        return self._resized(self._arrays[self.overview], self._empty(rect), "bilinear", part)

    def _resized(
        self, pixels: Pixels, into: Pixels, filter: str, part: tuple[float, float, float, float] | None = None
    ) -> Pixels:
        resize_array(self._cpu, pixels, into, filter, part)
        return into

    def _empty(self, rect: Rect) -> Pixels:
        return np.empty((rect.height, rect.width, self.channels), self.dtype)

    def _place(self, rect: Rect, level: int) -> Rect:
        """Return the region of a unit at a level."""
        x, y = rect.x >> level, rect.y >> level
        return Rect(x, y, -(-rect.right >> level) - x, -(-rect.bottom >> level) - y)

    def _pixels(self, level: int) -> int:
        width, height = self.size(level)
        return width * height
