"""Entries of a grade: their names, the names of edits to them, and where one is after an edit."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from app.model.grade_rows import entries_of
from engine import FileLook, Grade
from engine.grade.entries import Entry, Group, bare

_SWITCH_TEXTS = {
    "enabled": ("bypass of", "enabling of"),
    "solo": ("end of solo of", "solo of"),
    "mix": ("mix of", "mix of"),
}


def name_of(entry: Entry) -> str:
    """Return the displayed name of an entry: the title of its op, or the name of its file or group."""
    inner = bare(entry)
    if isinstance(inner, Group):
        return inner.name or "Group"
    return Path(inner.path).name if isinstance(inner, FileLook) else inner.title()


def switch_text(entry: Entry, switch: str, value: Any) -> str:
    """Return the text of the step that sets `enabled`, `solo` or `mix` of an entry."""
    return f"{_SWITCH_TEXTS[switch][bool(value)]} {name_of(entry)}"


def index_after(index: int, before: Grade, after: Grade) -> int:
    """Return the row, in the grade `after` an edit, of the entry at row `index` of the grade `before`.

    For an entry that was removed, it is the one now in its place, else the last; -1 if there is none.
    """
    old, new = [_alone(entry) for entry in entries_of(before)], [_alone(entry) for entry in entries_of(after)]
    if not 0 <= index < len(old) or (index < len(new) and new[index] is old[index]):
        return min(index, len(new) - 1)
    head = _common(old, new)
    tail = _common(reversed(old[head:]), reversed(new[head:]))
    if index < head:
        return index
    if index >= len(old) - tail:
        return index + len(new) - len(old)
    moved = (place for place in range(head, len(new) - tail) if new[place] == old[index])
    return next(moved, min(index, len(new) - 1))


def _alone(entry: Entry) -> Entry:
    """Return a group without its entries, which have rows of their own; any other entry as it is."""
    return replace(entry, entries=()) if isinstance(entry, Group) else entry


def _common(ones: Iterable[Entry], others: Iterable[Entry]) -> int:
    """Return the number of equal entries at the start of both."""
    count = 0
    for one, other in zip(ones, others, strict=False):
        if one != other:
            break
        count += 1
    return count
