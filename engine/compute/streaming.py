"""Where pixels come from and go to, a region at a time.

Regions are (height, width, channels) arrays of float16 or float32; channels are 3 (RGB) or 4 (RGBA).
File sources and outputs are in `engine.io`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.compute.plan import PixelFormat
from engine.core.geometry import Rect
from engine.errors import HandleError

Pixels = NDArray[Any]


class StreamingSource(ABC):
    """An image that can be read a region at a time; regions are asked for in order, top to bottom."""

    width: int
    height: int
    channels: int
    dtype: np.dtype[Any]

    @property
    def formats(self) -> list[PixelFormat]:
        """Of every image that `read_regions` gives."""
        return [PixelFormat(np.dtype(self.dtype), self.channels)]

    @property
    def block(self) -> tuple[int, int]:
        """Width and height of what is decoded together; a width of 0 stands for whole lines."""
        return 0, 1

    @property
    def pixel_bytes(self) -> int:
        """Main memory that one pixel of a region takes from reading to writing, the graded copy not counted."""
        return self.channels * self.dtype.itemsize

    @property
    def graded_bytes(self) -> int:
        """Main memory that one pixel takes of each copy of what is graded."""
        return self.channels * self.dtype.itemsize

    @property
    def fixed_bytes(self) -> int:
        """Main memory that is taken whatever the region: by decoders, or because it can't be read in pieces."""
        return 0

    @abstractmethod
    def read_region(self, rect: Rect) -> Pixels:
        """The pixels of `rect`, as (rect.height, rect.width, channels) of `dtype`."""

    def read_regions(self, rect: Rect) -> list[Pixels]:
        """The pixels of `rect` of every image that is graded: a source may hold several of one size."""
        return [self.read_region(rect)]

    def close(self) -> None:  # noqa: B027 (a source in memory holds nothing open)
        """Release what the source holds open."""


class StreamingOutput(ABC):
    """An image that is written a region at a time; regions arrive in order, top to bottom."""

    @property
    def block(self) -> tuple[int, int]:
        """As a source's, of what is encoded together; known after `init`."""
        return 0, 1

    @property
    def fixed_bytes(self) -> int:
        """As a source's; known after `init`."""
        return 0

    @abstractmethod
    def init(self, width: int, height: int, channels: int) -> None:
        """Called once before the first region."""

    @abstractmethod
    def write_region(self, rect: Rect, pixels: Pixels) -> None:
        """Take the finished pixels of `rect`."""

    def write_regions(self, rect: Rect, images: list[Pixels]) -> None:
        """Take the finished pixels of `rect` of every image, in the order of the source's `read_regions`."""
        (pixels,) = images
        self.write_region(rect, pixels)

    @abstractmethod
    def finish(self) -> None:
        """All regions are there: make the image final."""

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
