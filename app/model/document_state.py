"""The state of a document as values: its steps, its grade files, and everything a session keeps."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from app.model.grade_rows import entries_of
from app.model.versions import Change, Version, Versions, same_versions
from app.model.view_state import ViewState
from app.model.viewport import Viewport
from engine import FileLook, Grade, ops
from engine.core.records import dataclass
from engine.grade.colour_settings import ColourSetup
from engine.grade.entries import bare


def default_grade() -> Grade:
    """Return the grade of a new window: Exposure, then a CDL, both without effect."""
    return Grade((ops.Exposure(), ops.Cdl()))


@dataclass(frozen=True)
class Saved:
    """The content of a grade file. Without a `path`, the grade that a new document starts with."""

    path: Path | None
    grade: Grade
    versions: tuple[Version, ...] = ()


@dataclass(frozen=True)
class Step:
    """A grade, the name of the edit that made it, and the changes of versions that are part of the edit.

    `file` is the key of the grade file (`Saved`) that the grade belongs to. Open grade and New grade start another.
    """

    grade: Grade
    text: str
    changes: tuple[Change, ...] = ()
    file: int = 0

    @cached_property
    def as_json(self) -> dict[str, Any]:
        """The step in JSON form; do not modify it."""
        data: dict[str, Any] = {"text": self.text, "grade": self.grade.to_json(), "file": self.file}
        if self.changes:
            data["changes"] = [[version and version.to_json() for version in change] for change in self.changes]
        return data


UNDO_STEPS = 500


@dataclass(frozen=True)
class DocumentState:
    """Everything a session stores of a document, with its edits as functions that return another state.

    `part` and `layer` are None for the main one. `files` maps the `file` keys of the steps to grade files. `at` is the
    index of the current step. `frame` is that of a movie, else None. `viewport` is None until the image was shown.
    `open_entries` says of each entry of the grade whether its card is open; it is () until they were shown, and makes
    no difference between states.
    """

    image_path: Path | None
    part: int | None
    layer: str | None
    files: Mapping[int, Saved]
    steps: tuple[Step, ...]
    at: int
    view: ViewState
    viewport: Viewport | None
    versions: Versions = field(default_factory=Versions)
    open_entries: tuple[bool, ...] = field(default=(), compare=False)
    frame: int | None = None

    @classmethod
    def new(cls, grade: Grade) -> DocumentState:
        """Return the state of a document without an image."""
        return cls(None, None, None, {0: Saved(None, grade)}, (Step(grade, ""),), 0, ViewState(), None)

    @property
    def step(self) -> Step:
        """The current step."""
        return self.steps[self.at]

    @property
    def grade(self) -> Grade:
        return self.step.grade

    @property
    def saved(self) -> Saved:
        """The grade file that the grade belongs to, as it was last saved or opened."""
        return self.files[self.step.file]

    @cached_property
    def modified(self) -> bool:
        """Whether the grade or the versions differ from the grade file."""
        return self.grade != self.saved.grade or not same_versions(self.versions.items, self.saved.versions)

    @property
    def place(self) -> tuple[int, int, str]:
        """The number of steps, the index and the text of the current one: all that a merged edit can change of them."""
        return len(self.steps), self.at, self.step.text

    @cached_property
    def inputs(self) -> tuple[ColourSetup, list[FileLook]]:
        """What the grade reads: its colour setup, which names a config, and its LUT and CDL files."""
        return self.grade.colour, list(looks_of(self.grade))

    def with_step(self, grade: Grade, text: str, changes: tuple[Change, ...] = ()) -> DocumentState:
        """Return the state after one more step, which makes the changes of versions, too; redo ends."""
        return self._pushed(Step(grade, text, changes, self.step.file))

    def merged(self, grade: Grade, text: str) -> DocumentState:
        """Return the state with the current step replaced, or removed if its grade equals that of the step before."""
        before = self.steps[: self.at]
        if before and before[-1].grade == grade:
            return replace(self, steps=before, at=self.at - 1)
        return replace(self, steps=(*before, Step(grade, text, file=self.step.file)))

    def at_step(self, step: int) -> DocumentState:
        """Return the state at another step of the history, with the versions as that step left them."""
        versions = self.versions
        for at in range(self.at, step, -1):
            versions = versions.without(self.steps[at].changes)
        for at in range(self.at, step):
            versions = versions.changed(self.steps[at + 1].changes)
        return replace(self, at=step, versions=versions)

    def with_file(self, path: Path | None, grade: Grade, versions: Iterable[Version], text: str) -> DocumentState:
        """Return the state after a step to the content of another grade file, unmodified.

        The versions of the file replace those of the previous file. Versions that are in no file stay. Returns the
        same state if the document holds just that already.
        """
        before = self.saved
        gone = (item for item in self.versions.items if any(same_versions((item,), (v,)) for v in before.versions))
        came = self.versions.renumbered(versions)
        if (grade, path) == (self.grade, before.path) and same_versions(came, before.versions) and not self.modified:
            return self
        changes = (*((item, None) for item in gone), *((None, item) for item in came))
        key = max(self.files) + 1
        used = {step.file for step in self.steps[: self.at + 1]}
        files = {each: saved for each, saved in self.files.items() if each in used} | {key: Saved(path, grade, came)}
        return replace(self, files=files)._pushed(Step(grade, text, changes, key))

    def reloaded(self, change: Callable[[Grade], Grade], text: str) -> DocumentState:
        """Return the state after a step that applies `change`, which also applies to the steps that can be redone."""
        grade = change(self.grade)
        if grade == self.grade:
            return self
        ahead = (replace(step, grade=change(step.grade)) for step in self.steps[self.at + 1 :])
        state = self.with_step(grade, text)
        return replace(state, steps=(*state.steps, *ahead))

    def renewed(self, change: Callable[[Grade], Grade]) -> DocumentState:
        """Return the state with `change` applied to all grades: of steps, versions and files; itself if none changes.

        For what ops mean here, not an edit: it is no step.
        """
        steps = tuple(_renewed_step(step, change) for step in self.steps)
        items = tuple(_renewed_version(item, change) for item in self.versions.items)
        if all(map(operator.is_, steps, self.steps)) and all(map(operator.is_, items, self.versions.items)):
            return self
        files = {
            key: replace(
                saved, grade=change(saved.grade), versions=tuple(_renewed_version(v, change) for v in saved.versions)
            )
            for key, saved in self.files.items()
        }
        return replace(self, steps=steps, versions=replace(self.versions, items=items), files=files)

    def with_saved(self, saved: Saved, file: int) -> DocumentState:
        """Return the state after `saved` was written, for the grade file `file` and any other with the same path."""
        files = {
            key: saved if key == file or (saved.path is not None and other.path == saved.path) else other
            for key, other in self.files.items()
        }
        return replace(self, files=files)

    def without_unused_files(self) -> DocumentState:
        """Return the state with only those grade files that its steps belong to."""
        used = {step.file for step in self.steps}
        files = {key: saved for key, saved in self.files.items() if key in used}
        return replace(self, files=files) if len(files) < len(self.files) else self

    def _pushed(self, step: Step) -> DocumentState:
        steps = (*self.steps[: self.at + 1], step)[-UNDO_STEPS - 1 :]
        return replace(self, steps=steps, at=len(steps) - 1, versions=self.versions.changed(step.changes))


def _renewed_step(step: Step, change: Callable[[Grade], Grade]) -> Step:
    grade = change(step.grade)
    changes = tuple(
        (before and _renewed_version(before, change), after and _renewed_version(after, change))
        for before, after in step.changes
    )
    return step if grade is step.grade and changes == step.changes else replace(step, grade=grade, changes=changes)


def _renewed_version(version: Version, change: Callable[[Grade], Grade]) -> Version:
    grade = change(version.grade)
    return version if grade is version.grade else replace(version, grade=grade)


def looks_of(grade: Grade) -> Iterator[FileLook]:
    """Iterate over the LUT and CDL files of a grade."""
    return (look for entry in entries_of(grade) if isinstance(look := bare(entry), FileLook))
