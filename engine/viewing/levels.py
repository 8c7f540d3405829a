"""What a viewer reads: an image at its own size, level 0, and area-averaged halvings of it, in scene light."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np

from engine.compute.streaming import Pixels
from engine.core.geometry import Rect
from engine.core.system import total_memory

BUDGET_SHARE = 4
"""One in so many bytes of the machine's memory is for pixels of a large image, where nothing else is said."""


def default_budget() -> int:
    """Bytes of pixels that a large image may take."""
    return total_memory() // BUDGET_SHARE


def level_size(width: int, height: int, level: int) -> tuple[int, int]:
    """A pixel of level n covers 2**n x 2**n of level 0; the last ones of a row or column perhaps fewer."""
    return -(-width >> level), -(-height >> level)


def level_for(shrink: float) -> int:
    """The smallest level that has a pixel for every pixel of a view which shows `shrink` pixels of level 0 on one."""
    return max(0, int(shrink).bit_length() - 1)


class Levels(ABC):
    """An image for viewing. Regions are (height, width, 3|4) float16 or float32. Safe to call from several threads.

    `generation` grows whenever more of the image is there than before.
    """

    width: int
    height: int
    channels: int
    dtype: np.dtype[np.float16] | np.dtype[np.float32]
    generation: int = 0
    stored: range
    """Levels that are held whole. Finer ones are read by `region`; coarser ones follow from the last."""

    @abstractmethod
    def watch(self, on_change: Callable[[], None], on_error: Callable[[str], None]) -> None:
        """Have `on_change` called when there is more to see, and `on_error` with a line where the file is damaged.

        Both are called on other threads.
        """

    @abstractmethod
    def set_budget(self, budget: int) -> None:
        """Hold no more bytes of pixels than this, where that is a choice."""

    @abstractmethod
    def rest(self, wait_seconds: float = 0.0) -> None:
        """Nothing is looked at until `watch` is called again: stop what goes on, let go what can be made anew.

        Waits no longer than that for threads to end.
        """

    @property
    @abstractmethod
    def used(self) -> int:
        """Bytes of pixels in main memory."""

    begun = True
    """Whether there is anything to see yet."""

    @property
    @abstractmethod
    def complete(self) -> bool:
        """Whether the levels that are held whole are all there."""

    @abstractmethod
    def whole(self, level: int) -> Pixels:
        """All of a level in `stored`; what is not there yet is filled in from what is. Not to be changed."""

    @abstractmethod
    def region(self, level: int, rect: Rect) -> tuple[Pixels, bool]:
        """A part of a level finer than those in `stored`, and whether all of it is there already."""

    @abstractmethod
    def want(self, level: int, rect: Rect) -> None:
        """Say what is looked at, so that it comes first."""

    @abstractmethod
    def exact(self, rect: Rect) -> Pixels:
        """Pixels of level 0, read now where they are not there. UnreadableFile where the file is damaged."""


class WholeLevels(Levels):
    """An image in memory: (height, width, 3|4) of float16 or float32."""

    stored = range(1)
    complete = True

    def __init__(self, pixels: Pixels) -> None:
        self._pixels = pixels
        self.height, self.width, self.channels = pixels.shape
        self.dtype = pixels.dtype

    @property
    def used(self) -> int:
        return self._pixels.nbytes

    def whole(self, level: int) -> Pixels:
        return self._pixels

    def region(self, level: int, rect: Rect) -> tuple[Pixels, bool]:
        return self.exact(rect), True

    def want(self, level: int, rect: Rect) -> None:
        """All of it is there."""

    def watch(self, on_change: Callable[[], None], on_error: Callable[[str], None]) -> None:
        """Nothing changes."""

    def set_budget(self, budget: int) -> None:
        """It is held whole."""

    def rest(self, wait_seconds: float = 0.0) -> None:
        """Nothing goes on."""

    def exact(self, rect: Rect) -> Pixels:
        return self._pixels[rect.y : rect.bottom, rect.x : rect.right]


def levels_of(image: Any) -> Levels:
    """The levels of an opened image: its own, or its pixels."""
    return image.levels if hasattr(image, "levels") else WholeLevels(image.pixels)
