"""Frames of movies as images: described and read as those of image files are."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.core.geometry import Rect
from engine.core.timecode import timecode_at
from engine.errors import UnreadableFile
from engine.io.colour_tags import TAG, TAG_SPACES
from engine.io.exr.chunks import SALVAGE
from engine.io.info import ChannelInfo, ImageInfo, PartInfo
from engine.io.reader import Reader
from engine.io.source import FileSource
from engine.movies.colour_rules import colour_tag
from engine.movies.conversion import to_rgb
from engine.movies.info import MovieInfo
from engine.movies.movie import Movie, MovieFrame, open_movie

FORMAT = "movie"
"""The format of an ImageInfo that describes a frame of a movie."""


def describe_frame(path: str | Path, frame: int) -> ImageInfo:
    """Return the description of a frame of a movie. Raises FileError if it has none of this number."""
    movie = open_movie(path)
    if frame and not 0 <= frame < movie.frames:
        raise UnreadableFile(path, f"has no frame {frame}", f"its frames are 0 to {movie.frames - 1}")
    return ImageInfo(Path(path), FORMAT, (_part(movie.info, frame),), movie.stamp, frame)


def counted(info: ImageInfo) -> ImageInfo:
    """Return the description of a movie with the number of its frames, which may take a while; others as they are."""
    if info.frame is None:
        return info
    movie, part = open_movie(info.path), info.parts[0]
    about = {"frames": movie.frames} | ({"framesLeftOut": movie.note} if movie.note else {})
    return replace(info, parts=(replace(part, metadata=part.metadata | about),))


def _part(info: MovieInfo, frame: int) -> PartInfo:
    kind = "uint8" if info.format.depth == 8 else "uint16"
    window = (0, 0, info.width - 1, info.height - 1)
    aspect = float(info.pixel_aspect)
    return PartInfo(
        index=0,
        name="",
        type="image",
        channels=tuple(ChannelInfo(name, kind) for name in ("RGBA" if info.format.alpha else "RGB")),
        data_window=window,
        display_window=window,
        pixel_aspect=1.0 / aspect if info.rotation in (90, 270) else aspect,
        compression=info.codec,
        metadata=_metadata(info, frame),
    )


def _metadata(info: MovieInfo, frame: int) -> dict[str, Any]:
    """Return what is shown of a frame, with the names of EXR's standard attributes where there are any."""
    ranges = "full range" if info.format.full_range else "video range"
    about: dict[str, Any] = {
        "format": FORMAT,
        "container": info.container,
        "pixelFormat": info.pixel_format,
        "matrix": f"{info.format.matrix}, {ranges}",
        "framesPerSecond": f"{info.rate.numerator}/{info.rate.denominator}",
    }
    if info.format.chroma in ("420", "422"):
        about["chromaSiting"] = info.format.siting
    if info.rotation:
        about["rotation"] = info.rotation
    if info.has_audio:
        about["audio"] = "not played; movies can carry it"
    if info.start_timecode:
        about["timeCode"] = timecode_at(frame, float(info.rate), (0, info.start_timecode))
    tag = colour_tag(info.tags)
    if tag is not None:
        about |= {TAG: tag[0]} | ({TAG_SPACES: list(tag[1])} if tag[1] else {})
    return about


def damage_of(info: ImageInfo, frame: MovieFrame) -> str:
    """Return a line about a damaged frame, else ''."""
    return f"{info.path}: {_damage(info.frame or 0)}" if frame.damaged else ""


def _damage(frame: int) -> str:
    return f"frame {frame} is damaged, and the decoder has made up a part of it"


class _FrameReader(Reader):
    """Reads channels of a frame; decodes it on the first read and keeps it."""

    dtype = np.dtype(np.float32)

    def __init__(self, movie: Movie, frame: int, part: PartInfo, names: tuple[str, ...], salvage: bool) -> None:
        self._movie, self._frame, self._part, self._salvage = movie, frame, part, salvage
        self.names = names
        self._pixels: NDArray[np.float32] | None = None

    @property
    def whole_bytes(self) -> int:
        pixels = self._part.width * self._part.height
        return pixels * 4 * (len(self._part.channels) + len(self.names))

    def align(self, rect: Rect) -> Rect:
        return rect

    def read(self, rect: Rect) -> NDArray[Any]:
        pixels = self._pixels
        if pixels is None:
            pixels = self._pixels = self._decoded()
        return pixels[rect.y : rect.bottom, rect.x : rect.right].copy()

    def _decoded(self) -> NDArray[np.float32]:
        found = self._movie.planes(self._frame)
        if found.damaged and not self._salvage:
            raise UnreadableFile(self._movie.path, _damage(self._frame), SALVAGE)
        pixels = to_rgb(found.planes, self._movie.info)
        places = ["RGBA".index(name) for name in self.names]
        return pixels if places == list(range(pixels.shape[2])) else np.ascontiguousarray(pixels[..., places])

    def close(self) -> None:
        self._pixels = None


class MovieSource(FileSource):
    """Reads a frame of a movie: R'G'B' in the movie's colour space, float32."""

    is_whole = False

    def _opened(self) -> Reader:
        movie = open_movie(self.path)
        if movie.stamp != self.info.stamp:
            raise UnreadableFile(self.path, "has changed since it was opened", "open it again")
        names = tuple(dict.fromkeys(name for layer in self.layers for name in layer.channels))
        return _FrameReader(movie, self.info.frame or 0, self.part, names, self.options.salvage)
