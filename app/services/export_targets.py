"""The files that an export would write: which of them are there already, and the next version of their name."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from app.cli.commands.sequence import is_sequence
from app.services.export_options import ExportOrder, check
from engine.export.frame_patterns import FramePattern, frames_text, pair, parse_frames, parse_pattern

VERSION = re.compile(r"(?<![A-Za-z0-9])[vV](\d{1,9})(?![A-Za-z0-9])")
"""A version in a name, such as the v003 of sc010_comp_v003.exr."""
FIRST = "v001"
"""The version of a name that has none."""
SEPARATORS = "._-"
MOST_TEXT = 60
"""Characters of frames that are listed."""


@dataclass(frozen=True)
class Targets:
    """Which of the files of an export exist, which `line` tells. `sequence` says whether they are frames.

    `existing` are the frames that exist, as `--existing` takes them; 'replace' for one image, '' for nothing.
    `free` is the next version of the name.
    """

    sequence: bool
    existing: str
    line: str
    free: Path


def find_targets(order: ExportOrder) -> Targets:
    """Look at the disk, which may take long. TesseraError where the export could not begin for its names."""
    asked = check(order.options)
    asked.source, asked.target = str(order.source), str(order.target)
    if not is_sequence(asked):
        return find_file(order.target)
    source, target = parse_pattern(order.source), parse_pattern(order.target)
    frames = parse_frames(asked.frames) if asked.frames else None
    free = next_version(order.target, target)
    if asked.watch:  # nobody knows which frames will come
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
    """The same for one file."""
    there = is_there(path)
    return Targets(
        False, "replace" if there else "", f"{path.name} exists already." if there else "", next_version(path)
    )


def next_version(path: Path, pattern: FramePattern | None = None) -> Path:
    """The name with the version after the highest that any file of its folder has, of whatever format.

    The version is the last in the name; a name without one gets one, before the frame number and the suffix.
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
    """Whether there is something of that name, if only a link that leads nowhere; not where no such name can be."""
    try:
        return os.path.lexists(path)
    except (OSError, ValueError):
        return False


def _names(folder: Path) -> set[str]:
    """The names in a folder, in small letters: some systems don't tell letters apart."""
    try:
        return {entry.name.casefold() for entry in os.scandir(folder)}
    except OSError:
        return set()
