"""Whether names are those of sequences. The parser of frame patterns is loaded only where a name may be one."""

from __future__ import annotations

import argparse
from pathlib import Path

from app.model.sequence_options import SEQUENCES
from engine.errors import UnsupportedFile

PLACES = "#@%$"
"""Characters of which every frame pattern contains at least one."""


def may_be_pattern(name: str | Path) -> bool:
    """Return whether a name can be a frame pattern such as shot.####.exr; `is_pattern` of the engine says if it is."""
    return any(place in Path(name).name for place in PLACES)


def is_sequence(asked: argparse.Namespace) -> bool:
    """Return whether IN is a sequence.

    Raises UnsupportedFile if IN is a single image but OUT is a pattern or an option requires a sequence.
    """
    if may_be_pattern(asked.source) or may_be_pattern(asked.target):
        from engine.export.frame_patterns import is_pattern

        if is_pattern(asked.source):
            return True
        if is_pattern(asked.target):
            what = "has a place for a frame number, but IN has none"
            raise UnsupportedFile(asked.target, what, "give a sequence such as shot.####.exr")
    given = [option.flag for option in SEQUENCES.options if getattr(asked, option.attribute)]
    given += [] if asked.existing in (None, "fail", "replace") else ["--existing"]
    if given:
        raise UnsupportedFile(asked.source, f"is one image; {given[0]} is for sequences", "give shot.####.exr")
    return False
