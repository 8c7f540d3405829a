"""Whether names are those of sequences. The parser of frame patterns is loaded only where a name may be one."""

from __future__ import annotations

import argparse
from pathlib import Path

from app.model.sequence_options import SEQUENCES
from engine.errors import UnsupportedFile
from engine.movies.movie_files import is_movie

PLACES = "#@%$"
"""Characters of which every frame pattern contains at least one."""


def may_be_pattern(name: str | Path) -> bool:
    """Return whether a name can be a frame pattern such as shot.####.exr; `is_pattern` of the engine says if it is."""
    return any(place in Path(name).name for place in PLACES)


def frame_of_movie(asked: argparse.Namespace) -> int | None:
    """Return the frame of a movie that is exported to one image: that of --frames; None if IN or OUT is a sequence.

    Raises UnsupportedFile if several frames, or an option that requires a sequence, are given for one image.
    """
    if not is_movie(asked.source) or may_be_pattern(asked.source) or _is_pattern(asked.target):
        return None
    from engine.export.frame_patterns import parse_frames

    numbers = parse_frames(asked.frames) if asked.frames else (0,)
    given = [flag for flag in _given(asked) if flag != "--frames"]
    if len(numbers) > 1 or given:
        what = f"is one image; {given[0] if given else '--frames with several frames'} is for sequences"
        raise UnsupportedFile(asked.target, what, "give OUT a place for the number, such as shot.####.exr")
    return numbers[0]


def _is_pattern(name: str) -> bool:
    if not may_be_pattern(name):
        return False
    from engine.export.frame_patterns import is_pattern

    return is_pattern(name)


def _given(asked: argparse.Namespace) -> list[str]:
    """Return the options that require a sequence."""
    given = [option.flag for option in SEQUENCES.options if getattr(asked, option.attribute)]
    return given + ([] if asked.existing in (None, "fail", "replace") else ["--existing"])


def is_sequence(asked: argparse.Namespace) -> bool:
    """Return whether IN is a sequence.

    So is a movie if OUT is a pattern. Raises UnsupportedFile if IN is a single image but OUT is a pattern or an option
    requires a sequence.
    """
    if is_movie(asked.source) and not may_be_pattern(asked.source):
        return _is_pattern(asked.target) or frame_of_movie(asked) is None
    if may_be_pattern(asked.source) or may_be_pattern(asked.target):
        from engine.export.frame_patterns import is_pattern

        if is_pattern(asked.source):
            return True
        if is_pattern(asked.target):
            what = "has a place for a frame number, but IN has none"
            raise UnsupportedFile(asked.target, what, "give a sequence such as shot.####.exr")
    if given := _given(asked):
        raise UnsupportedFile(asked.source, f"is one image; {given[0]} is for sequences", "give shot.####.exr")
    return False
