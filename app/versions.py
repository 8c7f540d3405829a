"""Named snapshots of a grade, and the two of them that A/B goes between. Values; a document holds the current one."""

from __future__ import annotations

import base64
from dataclasses import dataclass, replace
from typing import Any

from engine import Grade
from engine.errors import GradeError

STILL_SIZE = (224, 126)
"""Pixels that a still fits in."""


@dataclass(frozen=True)
class Version:
    """A snapshot of the grade under a name; `number` is its place among the others.

    `still` is what was on the canvas when it was kept, small, as a PNG; b'' where there was nothing. It stays that of
    its frame while a sequence goes on.
    """

    name: str
    grade: Grade
    number: int
    still: bytes = b""

    def to_json(self) -> dict[str, Any]:
        still = base64.b64encode(self.still).decode("ascii")
        return {"name": self.name, "number": self.number, "grade": self.grade.to_json(), "still": still}

    @classmethod
    def from_json(cls, data: Any) -> Version:
        still = base64.b64decode(data.get("still", ""), validate=True)
        return cls(str(data["name"]), Grade.from_json(data["grade"]), int(data["number"]), still)


Change = tuple[Version | None, Version | None]
"""A version and what it became; None where it was not there before, or is not after."""


@dataclass(frozen=True)
class Versions:
    """The snapshots, each name once. `marks` are the names of A and B, '' where none is marked."""

    items: tuple[Version, ...] = ()
    marks: tuple[str, str] = ("", "")

    def __getitem__(self, name: str) -> Version:
        return next(version for version in self.items if version.name == name)

    def __contains__(self, name: str) -> bool:
        return any(version.name == name for version in self.items)

    @property
    def has_ab(self) -> bool:
        """Whether there are two versions to go between."""
        return all(self.marks) and self.marks[0] != self.marks[1]

    def with_new(self, grade: Grade, name: str = "", still: bytes = b"") -> Versions:
        """One more, under the name or under the next number; the first two are A and B."""
        names = (f"Version {n}" for n in range(1, len(self.items) + 2))
        name = name if name and name not in self else next(n for n in names if n not in self)
        a, b = self.marks
        marks = (a, b) if a and b else (a, name) if a else (name, b)
        number = max((version.number for version in self.items), default=0) + 1
        return Versions((*self.items, Version(name, grade, number, still)), marks)

    def changed(self, change: Change) -> Versions:
        """The new version in the place of the old one; marks follow a name that changes."""
        old, new = change
        if old is None and new is None:
            return self
        items = [item for item in self.items if item != old] + ([new] if new is not None else [])
        a, b = ((new.name if new else "") if old and mark == old.name else mark for mark in self.marks)
        return Versions(tuple(sorted(items, key=lambda item: item.number)), (a, b))

    def marked(self, place: int, name: str) -> Versions:
        """A version as A (place 0) or B (1); where it is that already, none is."""
        a, b = self.marks
        now = "" if self.marks[place] == name else name
        return replace(self, marks=(now, b if b != now else "") if place == 0 else (a if a != now else "", now))

    def to_json(self) -> dict[str, Any]:
        return {"marks": list(self.marks), "items": [version.to_json() for version in self.items]}

    @classmethod
    def from_json(cls, data: Any) -> Versions:
        """What `to_json` gave; GradeError where it is none."""
        try:
            items = tuple(Version.from_json(item) for item in data["items"])
            a, b = (str(mark) for mark in data["marks"])
        except (AttributeError, KeyError, TypeError, ValueError):
            raise GradeError("the versions of a grade are damaged") from None
        names = [item.name for item in items]
        if len(set(names)) != len(names):
            raise GradeError("two versions of a grade have one name")
        return cls(items, (a if a in names else "", b if b in names else ""))
