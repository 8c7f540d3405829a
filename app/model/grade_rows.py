"""The entries of a grade as rows, top to bottom: a group is a row, and the entries in it follow.

The index of a row is what a document selects and edits; without groups it is the index in `Grade.entries`. A path
leads to an entry: its index in the grade, or the index of each group around it and its own in the innermost.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from engine import Grade
from engine.grade.entries import Entry, Group, Layer, any_solo, layer_of
from engine.grade.paths import Path as Path
from engine.grade.paths import entries_before as entries_before
from engine.grade.paths import entry_at as entry_at
from engine.grade.paths import siblings as siblings
from engine.mattes.tree import Matte

_last: tuple[tuple[Grade, tuple[Row, ...]], ...] = ()


class Row(NamedTuple):
    """An entry of a grade or of a group, its path, and whether it runs."""

    entry: Entry
    path: Path
    runs: bool


def rows_of(grade: Grade) -> tuple[Row, ...]:
    """Return the rows of a grade; those of the last two are kept: a grade with keys, and what it is at a frame."""
    global _last
    known = next((rows for each, rows in _last if each is grade), None)
    if known is None:
        known = tuple(_rows(grade.entries, any_solo(grade.entries), True, ()))
        _last = ((grade, known), *_last[:1])
    return known


def entries_of(grade: Grade) -> tuple[Entry, ...]:
    """Return the entry of each row."""
    has_groups = any(isinstance(entry, Group) for entry in grade.entries)
    return tuple(row.entry for row in rows_of(grade)) if has_groups else grade.entries


def path_of(grade: Grade, index: int) -> Path:
    """Return the path of the row at `index`; () if there is none."""
    rows = rows_of(grade)
    return rows[index].path if 0 <= index < len(rows) else ()


def index_of(grade: Grade, path: Path) -> int:
    """Return the index of the row at a path; -1 if there is none."""
    return next((index for index, row in enumerate(rows_of(grade)) if row.path == path), -1)


def is_within(path: Path, outer: Path) -> bool:
    """Return whether the entry at a path lies in the group at another one."""
    return len(path) > len(outer) and path[: len(outer)] == outer


def with_siblings(grade: Grade, path: Path, entries: Sequence[Entry]) -> Grade:
    """Return the grade with other entries in the group at a path, or of its own for ()."""
    if not path:
        return grade.with_entries(entries)
    group = entry_at(grade, path)
    assert isinstance(group, Group)
    return with_entry(grade, path, replace(group, entries=tuple(entries)))


def with_entry(grade: Grade, path: Path, entry: Entry) -> Grade:
    """Return the grade with another entry at a path."""
    beside, at = siblings(grade, path[:-1]), path[-1]
    return with_siblings(grade, path[:-1], (*beside[:at], entry, *beside[at + 1 :]))


def inserted(grade: Grade, place: Path, entries: Iterable[Entry]) -> Grade:
    """Return the grade with more entries, the first of them at `place`."""
    beside, at = siblings(grade, place[:-1]), place[-1]
    return with_siblings(grade, place[:-1], (*beside[:at], *entries, *beside[at:]))


def removed(grade: Grade, path: Path) -> Grade:
    """Return the grade without the entry at a path. A group that is left empty stays."""
    beside, at = siblings(grade, path[:-1]), path[-1]
    return with_siblings(grade, path[:-1], (*beside[:at], *beside[at + 1 :]))


def place_after(grade: Grade, index: int) -> Path:
    """Return the place behind the row at `index`, beside it; the first place of the grade for -1."""
    path = path_of(grade, index)
    return (*path[:-1], path[-1] + 1) if path else (0,)


def moved(grade: Grade, path: Path, place: Path) -> tuple[Grade, Path]:
    """Return the grade with an entry moved, and its new path. `place` is where it goes in the grade as it is now.

    The grade is the same if the place is in the entry itself.
    """
    if place[: len(path)] == path:
        return grade, path
    entry = entry_at(grade, path)
    at = len(place) - 1
    shifts = len(path) > at and path[:at] == place[:at] and path[at] >= place[at]
    old = (*path[:at], path[at] + 1, *path[at + 1 :]) if shifts else path
    shrunk = removed(inserted(grade, place, [entry]), old)
    at = len(old) - 1
    shifts = len(place) > at and place[:at] == old[:at] and place[at] > old[at]
    return shrunk, (*place[:at], place[at] - 1, *place[at + 1 :]) if shifts else place


def place_beside(grade: Grade, path: Path, by: int, opened: Sequence[Path]) -> Path | None:
    """Return the place one step up (-1) or down (1); None beyond the ends.

    The step leads past the neighbour, into it if it is one of the `opened` groups, or out of the group at its ends.
    """
    parent, at = path[:-1], path[-1]
    beside = siblings(grade, parent)
    to = at + by
    if 0 <= to < len(beside):
        next_to = (*parent, to)
        if next_to in opened:
            return (*next_to, len(siblings(grade, next_to)) if by < 0 else 0)
        return (*parent, to if by < 0 else to + 1)
    if not parent:
        return None
    return parent if by < 0 else (*parent[:-1], parent[-1] + 1)


def places_at(grade: Grade, gap: int) -> list[Path]:
    """Return the places between the rows `gap` - 1 and `gap`, the outermost first: an entry dropped there may go to
    the end of each group that ends there, or to the start of one that begins."""
    rows = rows_of(grade)
    below = rows[gap].path if gap < len(rows) else (len(grade.entries),)
    if gap == 0:
        return [below]
    before = rows[gap - 1]
    places = [(*before.path[:depth], before.path[depth] + 1) for depth in range(len(below) - 1, len(before.path))]
    if isinstance(before.entry, Group):
        places.append((*before.path, 0))
    return places


def span(grade: Grade, one: int, other: int) -> tuple[Path, int]:
    """Return the first place and the number of neighbours, in one group, that hold the rows `one` to `other`."""
    paths = sorted((path_of(grade, one), path_of(grade, other)))
    depth = 0
    while depth < min(len(path) for path in paths) - 1 and paths[0][depth] == paths[1][depth]:
        depth += 1
    first, last = (path[depth] for path in paths)
    return (*paths[0][:depth], first), last - first + 1


def grouped(grade: Grade, one: int, other: int, name: str) -> tuple[Grade, Path]:
    """Return the grade with the rows from `one` to `other` in a new group, and the path of that."""
    place, count = span(grade, one, other)
    beside, at = siblings(grade, place[:-1]), place[-1]
    group = Group(beside[at : at + count], name)
    return with_siblings(grade, place[:-1], (*beside[:at], group, *beside[at + count :])), place


def ungrouped(grade: Grade, path: Path) -> Grade:
    """Return the grade with a group replaced by its entries."""
    inner, beside, at = siblings(grade, path), siblings(grade, path[:-1]), path[-1]
    return with_siblings(grade, path[:-1], (*beside[:at], *inner, *beside[at + 1 :]))


def new_group_name(grade: Grade) -> str:
    """Return a name that no group has: "Group", "Group 2" and so on."""
    taken = {entry.name for entry in entries_of(grade) if isinstance(entry, Group)}
    names = ("Group" if number == 1 else f"Group {number}" for number in range(1, len(taken) + 2))
    return next(name for name in names if name not in taken)


def switched(entry: Entry, **values: Any) -> Layer:
    """Return an entry with other switches: `enabled`, `mix`, `solo` or `matte`."""
    return replace(layer_of(entry), **values)


def matte_of(entry: Entry) -> Matte | None:
    """Return the matte of an entry."""
    return entry.matte if isinstance(entry, Layer | Group) else None


def mattes_of(grade: Grade) -> list[Matte]:
    """Return the mattes of all entries."""
    return [matte for row in rows_of(grade) if (matte := matte_of(row.entry)) is not None]


def _rows(entries: Sequence[Entry], solo: bool, above: bool, path: Path) -> list[Row]:
    """Return the rows of entries. `solo` is whether those that are not solo are muted, `above` whether the group of
    the entries runs."""
    found: list[Row] = []
    for index, entry in enumerate(entries):
        enabled, is_solo = (entry.enabled, entry.solo) if isinstance(entry, Layer | Group) else (True, False)
        inner, here = entry.entries if isinstance(entry, Group) else (), (*path, index)
        muted = solo and not is_solo
        runs = above and enabled and (not muted or any_solo(inner))
        found.append(Row(entry, here, runs))
        found += _rows(inner, muted, runs, here)
    return found
