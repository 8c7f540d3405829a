"""Where the frames of an export come from: numbered files, or a movie."""

from __future__ import annotations

from pathlib import Path

from engine.core.records import dataclass
from engine.errors import UnsupportedFile
from engine.export.frame_patterns import FramePattern, FrameSource, is_pattern, parse_pattern, pattern_of
from engine.movies.movie_files import is_movie


@dataclass(frozen=True)
class MovieFrames:
    """The frames of a movie, numbered from 0. All of them have the path of the movie."""

    movie: Path
    frames: None = None

    @property
    def text(self) -> str:
        return str(self.movie)

    @property
    def folder(self) -> Path:
        return self.movie.parent

    @property
    def name(self) -> str:
        return self.movie.name

    def path(self, frame: int) -> Path:
        """Return the path of the movie."""
        return self.movie

    def place(self, frame: int) -> tuple[Path, int | None]:
        """Return the path of the movie, and the number of a frame in it."""
        return self.movie, frame

    def on_disk(self) -> list[int]:
        """Return the numbers of all frames. Raises FileError if the movie can't be opened."""
        from engine.movies.movie import open_movie  # takes long to load, and most sequences are files

        return list(range(open_movie(self.movie).frames))


def source_of(path: Path, frame: int | None) -> tuple[FrameSource, int] | None:
    """Return the frames that an image may be one of, and its number: a movie, or files with numbers in their names."""
    return (MovieFrames(path), frame or 0) if is_one_movie(path) else pattern_of(path)


def frame_source(text: str | Path) -> FrameSource:
    """Return the frames that a movie or a pattern names. Raises UnsupportedFile if it is not a valid pattern."""
    return MovieFrames(Path(text)) if is_one_movie(text) else parse_pattern(text)


def is_one_movie(text: str | Path) -> bool:
    """Return whether a path names a movie, not a pattern of several files."""
    return is_movie(text) and not is_pattern(text)


def watched_source(text: str | Path) -> FramePattern:
    """Return the pattern of a sequence that is watched while it grows. Raises UnsupportedFile for a movie."""
    if is_one_movie(text):
        raise UnsupportedFile(text, "is a movie, which can't be watched", "export it when it is complete")
    return parse_pattern(text)
