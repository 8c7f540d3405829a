"""Images of files and frames of movies, described and read alike. What reads movies is loaded with the first one."""

from __future__ import annotations

from pathlib import Path

from engine.io.description import describe as describe_file
from engine.io.info import ImageInfo, LayerInfo, PartInfo
from engine.io.selection import choose_layers, choose_part
from engine.io.source import DEFAULTS, FileSource, SourceOptions
from engine.movies.movie_files import is_movie


def describe(path: str | Path, cut_off: bool = False, frame: int | None = None) -> ImageInfo:
    """Return the description of an image file, or of a frame of a movie: by default of its first one.

    `cut_off` and errors are those of `engine.io.describe`.
    """
    if not is_movie(path):
        return describe_file(path, cut_off)
    from engine.movies.source import describe_frame

    return describe_frame(path, frame or 0)


def file_source(
    info: ImageInfo, part: PartInfo, layers: tuple[LayerInfo, ...], options: SourceOptions = DEFAULTS
) -> FileSource:
    """Return the source of an image that was described by `describe`."""
    if info.frame is None:
        return FileSource(info, part, layers, options)
    from engine.movies.source import MovieSource

    return MovieSource(info, part, layers, options)


def open_source(
    path: str | Path,
    part: int | str | None = None,
    layer: str | tuple[str, ...] | None = None,
    options: SourceOptions = DEFAULTS,
    frame: int | None = None,
) -> FileSource:
    """Open layers of an image file, as `engine.io.open_source` does, or a frame of a movie, by default the first."""
    info = describe(path, options.salvage, frame)
    chosen = choose_part(info, part)
    return file_source(info, chosen, choose_layers(info, chosen, layer), options)
