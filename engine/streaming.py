"""Where pixels come from and go to, a region at a time.

Regions are (height, width, channels) arrays of float16 or float32; channels are 3 (RGB) or 4 (RGBA).
File sources and outputs are in `engine.io`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.errors import HandleError
from engine.tiling import Rect

Pixels = NDArray[Any]


class StreamingSource(ABC):
    """A picture that can be read a region at a time; regions are asked for in order, top to bottom."""

    width: int
    height: int
    channels: int
    dtype: np.dtype[Any]

    @abstractmethod
    def read_region(self, rect: Rect) -> Pixels:
        """The pixels of `rect`, as (rect.height, rect.width, channels) of `dtype`."""

    def close(self) -> None:  # noqa: B027 (a source in memory holds nothing open)
        """Release what the source holds open."""


class StreamingOutput(ABC):
    """A picture that is written a region at a time; regions arrive in order, top to bottom."""

    @abstractmethod
    def init(self, width: int, height: int, channels: int) -> None:
        """Called once before the first region."""

    @abstractmethod
    def write_region(self, rect: Rect, pixels: Pixels) -> None:
        """Take the finished pixels of `rect`."""

    @abstractmethod
    def finish(self) -> None:
        """All regions are there: make the picture final."""

    @abstractmethod
    def abort(self) -> None:
        """The work failed or was cancelled: leave no trace. Also allowed before `init`."""


class MemorySource(StreamingSource):
    """An array (height, width, 3|4) of float16 or float32, read without a copy."""

    def __init__(self, pixels: Pixels) -> None:
        self.pixels = pixels
        self.height, self.width, self.channels = pixels.shape
        self.dtype = pixels.dtype

    def read_region(self, rect: Rect) -> Pixels:
        return self.pixels[rect.y : rect.bottom, rect.x : rect.right]


class MemoryOutput(StreamingOutput):
    """Collects the regions into `pixels`, an array of `dtype`."""

    def __init__(self, dtype: Any = np.float32) -> None:
        self.dtype = np.dtype(dtype)
        self.pixels: Pixels = np.empty((0, 0, 0), self.dtype)

    def init(self, width: int, height: int, channels: int) -> None:
        self.pixels = np.empty((height, width, channels), self.dtype)

    def write_region(self, rect: Rect, pixels: Pixels) -> None:
        if pixels.shape != (rect.height, rect.width, self.pixels.shape[2]):
            raise HandleError(f"a region of {pixels.shape} does not fill {rect}")
        self.pixels[rect.y : rect.bottom, rect.x : rect.right] = pixels

    def finish(self) -> None:
        """Nothing to do: the array is complete."""

    def abort(self) -> None:
        self.pixels = np.empty((0, 0, 0), self.dtype)
