"""Images with planes for viewing tests: planes that are arrays, box-averaged as the reader of files averages them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.core.geometry import Place, Rect
from engine.errors import Cancelled, UnsupportedFile
from engine.mattes.planes import Plane
from engine.viewing.levels import WholeLevels, level_size
from engine.viewing.plane_sources import PlaneFile
from engine.viewing.plane_store import PlaneStore

Array = NDArray[Any]


@dataclass(frozen=True)
class Lacking:
    """What `engine.io.planes.missing` tells of a plane."""

    plane: Plane
    kind: str = "channel"

    @property
    def text(self) -> str:
        return f"image.exr has no {self.plane}"


class ArrayReader:
    """Reads planes from arrays (height, width); counts what is read. While `held`, `prepare` waits."""

    used = 0

    def __init__(self, planes: Mapping[Plane, Array], size: tuple[int, int]) -> None:
        self.planes, self.size = planes, size
        self.reads: list[tuple[tuple[Plane, ...], Rect, int]] = []
        self.held, self.asked = threading.Event(), threading.Event()
        self.held.set()
        self.closed = 0

    def level(self, plane: Plane, level: int) -> NDArray[np.float32]:
        """The means of the pixels under each pixel of a level."""
        width, height = level_size(*self.size, level)
        side = 1 << level
        padded = np.full((height * side, width * side), np.nan)
        padded[: self.size[1], : self.size[0]] = self.planes[plane]
        return np.nanmean(padded.reshape(height, side, width, side), axis=(1, 3)).astype(np.float32)

    def read(self, planes: Sequence[Plane], rect: Rect, level: int = 0) -> NDArray[np.float32]:
        self.reads.append((tuple(planes), rect, level))
        for plane in planes:
            if plane not in self.planes:
                raise UnsupportedFile("image.exr", f"has no {plane}", "choose another")
        rows, columns = rect.within(Rect(0, 0, 1 << 30, 1 << 30))
        return np.stack([self.level(plane, level)[rows, columns] for plane in planes], axis=-1)

    def prepare(
        self,
        planes: Sequence[Plane],
        rect: Rect | None = None,
        level: int = 0,
        progress: Callable[[int, int], None] = lambda done, total: None,
        stop: Callable[[], bool] = lambda: False,
    ) -> None:
        progress(1, 4)
        self.asked.set()
        while not self.held.wait(0.005):
            if stop():
                raise Cancelled()

    def missing(self, planes: Sequence[Plane]) -> Iterable[Lacking]:
        return [Lacking(plane) for plane in planes if plane not in self.planes]

    def close(self) -> None:
        self.closed += 1


def with_planes(
    pixels: Array, planes: Mapping[Plane, Array], offset: tuple[int, int] = (0, 0), frame: tuple[int, int] = (0, 0)
) -> tuple[WholeLevels, ArrayReader]:
    """An image whose first pixel is at `offset` in a display window of the size `frame`, and what reads its planes."""
    height, width = pixels.shape[:2]
    reader = ArrayReader(planes, (width, height))
    levels = WholeLevels(pixels)
    place = Place(float(offset[0]), float(offset[1]))
    shown = frame if frame != (0, 0) else (width, height)
    levels.planes = PlaneStore((width, height), place, shown, lambda: PlaneFile(reader, reader.missing))
    return levels, reader
