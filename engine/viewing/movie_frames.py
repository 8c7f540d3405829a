"""Frames of movies for viewing: their planes go to the device as they are, and become R'G'B' there."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from engine.compute.backends.base import GpuPrimitives, ImageHandle
from engine.compute.streaming import Pixels
from engine.core.geometry import Rect
from engine.core.records import dataclass
from engine.errors import UnreadableFile
from engine.io.info import ImageInfo, LayerInfo, PartInfo
from engine.io.selection import choose_layer, choose_part
from engine.io.source import Image
from engine.movies.conversion import to_rgb
from engine.movies.halving import half_format, halved
from engine.movies.info import MovieInfo
from engine.movies.movie import MovieFrame, open_movie
from engine.movies.source import damage_of, describe_frame
from engine.viewing.levels import Levels


class PlanarLevels(Levels):
    """A frame in planes, which are all that is kept of it. A device converts it each time it is shown anew, at half its
    size for a coarser view."""

    stored = range(1)
    complete = True

    def __init__(self, frame: MovieFrame, info: MovieInfo) -> None:
        self._frame, self._info = frame, info
        self.width, self.height, self.channels = info.format.width, info.format.height, 4 if info.format.alpha else 3
        self.dtype = np.dtype(np.float32)

    @property
    def used(self) -> int:
        return self._info.format.nbytes

    def on_device(self, primitives: GpuPrimitives, level: int) -> tuple[int, ImageHandle] | None:
        format = self._info.format
        half = half_format(format) if level > 0 else None
        planes = self._frame.planes if half is None else halved(self._frame.planes, format)
        shown = half or format
        target = primitives.allocate(shown.width, shown.height, self.channels, self.dtype)
        primitives.exec_planes(primitives.upload_planes(planes, shown), target)
        return int(half is not None), target

    def whole(self, level: int) -> Pixels:
        return to_rgb(self._frame.planes, self._info)

    def region(self, level: int, rect: Rect) -> tuple[Pixels, bool]:
        return self.exact(rect), True

    def exact(self, rect: Rect) -> Pixels:
        return to_rgb(self._frame.planes, self._info, rect)

    def want(self, level: int, rect: Rect) -> None:
        """Do nothing: the frame is complete."""

    def watch(self, on_change: Callable[[], None], on_error: Callable[[str], None]) -> None:
        """Do nothing: the frame never changes."""

    def set_budget(self, budget: int) -> None:
        """Do nothing: the planes are stored whole."""

    def rest(self, wait_seconds: float = 0.0) -> None:
        """Do nothing: there are no threads."""


@dataclass(frozen=True)
class MovieImage:
    """A frame of a movie; `levels` has its pixels. `damage` says what the decoder made up, or ''."""

    levels: PlanarLevels
    info: ImageInfo
    part: PartInfo
    layer: LayerInfo
    damage: str = ""

    @property
    def device_bytes(self) -> int:
        """Bytes of the planes."""
        return self.levels.used


def open_frame(path: str | Path, part: int | str | None, layer: str | None, frame: int | None) -> MovieImage | Image:
    """Open a frame of a movie for viewing, by default the first; a damaged one as far as the decoder made it up.

    A layer of one channel, and a frame that is turned, are converted in main memory. Raises FileError if the movie
    can't be opened, or the frame not be decoded.
    """
    info = describe_frame(path, frame or 0)
    chosen = choose_part(info, part)
    found, movie = choose_layer(info, chosen, layer), open_movie(path)
    if movie.stamp != info.stamp:
        raise UnreadableFile(path, "has changed since it was opened", "open it again")
    planes = movie.planes(info.frame or 0)
    damage = damage_of(info, planes)
    if not movie.info.rotation and len(found.channels) == len(chosen.channels):
        return MovieImage(PlanarLevels(planes, movie.info), info, chosen, found, damage)
    pixels = to_rgb(planes.planes, movie.info)
    if found.is_grey:
        pixels = np.repeat(pixels[..., ["RGBA".index(found.channels[0])]], 3, axis=2)
    return Image(pixels, info, chosen, found, damage)
