"""Finds which of the files that an export would write already exist, and the next version of their name."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from app.model.frame_names import is_sequence
from app.model.movie_options import is_movie_name
from app.services.export_names import with_version
from app.services.export_options import ExportOrder, check
from app.services.export_versions import names_in, next_version
from engine.core.records import dataclass
from engine.export.frame_patterns import frames_text, is_pattern, pair, parse_frames, parse_pattern
from engine.export.frame_sources import frame_source, is_one_movie

MOST_TEXT = 60
"""The maximum length of a list of frames, in characters."""


@dataclass(frozen=True)
class Targets:
    """The files of an export that already exist. `sequence` says whether they are frames; `line` describes them.

    `existing` is the value for `--existing`: the frames that exist, 'replace' for one image, '' for none.
    `free` is the path with the next version of the name. `target` is the file or pattern that is written, `count` the
    number of files, and `frames` lists them in short; both are empty if they are not known yet.
    """

    sequence: bool
    existing: str
    line: str
    free: Path
    target: Path
    count: int = 0
    frames: str = ""


def find_targets(order: ExportOrder, taken: Iterable[Path] = ()) -> Targets:
    """Look for the target files on disk, which may be slow; TesseraError if the options or names are not valid.

    `taken` are targets of other exports, whose versions are not free.
    """
    order = replace(order, target=with_version(order.target, taken))
    asked = check(order.options)
    asked.source, asked.target = str(order.source), str(order.target)
    if is_movie_name(order.target):
        return _find_movie(order, asked.frames)
    if not is_sequence(asked):
        return find_file(order.target)
    source, target = frame_source(order.source), parse_pattern(order.target)
    frames = parse_frames(asked.frames) if asked.frames else None
    free = next_version(order.target, target)
    if asked.watch:  # the frames are not known in advance
        wanted = frames or source.frames
        there = [frame for frame in target.on_disk() if wanted is None or frame in wanted]
        count, listed = 0, ""
        total = f"{len(wanted)} frames" if wanted else "the frames to come"
    else:
        files = pair(source, target, frames)
        names = names_in(target.folder)
        there = [each.frame for each in files if each.target.name.casefold() in names and is_there(each.target)]
        count, listed = len(files), _short(frames_text(each.frame for each in files))
        total = f"{len(files)} frames"
    if not there:
        return Targets(True, "", "", free, order.target, count, listed)
    existing = frames_text(there)
    exist = "exists" if len(there) == 1 else "exist"
    line = f"{len(there)} of {total} {exist} already: {_short(existing)}."
    return Targets(True, existing, line, free, order.target, count, listed)


def _find_movie(order: ExportOrder, frames: str | None) -> Targets:
    """Look for a movie, and count its frames."""
    found = find_file(order.target)
    if not is_pattern(order.source) and not is_one_movie(order.source):
        return found
    names = parse_pattern(order.target.with_name("frame.####"))
    files = pair(frame_source(order.source), names, parse_frames(frames) if frames else None)
    return replace(found, count=len(files), frames=_short(frames_text(each.frame for each in files)))


def find_file(path: Path) -> Targets:
    """Look for one target file; see `find_targets`."""
    there = is_there(path)
    line = f"{path.name} exists already." if there else ""
    return Targets(False, "replace" if there else "", line, next_version(path), path, 1)


def is_there(path: Path) -> bool:
    """Return whether the path exists, even as a broken link; False for an invalid path."""
    try:
        return os.path.lexists(path)
    except (OSError, ValueError):
        return False


def _short(frames: str) -> str:
    """Return the beginning of a long list of frames."""
    return frames if len(frames) <= MOST_TEXT else f"{frames[:MOST_TEXT].rpartition(',')[0]},…"
