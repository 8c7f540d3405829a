"""The state of a document as values: its steps, its grade files, and everything a session keeps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from app.model.versions import Change, Version, Versions
from app.model.view_state import ViewState
from app.model.viewport import Viewport
from engine import Grade


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


@dataclass(frozen=True)
class DocumentState:
    """Everything a session stores of a document. `part` and `layer` are None for the main one.

    `files` maps the `file` keys of the steps to grade files. `at` is the index of the current step.
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

    @property
    def grade(self) -> Grade:
        return self.steps[self.at].grade

    @property
    def saved(self) -> Saved:
        """The grade file that the grade belongs to."""
        return self.files[self.steps[self.at].file]
