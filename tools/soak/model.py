"""What a user expects of documents, windows and files, in plain Python: lists, an index, and files as they were parsed.

Each method is one thing that a user does, or one answer that arrives, and says what holds after it. It is written from
what the window promises, and uses nothing of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import count
from typing import Any, NamedTuple

from tools.soak.values import NEW, Body, Entry, Grade

HISTORY = 500
"""Edits that can be undone."""
KEPT = 100
"""Steps on each side of the present that a session keeps."""
MERGE_SECONDS = 0.8
"""Edits of one control no further apart than this are one step."""
SIDES = ("wipe", "split", "difference")
FRAME = re.compile(r"(.*\.)(\d{4})(\.exr)")


class Version(NamedTuple):
    number: int
    name: str
    grade: Grade


Change = tuple[Version | None, Version | None]
Target = tuple[str, Any]
"""What an image is compared with: ("source", None), ("version", its number) or ("document", a document, or None)."""
SOURCE: Target = ("source", None)


@dataclass(eq=False)
class File:
    """A grade file as the document knows it: what it held when it was opened or saved there."""

    path: str | None = None
    grade: Grade = NEW
    versions: tuple[tuple[str, Grade], ...] = ()


class Step(NamedTuple):
    grade: Grade
    file: File
    changes: tuple[Change, ...] = ()


class Work(NamedTuple):
    """What of a document counts for a session: changes of it are asked about."""

    image: str | None
    file: str | None
    grade: Grade
    versions: tuple[tuple[str, Grade], ...]


@dataclass(eq=False)
class Document:
    image: str | None = None
    layer: str = ""
    steps: list[Step] = field(default_factory=lambda: [Step(NEW, File())])
    at: int = 0
    versions: tuple[Version, ...] = ()
    marks: tuple[str, str] = ("", "")
    made: int = 0
    compare: str = ""
    against: Target = SOURCE
    restored: bool = False
    shown: Any = None  # what the image held when it was read
    shown_layer: str = ""
    wants: bool = False  # the image is to be read
    unreadable: bool = False
    merging: str = ""
    until: float = 0.0
    dragging: bool = False

    @property
    def grade(self) -> Grade:
        return self.steps[self.at].grade

    @property
    def file(self) -> File:
        return self.steps[self.at].file

    @property
    def named(self) -> tuple[tuple[str, Grade], ...]:
        return tuple((version.name, version.grade) for version in self.versions)

    @property
    def modified(self) -> bool:
        return self.grade != self.file.grade or self.named != self.file.versions

    @property
    def untouched(self) -> bool:
        return self.file.path is None and not self.modified and len(self.steps) == 1

    @property
    def empty(self) -> bool:
        return self.image is None and self.untouched

    @property
    def work(self) -> Work:
        found = FRAME.fullmatch(self.image or "")
        image = f"{found[1]}#{found[3]}" if found else self.image
        return Work(image, self.file.path, self.grade, self.named)

    def version(self, name: str) -> Version:
        return next(version for version in self.versions if version.name == name)

    # -- edits

    def edit(self, grade: Grade, key: str = "", now: float = 0.0, seconds: float = MERGE_SECONDS) -> None:
        if grade == self.grade:
            return
        if key and key == self.merging and (self.dragging or now < self.until):
            self.steps[self.at :] = [Step(grade, self.file)]
            if self.at and self.steps[self.at - 1].grade == grade:
                self.steps.pop()
                self.at -= 1
                key = ""
        else:
            self._push(Step(grade, self.file))
        self.merging, self.until = key, now + seconds

    def set_entry(self, index: int, entry: Entry, key: str = "", now: float = 0.0) -> None:
        entries = list(self.grade.entries)
        entries[index] = entry
        self.set_entries(entries, key, now)

    def set_entries(self, entries: Iterable[Entry], key: str = "", now: float = 0.0) -> None:
        self.edit(Grade(tuple(entries), self.grade.colour), key, now)

    def go_to(self, step: int) -> None:
        for at in range(self.at, step, -1):
            self._change([(new, old) for old, new in reversed(self.steps[at].changes)])
        for at in range(self.at, step):
            self._change(self.steps[at + 1].changes)
        self.at = step
        self.merging = ""

    def _push(self, step: Step) -> None:
        self.steps = [*self.steps[: self.at + 1], step][-HISTORY - 1 :]
        self.at = len(self.steps) - 1

    # -- versions

    def keep_version(self) -> None:
        """Under the next number that no name has."""
        number = self.made + 1
        names = {version.name for version in self.versions}
        name = next(text for n in count(number) if (text := f"Version {n}") not in names)
        a, b = self.marks
        self.marks = (a, b) if a and b else (a, name) if a else (name, b)
        self.versions, self.made = (*self.versions, Version(number, name, self.grade)), number

    def edit_version(self, name: str, new: Version | None) -> None:
        change = (self.version(name), new)
        if change[0] != new:
            self._change([change])
            self._push(Step(self.grade, self.file, (change,)))
            self.merging = ""

    def mark(self, place: int, name: str) -> None:
        """A version is A or B, not both; marking it again takes the mark away."""
        marks = ["" if mark == name else mark for mark in self.marks]
        marks[place] = "" if self.marks[place] == name else name
        self.marks = (marks[0], marks[1])

    def toggle_ab(self, now: float) -> None:
        a, b = self.marks
        if a and b:
            shown = b if self.grade == self.version(a).grade else a
            self.edit(self.version(shown).grade, "A/B", now, float("inf"))

    def _change(self, changes: Iterable[Change]) -> None:
        """Replace versions by others, known by their numbers; a name that is taken gets a number behind it."""
        for old, new in changes:
            was = next((each.name for each in self.versions if old and each.number == old.number), "")
            rest = [each for each in self.versions if old is None or each.number != old.number]
            name = ""
            if new is not None:
                names = {each.name for each in rest}
                free = (f"{new.name} ({n})" for n in count(2))
                name = new.name if new.name not in names else next(each for each in free if each not in names)
                rest.append(new._replace(name=name))
                self.made = max(self.made, new.number)
            self.versions = tuple(sorted(rest))
            a, b = (name if was and mark == was else mark for mark in self.marks)
            self.marks = (a, b)

    # -- files

    def open_grade(self, grade: Grade, versions: tuple[tuple[str, Grade], ...], path: str | None) -> None:
        """A step; the versions of the last file go, those that no file holds stay."""
        if (grade, versions, path) == (self.file.grade, self.file.versions, self.file.path) and not self.modified:
            return
        gone = [each for each in self.versions if (each.name, each.grade) in self.file.versions]
        came = [Version(self.made + n, *each) for n, each in enumerate(versions, 1)]
        changes = (*((each, None) for each in gone), *((None, each) for each in came))
        self._change(changes)
        self._push(Step(grade, File(path, grade, versions), changes))
        self.merging = ""

    def saved(self, file: File, path: str, grade: Grade, versions: tuple[tuple[str, Grade], ...]) -> None:
        """A file of the history was written: all steps that belong to it, or to its path, know."""
        for each in {id(step.file): step.file for step in self.steps}.values():
            if each is file or each.path == path:
                each.path, each.grade, each.versions = path, grade, versions

    def reload(self, path: str, content: Any, interpolations: set[str]) -> None:
        """A LUT was written again: a step, and in the steps ahead the new LUT, too."""

        def renewed(body: Body) -> Body:
            fits = body[:2] == ("file", path) and body[2] in interpolations
            return (*body[:3], content) if fits else body

        new = self.grade.with_bodies(renewed)
        if new != self.grade:
            ahead = [step._replace(grade=step.grade.with_bodies(renewed)) for step in self.steps[self.at + 1 :]]
            self._push(Step(new, self.file))
            self.steps += ahead
            self.merging = ""

    # -- sessions

    def trim(self) -> None:
        """Be what a session or the recovery keeps of a document."""
        first = max(0, self.at - KEPT)
        self.steps, self.at = self.steps[first : self.at + KEPT + 1], self.at - first
        self.shown, self.shown_layer, self.wants, self.unreadable = None, "", False, False
        self.restored, self.merging, self.dragging = True, "", False

    def map_grades(self, change: Callable[[Grade], Grade]) -> None:
        """Make something else of every grade."""

        def version(each: Version | None) -> Version | None:
            return each and each._replace(grade=change(each.grade))

        for file in {id(step.file): step.file for step in self.steps}.values():
            file.grade, file.versions = change(file.grade), tuple((n, change(g)) for n, g in file.versions)
        self.steps = [
            Step(change(step.grade), step.file, tuple((version(old), version(new)) for old, new in step.changes))
            for step in self.steps
        ]
        self.versions = tuple(each._replace(grade=change(each.grade)) for each in self.versions)
