"""Versions: named snapshots of a grade, two of which can be marked for A/B. All classes are immutable values."""

from __future__ import annotations

import base64
from collections.abc import Iterable
from dataclasses import replace
from itertools import count
from typing import Any

from engine import Grade
from engine.core.records import dataclass
from engine.errors import GradeError

THUMBNAIL_SIZE = (224, 126)
"""The largest width and height of a thumbnail, in pixels."""
_OLD_KEY = "still"
"""The key of the thumbnail in files of version 0.1.0 and before."""


@dataclass(frozen=True)
class Version:
    """A named snapshot of the grade; versions are sorted by `number`.

    `thumbnail` shows the canvas from when the version was made, as a PNG; b'' if the canvas was empty. It does
    not change with the frame of a sequence.
    """

    name: str
    grade: Grade
    number: int
    thumbnail: bytes = b""

    def to_json(self) -> dict[str, Any]:
        thumbnail = base64.b64encode(self.thumbnail).decode("ascii")
        return {"name": self.name, "number": self.number, "grade": self.grade.to_json(), "thumbnail": thumbnail}

    @classmethod
    def from_json(cls, data: Any) -> Version:
        saved = data.get("thumbnail", data.get(_OLD_KEY, ""))
        thumbnail = base64.b64decode(saved, validate=True)
        return cls(str(data["name"]), Grade.from_json(data["grade"]), int(data["number"]), thumbnail)


Change = tuple[Version | None, Version | None]
"""A version before and after a change; None before if it was added, None after if it was removed."""


def same_versions(ones: tuple[Version, ...], others: tuple[Version, ...]) -> bool:
    """Return whether names and grades are equal; thumbnails and numbers don't count."""
    return [(each.name, each.grade) for each in ones] == [(each.name, each.grade) for each in others]


@dataclass(frozen=True)
class Versions:
    """The snapshots in the order of their numbers. `marks` are the names of A and B, '' if none is marked.

    Names and numbers are unique. `made` is the largest number ever used: numbers are never reused, because the history
    identifies versions by them.
    """

    items: tuple[Version, ...] = ()
    marks: tuple[str, str] = ("", "")
    made: int = 0

    def __getitem__(self, name: str) -> Version:
        return next(version for version in self.items if version.name == name)

    def __contains__(self, name: str) -> bool:
        return any(version.name == name for version in self.items)

    @property
    def has_ab(self) -> bool:
        """Whether two different versions are marked as A and B."""
        return all(self.marks) and self.marks[0] != self.marks[1]

    def with_new(self, grade: Grade, name: str = "", thumbnail: bytes = b"") -> Versions:
        """Return the versions with one more, named `name` or by its number; the first two are marked A and B."""
        number = self.made + 1
        names = (f"Version {n}" for n in count(number))
        name = name if name and name not in self else next(n for n in names if n not in self)
        a, b = self.marks
        marks = (a, b) if a and b else (a, name) if a else (name, b)
        return Versions((*self.items, Version(name, grade, number, thumbnail)), marks, number)

    def renumbered(self, others: Iterable[Version]) -> tuple[Version, ...]:
        """Return versions from elsewhere, with unused numbers."""
        return tuple(replace(each, number=self.made + n) for n, each in enumerate(others, 1))

    def changed(self, changes: Iterable[Change]) -> Versions:
        """Return the versions with old ones replaced by new ones; marks follow renamed versions.

        A name that another version uses gets a suffix.
        """
        items, marks, made = list(self.items), self.marks, self.made
        for old, new in changes:
            was = next((item.name for item in items if old is not None and item.number == old.number), "")
            items = [item for item in items if old is None or item.number != old.number]
            if new is not None:
                new = replace(new, name=_free_name(new.name, {item.name for item in items}))
                items.append(new)
                made = max(made, new.number)
            a, b = ((new.name if new else "") if was and mark == was else mark for mark in marks)
            marks = (a, b)
        return Versions(tuple(sorted(items, key=lambda item: item.number)), marks, made)

    def without(self, changes: Iterable[Change]) -> Versions:
        """Return the versions with changes reverted; versions that were made since then stay."""
        return self.changed([(new, old) for old, new in reversed(list(changes))])

    def marked(self, place: int, name: str) -> Versions:
        """Return the versions with one marked as A (`place` 0) or B (1), or unmarked if it is already marked so."""
        a, b = self.marks
        now = "" if self.marks[place] == name else name
        return replace(self, marks=(now, b if b != now else "") if place == 0 else (a if a != now else "", now))

    def to_json(self) -> dict[str, Any]:
        return {"marks": list(self.marks), "items": [version.to_json() for version in self.items], "made": self.made}

    @classmethod
    def from_json(cls, data: Any) -> Versions:
        """Return the versions from the result of `to_json`; GradeError if it is damaged."""
        try:
            items = versions_from_json(data["items"])
            a, b = (str(mark) for mark in data["marks"])
            made = int(data.get("made", 0))
        except (AttributeError, KeyError, TypeError, ValueError):
            raise GradeError("the versions of a grade are damaged") from None
        names = [item.name for item in items]
        made = max([made, *(item.number for item in items)])
        return cls(items, (a if a in names else "", b if b in names else ""), made)


def versions_from_json(data: Any) -> tuple[Version, ...]:
    """Return versions from a list of their JSON forms, sorted by number; GradeError if it is damaged.

    Duplicate names and numbers are made unique.
    """
    try:
        items = sorted((Version.from_json(item) for item in data), key=lambda item: item.number)
    except (AttributeError, KeyError, TypeError, ValueError):
        raise GradeError("the versions of a grade are damaged") from None
    found: list[Version] = []
    for item in items:
        name = _free_name(item.name, {each.name for each in found})
        number = max([item.number, *(each.number + 1 for each in found[-1:])])
        found.append(replace(item, name=name, number=number))
    return tuple(found)


def _free_name(name: str, taken: set[str]) -> str:
    """Return the name, with a numeric suffix if it is taken."""
    names = (f"{name} ({n})" for n in count(2))
    return name if name not in taken else next(each for each in names if each not in taken)
