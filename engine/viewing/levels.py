"""Images for viewing: the full size at level 0, and smaller mip levels, area-averaged in scene-linear values."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np

from engine.compute.backends.base import GpuPrimitives, ImageHandle
from engine.compute.streaming import Pixels
from engine.core.geometry import Rect
from engine.core.kept_beside import KeptBeside
from engine.core.system import total_memory
from engine.viewing.mip_levels import level_for as level_for
from engine.viewing.mip_levels import level_size as level_size
from engine.viewing.mip_levels import needed as needed
from engine.viewing.plane_files import planes_of as planes_of
from engine.viewing.plane_store import PlaneStore

BUDGET_SHARE = 4
"""By default 1 / BUDGET_SHARE of the machine's memory is available for the pixels of a large image."""


def default_budget() -> int:
    """Return the bytes that the pixels of a large image may take by default."""
    return total_memory() // BUDGET_SHARE


class Levels(ABC):
    """An image for viewing. Regions are (height, width, 3|4) float16 or float32. Thread-safe.

    `generation` increases whenever more of the image has been decoded.
    """

    width: int
    height: int
    channels: int
    dtype: np.dtype[np.float16] | np.dtype[np.float32]
    generation: int = 0
    stored: range
    """Levels that are stored whole. Finer ones are read by `region`; coarser ones are made from the last."""

    @abstractmethod
    def watch(self, on_change: Callable[[], None], on_error: Callable[[str], None]) -> None:
        """Call `on_change` when more is decoded, and `on_error` with one line if the file is damaged.

        Both are called from other threads.
        """

    @abstractmethod
    def set_budget(self, budget: int) -> None:
        """Limit the bytes of pixels in memory, where possible."""

    @abstractmethod
    def rest(self, wait_seconds: float = 0.0) -> None:
        """Stop decoding and free what can be decoded again, until the next `watch`.

        Waits at most `wait_seconds` for each thread to end.
        """

    @property
    @abstractmethod
    def used(self) -> int:
        """The bytes of pixels in main memory."""

    planes: PlaneStore | None = None
    """The planes of the file for mattes, and the place of the image in its display window; None without a file."""
    begun = True
    """Whether there is anything to show yet."""

    @property
    @abstractmethod
    def complete(self) -> bool:
        """Whether the stored levels are completely decoded."""

    @abstractmethod
    def whole(self, level: int) -> Pixels:
        """Return a whole level of `stored`; missing pixels are filled in from coarser ones. Do not modify it."""

    def on_device(self, primitives: GpuPrimitives, level: int) -> tuple[int, ImageHandle] | None:
        """Return a level on this device if it gets there without pixels in main memory, else None.

        It is level 0, or one nearer to `level`.
        """
        return None

    @abstractmethod
    def region(self, level: int, rect: Rect) -> tuple[Pixels, bool]:
        """Return a region of a level finer than those in `stored`, and whether it is completely decoded."""

    @abstractmethod
    def want(self, level: int, rect: Rect) -> None:
        """Request the visible region, so that it is decoded first."""

    @abstractmethod
    def exact(self, rect: Rect) -> Pixels:
        """Return pixels of level 0, decoded now if necessary. Raises UnreadableFile if the file is damaged."""


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
        """Do nothing: the image is complete."""

    def watch(self, on_change: Callable[[], None], on_error: Callable[[str], None]) -> None:
        """Do nothing: the image never changes."""

    def set_budget(self, budget: int) -> None:
        """Do nothing: the image is stored whole."""

    def rest(self, wait_seconds: float = 0.0) -> None:
        """Do nothing: there are no threads."""

    def exact(self, rect: Rect) -> Pixels:
        return self._pixels[rect.y : rect.bottom, rect.x : rect.right]


def levels_of(image: Any) -> Levels:
    """Return the levels of an opened image, with its planes; the same object each time, so that they are uploaded once.

    They are its `levels`, or WholeLevels of its pixels.
    """
    levels: Levels = image.levels if hasattr(image, "levels") else _WHOLE.get(image)
    if levels.planes is None:
        levels.planes = planes_of(image)
    return levels


_WHOLE = KeptBeside(lambda image: WholeLevels(image.pixels))
