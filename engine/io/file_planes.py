"""Planes of mattes for the streaming of an image: read together with its regions."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from engine.compute.backends.base import GpuPrimitives, ImageHandle
from engine.core.geometry import Rect
from engine.io.planes import PlaneReader
from engine.mattes.planes import Plane

Floats = NDArray[np.float32]
REGIONS = 3
"""Regions whose planes are kept: one is read while another is computed and a third is written."""
PER_IMAGE = 4


class FilePlanes:
    """The source of planes while their image is streamed. Thread-safe.

    `read_with` is called for each region of the image that is read, in order. What a tile needs beyond the last regions
    is read apart. Rows that the last region, or the last tile, had as well are not read again.
    """

    def __init__(self, reader: PlaneReader, planes: tuple[Plane, ...], level: int = 0) -> None:
        self._reader, self._planes, self._level = reader, planes, level
        self._kept: deque[tuple[Rect, Floats]] = deque(maxlen=REGIONS)
        self._apart: dict[tuple[Plane, ...], tuple[Rect, Floats]] = {}
        self._lock = threading.Lock()
        self._fixed = reader.limit(planes)

    @property
    def fixed_bytes(self) -> int:
        """Bytes of main memory for samples that are decoded apart from those of the image."""
        return self._fixed

    @property
    def pixel_bytes(self) -> int:
        """Bytes of main memory per pixel of a region."""
        return 4 * len(self._planes)

    def read_with(self, rect: Rect) -> None:
        """Read the planes in a region whose samples have just been decoded."""
        with self._lock:
            before = self._kept[-1] if self._kept else None
        values = self._continued(before, self._planes, rect, shared=True)
        with self._lock:
            self._kept.append((rect, values))

    def handles(self, primitives: GpuPrimitives, planes: tuple[Plane, ...], rect: Rect) -> list[ImageHandle]:
        """Return the planes in `rect` as RGBA float32 images on a device, four planes in each.

        Raises UnsupportedFile or UnreadableFile if a file lacks a plane or is damaged.
        """
        return [primitives.upload(image) for image in self._images(planes, rect)]

    def _images(self, planes: tuple[Plane, ...], rect: Rect) -> Iterator[Floats]:
        values = self._values(planes, rect)
        for first in range(0, len(planes), PER_IMAGE):
            image = np.zeros((rect.height, rect.width, PER_IMAGE), np.float32)
            few = values[..., first : first + PER_IMAGE]
            image[..., : few.shape[2]] = few
            yield image

    def _values(self, planes: tuple[Plane, ...], rect: Rect) -> Floats:
        if set(planes) <= set(self._planes):
            with self._lock:
                held = next((each for each in reversed(self._kept) if _holds(each[0], rect)), None)
            if held is not None:
                places = [self._planes.index(plane) for plane in planes]
                return held[1][rect.within(held[0])][..., places]
        return self._read_apart(planes, rect)

    def _read_apart(self, planes: tuple[Plane, ...], rect: Rect) -> Floats:
        with self._lock:
            before = self._apart.get(planes)
        values = self._continued(before, planes, rect, shared=False)
        with self._lock:
            self._apart[planes] = rect, values
        return values

    def _continued(
        self, before: tuple[Rect, Floats] | None, planes: tuple[Plane, ...], rect: Rect, shared: bool
    ) -> Floats:
        """Return the values in a rectangle: those at its top from the rectangle before, if they are its last rows."""
        known = _rows_above(before[0], rect) if before else 0
        rest = Rect(rect.x, rect.y + known, rect.width, rect.height - known)
        values = self._reader.read(planes, rest, self._level, shared)
        return np.concatenate([before[1][rect.y - before[0].y :], values]) if before and known else values

    def close(self) -> None:
        """Close all files."""
        with self._lock:
            self._kept.clear()
            self._apart.clear()
        self._reader.close()


def _rows_above(before: Rect, rect: Rect) -> int:
    """Return how many rows at the top of a rectangle are the last ones of the rectangle before; 0 if it holds more."""
    same = (before.x, before.width) == (rect.x, rect.width)
    return before.bottom - rect.y if same and before.y <= rect.y < before.bottom < rect.bottom else 0


def _holds(outer: Rect, inner: Rect) -> bool:
    across = outer.x <= inner.x and inner.right <= outer.right
    return across and outer.y <= inner.y and inner.bottom <= outer.bottom
