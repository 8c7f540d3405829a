"""Finds which of the files that an export would write already exist, and the next version of their name."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from app.model.frame_names import is_sequence
from app.services.export_options import ExportOrder, check
from engine.export.frame_patterns import FramePattern, frames_text, pair, parse_frames, parse_pattern

VERSION = re.compile(r"(?<![A-Za-z0-9])[vV](\d{1,9})(?![A-Za-z0-9])")
"""A version in a name, such as v003 in sc010_comp_v003.exr."""
FIRST = "v001"
"""The version given to a name without one."""
SEPARATORS = "._-"
MOST_TEXT = 60
"""The maximum length of a list of frames, in characters."""


@dataclass(frozen=True)
class Targets:
    """The files of an export that already exist. `sequence` says whether they are frames; `line` describes them.

    `existing` is the value for `--existing`: the frames that exist, 'replace' for one image, '' for none.
    `free` is the path with the next version of the name.
    """

    sequence: bool
    existing: str
    line: str
    free: Path


def find_targets(order: ExportOrder) -> Targets:
    """Look for the target files on disk, which may be slow; TesseraError if the options or names are not valid."""
    asked = check(order.options)
    asked.source, asked.target = str(order.source), str(order.target)
    if not is_sequence(asked):
        return find_file(order.target)
    source, target = parse_pattern(order.source), parse_pattern(order.target)
    frames = parse_frames(asked.frames) if asked.frames else None
    free = next_version(order.target, target)
    if asked.watch:  # the frames are not known in advance
        wanted = frames or source.frames
        there = [frame for frame in target.on_disk() if wanted is None or frame in wanted]
        total = f"{len(wanted)} frames" if wanted else "the frames to come"
    else:
        files = pair(source, target, frames)
        names = _names(target.folder)
        there = [each.frame for each in files if each.target.name.casefold() in names and is_there(each.target)]
        total = f"{len(files)} frames"
    if not there:
        return Targets(True, "", "", free)
    listed = existing = frames_text(there)
    if len(listed) > MOST_TEXT:
        listed = f"{listed[:MOST_TEXT].rpartition(',')[0]},…"
    exist = "exists" if len(there) == 1 else "exist"
    return Targets(True, existing, f"{len(there)} of {total} {exist} already: {listed}.", free)


def find_file(path: Path) -> Targets:
    """Look for one target file; see `find_targets`."""
    there = is_there(path)
    return Targets(
        False, "replace" if there else "", f"{path.name} exists already." if there else "", next_version(path)
    )


def next_version(path: Path, pattern: FramePattern | None = None) -> Path:
    """Return the path with the version after the highest one of that name in its folder, in any format.

    The version is the last one in the name; a name without one gets it before the frame number and the suffix.
    """
    stem = pattern.head if pattern is not None else path.stem
    rest = path.name[len(stem) :]
    base = stem.rstrip(SEPARATORS)
    rest = stem[len(base) :] + rest
    found = list(VERSION.finditer(base))
    if not found:
        base, rest = (f"{base}_{FIRST}", rest) if base else (FIRST, f".{rest}")
        found = list(VERSION.finditer(base))
    before, digits, after = base[: found[-1].start(1)], found[-1][1], base[found[-1].end(1) :]
    similar = re.compile(rf"{re.escape(before)}(\d{{1,9}}){re.escape(after)}(?![A-Za-z0-9])", re.IGNORECASE)
    numbers = [int(match[1]) for name in _names(path.parent) if (match := similar.match(name))]
    number = max(int(digits), *numbers, 0) + 1
    return path.with_name(f"{before}{number:0{len(digits)}d}{after}{rest}")


def is_there(path: Path) -> bool:
    """Return whether the path exists, even as a broken link; False for an invalid path."""
    try:
        return os.path.lexists(path)
    except (OSError, ValueError):
        return False


def _names(folder: Path) -> set[str]:
    """Return the names in a folder, case-folded: some file systems ignore case."""
    try:
        return {entry.name.casefold() for entry in os.scandir(folder)}
    except OSError:
        return set()
