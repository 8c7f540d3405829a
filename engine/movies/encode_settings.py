"""What the process of an encoder gets: the movie to write, frame by frame, and its audio."""

from __future__ import annotations

from dataclasses import field
from fractions import Fraction
from pathlib import Path

from engine.core.records import dataclass
from engine.movies.encode_tags import ColourTags, ContentLight, MasteringDisplay


@dataclass(frozen=True)
class AudioTrack:
    """The audio of a file: from `start` seconds, after `silence` seconds, in FFmpeg's `encoder` for the container."""

    path: Path
    start: Fraction = Fraction(0)
    silence: Fraction = Fraction(0)


@dataclass(frozen=True)
class EncodeSettings:
    """The video track of a movie.

    `encoder`, `format`, `options` and `tag` are those of FFmpeg. `timecode` is that of the first frame, '' for none.
    `metadata` is written to the container. `threads` 0 is one per core. Frames may be taken over
    from the movie `before`.
    """

    encoder: str
    format: str
    width: int
    height: int
    rate: Fraction
    tags: ColourTags
    options: tuple[tuple[str, str], ...] = ()
    tag: str = ""
    pixel_aspect: Fraction = Fraction(1)
    timecode: str = ""
    metadata: tuple[tuple[str, str], ...] = ()
    mastering: MasteringDisplay | None = None
    light: ContentLight | None = None
    audio: AudioTrack | None = None
    threads: int = 0
    before: Path | None = None


@dataclass(frozen=True)
class Encoded:
    """The report of an encoder: the frames that it wrote, and notes for the user."""

    frames: int
    notes: tuple[str, ...] = field(default=())
