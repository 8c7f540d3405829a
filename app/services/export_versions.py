"""Versions in file names, such as v003 in sc010_comp_v003.exr."""

from __future__ import annotations

import os
import re
from pathlib import Path

from engine.export.frame_patterns import FramePattern

VERSION = re.compile(r"(?<![A-Za-z0-9])[vV](\d{1,9})(?![A-Za-z0-9])")
"""A version in a name."""
FIRST = "v001"
"""The version given to a name without one."""
SEPARATORS = "._-"


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
    numbers = [int(match[1]) for name in names_in(path.parent) if (match := similar.match(name))]
    number = max(int(digits), *numbers, 0) + 1
    return path.with_name(f"{before}{number:0{len(digits)}d}{after}{rest}")


def names_in(folder: Path) -> set[str]:
    """Return the names in a folder, case-folded: some file systems ignore case."""
    try:
        return {entry.name.casefold() for entry in os.scandir(folder)}
    except OSError:
        return set()
