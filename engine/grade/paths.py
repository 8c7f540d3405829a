"""Paths of entries in a grade: the index of an entry, or that of each group around it and its own in the innermost."""

from __future__ import annotations

import re

from engine.grade.entries import Entry, Group
from engine.grade.grade import Grade

Path = tuple[int, ...]


def entry_at(grade: Grade, path: Path) -> Entry:
    """Return the entry at a path. Raises IndexError if there is none."""
    *above, at = path
    return siblings(grade, tuple(above))[at]


def siblings(grade: Grade, path: Path) -> tuple[Entry, ...]:
    """Return the entries of the group at a path, or those of the grade for ().

    Raises IndexError if it is not a group.
    """
    entries = grade.entries
    for index in path:
        group = entries[index]
        if not isinstance(group, Group):
            raise IndexError(f"there is no group at {path}")
        entries = group.entries
    return entries


def entries_before(grade: Grade, path: Path) -> tuple[Entry, ...]:
    """Return the entries whose result enters the one at a path: those before it, and those before its group."""
    return tuple(entry for depth, at in enumerate(path) for entry in siblings(grade, path[:depth])[:at])


def path_from(text: str) -> Path | None:
    """Return the path that a text such as 2 or 2.1 stands for: numbers from 1; None if it stands for none."""
    if not re.fullmatch(r"[1-9]\d{0,8}(\.[1-9]\d{0,8})*", text):
        return None
    return tuple(int(number) - 1 for number in text.split("."))
