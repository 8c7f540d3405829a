"""Sources and outputs of images that are processed region by region.

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
from engine.core.records import dataclass
from engine.errors import HandleError

Pixels = NDArray[Any]


@dataclass(frozen=True)
class RegionPixels:
    """What a source holds in a rectangle: the pixels of every graded image, and the samples that are not graded.

    A source may have several graded images of the same size. `passthrough` are samples that its output copies, or None.
    """

    rect: Rect
    graded: tuple[Pixels, ...]
    passthrough: Pixels | None = None


class StreamingSource(ABC):
    """An image that can be read region by region; regions are requested in order, top to bottom."""

    width: int
    height: int
    channels: int
    dtype: np.dtype[Any]

    @property
    def formats(self) -> list[PixelFormat]:
        """The format of every graded image."""
        return [PixelFormat(np.dtype(self.dtype), self.channels)]

    @property
    def block(self) -> tuple[int, int]:
        """Width and height of the blocks that are decoded together; a width of 0 stands for full-width rows."""
        return 0, 1

    @property
    def pixel_bytes(self) -> int:
        """Bytes of main memory per pixel of a region from reading to writing, without the graded copy."""
        return self.channels * self.dtype.itemsize

    @property
    def graded_bytes(self) -> int:
        """Bytes of main memory per pixel of each copy of the graded channels."""
        return self.channels * self.dtype.itemsize

    @property
    def fixed_bytes(self) -> int:
        """Bytes of main memory needed for any region: by decoders, or because the file can't be read in pieces."""
        return 0

    @abstractmethod
    def read_region(self, rect: Rect) -> Pixels:
        """Return the pixels of `rect`, as (rect.height, rect.width, channels) of `dtype`."""

    def read(self, rect: Rect) -> RegionPixels:
        """Return everything that an output needs of `rect`."""
        return RegionPixels(rect, (self.read_region(rect),))

    def close(self) -> None:  # noqa: B027 (a source in memory has nothing to close)
        """Close the files of the source."""


class StreamingOutput(ABC):
    """An image that is written region by region; regions arrive in order, top to bottom."""

    @property
    def block(self) -> tuple[int, int]:
        """Width and height of the blocks that are encoded together, as for a source; known after `init`."""
        return 0, 1

    @property
    def fixed_bytes(self) -> int:
        """Bytes of main memory needed for any region; known after `init`."""
        return 0

    @abstractmethod
    def init(self, width: int, height: int, channels: int) -> None:
        """Set the size of the image; called once before the first region."""

    @abstractmethod
    def write_region(self, rect: Rect, pixels: Pixels) -> None:
        """Write the finished pixels of `rect`."""

    def write(self, rect: Rect, region: RegionPixels) -> None:
        """Write `rect` of the result. `region` is what was read for it, with the finished pixels of every image."""
        (pixels,) = region.graded
        self.write_region(rect, pixels)

    @abstractmethod
    def finish(self) -> None:
        """Complete the image after the last region."""

    @abstractmethod
    def abort(self) -> None:
        """Delete what was written, after a failure or cancellation. May be called before `init`."""


class MemorySource(StreamingSource):
    """A source for an array (height, width, 3|4) of float16 or float32, read without copying."""

    def __init__(self, pixels: Pixels) -> None:
        self.pixels = pixels
        self.height, self.width, self.channels = pixels.shape
        self.dtype = pixels.dtype

    def read_region(self, rect: Rect) -> Pixels:
        return self.pixels[rect.y : rect.bottom, rect.x : rect.right]


class WindowSource(StreamingSource):
    """Pixels of one region of a larger image."""

    def __init__(self, pixels: Pixels, region: Rect, size: tuple[int, int]) -> None:
        self.pixels, self.region = pixels, region
        self.width, self.height = size
        self.channels, self.dtype = pixels.shape[2], pixels.dtype

    def read_region(self, rect: Rect) -> Pixels:
        part = self.pixels[rect.within(self.region)]
        if part.shape[:2] != (rect.height, rect.width):
            raise HandleError(f"{rect} lies outside {self.region}")
        return part


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
