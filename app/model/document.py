"""A document of the window: one image, one grade with its history and versions, and its view."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import uuid4

from PySide6.QtCore import QObject, Signal

from app.model.document_state import DocumentState, Saved, Step
from app.model.versions import Version, Versions, same_versions
from app.model.view_ops import UNMANAGED
from app.model.view_state import ViewState
from app.model.viewport import Viewport
from engine import Grade, ops
from engine.color.management import Managed
from engine.grade.colour_settings import ColourSetup
from engine.grade.grade import Entry, Layer, layer_of

MERGE_SECONDS = 0.8
"""Arrow keys and wheel notches on one control, at most this far apart, are merged into one step."""
UNDO_STEPS = 500


def default_grade() -> Grade:
    """Return the grade of a new window: Exposure, then a CDL, both without effect."""
    return Grade((ops.Exposure(), ops.Cdl()))


class Document(QObject):
    """The image, the immutable grade and its undo steps. A signal announces every change."""

    grade_changed = Signal(object)
    history_changed = Signal()
    versions_changed = Signal()
    image_changed = Signal()
    title_changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.id = uuid4().hex  # identifies the document, whatever it shows
        self.image: Any = None
        self.image_path: Path | None = None
        self.unreadable = False  # the last attempt to read the image at `image_path` failed
        self.restored = False  # from a session: stays open even if its image can't be read
        self.managed = UNMANAGED  # the colour spaces of the image
        self.setup = ColourSetup()  # the setup that `managed` was resolved for
        self.view = ViewState()
        self.viewport: Viewport | None = None  # zoom and position from when another document was shown
        self.part: int | None = None
        self.layer: str | None = None
        self.versions = Versions()
        self._files = {0: Saved(None, default_grade())}
        self._steps = [Step(self._files[0].grade, "")]
        self._at = 0
        self._merge_key = ""
        self._merge_until = 0.0
        self._dragging = False

    @property
    def grade(self) -> Grade:
        return self._steps[self._at].grade

    @property
    def file(self) -> int:
        """The key of the grade file that the grade belongs to."""
        return self._steps[self._at].file

    @property
    def saved(self) -> Saved:
        """The grade file that the grade belongs to, as it was last saved or opened."""
        return self._files[self.file]

    @property
    def grade_path(self) -> Path | None:
        """The path of the grade file; None for a grade that was never saved."""
        return self.saved.path

    @property
    def name(self) -> str:
        """The name of the image, else of the grade file, else ''."""
        path = self.image_path or self.grade_path
        return path.name if path is not None else ""

    @property
    def modified(self) -> bool:
        """Whether the grade or the versions differ from the grade file."""
        return self.grade != self.saved.grade or not same_versions(self.versions.items, self.saved.versions)

    @property
    def untouched(self) -> bool:
        """Whether closing the document without asking loses nothing: no edits and no grade file."""
        return self.grade_path is None and not self.modified and len(self._steps) == 1

    @property
    def state(self) -> DocumentState:
        """The current state of the document, as a session stores it."""
        used = {step.file for step in self._steps}
        return DocumentState(
            self.image_path,
            self.part,
            self.layer,
            {key: saved for key, saved in self._files.items() if key in used},
            tuple(self._steps),
            self._at,
            self.view,
            self.viewport,
            self.versions,
        )

    def restore(self, state: DocumentState) -> None:
        """Restore a state from a session. The image is not read here."""
        self.image_path, self.part, self.layer = state.image_path, state.part, state.layer
        self._files, self._steps, self._at = dict(state.files), list(state.steps), state.at
        self.view, self.viewport, self.versions = state.view, state.viewport, state.versions
        self.restored = True
        self.settle()
        self._announce()
        self.versions_changed.emit()

    @property
    def undo_text(self) -> str:
        """The edit that undo would revert, or ''."""
        return self._steps[self._at].text

    @property
    def redo_text(self) -> str:
        """The edit that redo would repeat, or ''."""
        return self._steps[self._at + 1].text if self._at + 1 < len(self._steps) else ""

    @property
    def steps(self) -> int:
        """The number of edits that can be undone."""
        return self._at

    @property
    def ahead(self) -> list[Grade]:
        """The current grade, then the grades that redo would restore."""
        return [step.grade for step in self._steps[self._at :]]

    @property
    def history(self) -> list[str]:
        """The text of each step; the first step is the grade as opened."""
        return [step.text for step in self._steps]

    def go_to(self, step: int) -> None:
        """Go to a step of the history, back or forward."""
        if not 0 <= step < len(self._steps):
            return
        for at in range(self._at, step, -1):
            self._set_versions(self.versions.without(self._steps[at].changes))
        for at in range(self._at, step):
            self._set_versions(self.versions.changed(self._steps[at + 1].changes))
        self._at = step
        self.settle()
        self._announce()

    def begin_drag(self) -> None:
        """Merge edits with the same key into one step until `end_drag`, however long they take."""
        self.settle()
        self._dragging = True

    def end_drag(self) -> None:
        self._dragging = False
        self.settle()

    def settle(self) -> None:
        """Make the next edit a step of its own."""
        self._merge_key = ""

    def edit(self, grade: Grade, text: str, key: str = "", seconds: float = MERGE_SECONDS) -> None:
        """Make `grade` the current one. An edit with the key of the last one, within `seconds`, is merged into it."""
        if grade == self.grade:
            return
        if key and key == self._merge_key and (self._dragging or time.monotonic() < self._merge_until):
            remains = self._replace_step(Step(grade, text, file=self.file))
        else:
            self._push_step(Step(grade, text, file=self.file))
            remains = True
        self._merge_key, self._merge_until = key if remains else "", time.monotonic() + seconds
        self._announce()

    def edit_entry(self, index: int, entry: Entry, text: str, key: str = "") -> None:
        """Replace the entry at `index`; a bare entry inherits the switches of the old one."""
        if not isinstance(entry, Layer):
            entry = replace(layer_of(self.grade.entries[index]), entry=entry)
        self.edit(self.grade.with_entry(index, entry), text, key)

    def switch(self, index: int, text: str, key: str = "", **switches: Any) -> None:
        """Change `enabled`, `mix` or `solo` of an entry."""
        self.edit_entry(index, replace(layer_of(self.grade.entries[index]), **switches), text, key)

    def add(self, entry: Entry, text: str) -> None:
        """Append an entry."""
        self.insert(len(self.grade.entries), [entry], text)

    def insert(self, index: int, added: Iterable[Entry], text: str) -> None:
        """Insert entries before the one at `index`."""
        entries = self.grade.entries
        self.edit(self.grade.with_entries((*entries[:index], *added, *entries[index:])), text)

    def remove(self, index: int, text: str) -> None:
        entries = self.grade.entries
        self.edit(self.grade.with_entries((*entries[:index], *entries[index + 1 :])), text)

    def move(self, index: int, by: int, text: str) -> None:
        """Move an entry up (-1) or down (1), or by several places; do nothing if that is beyond the ends."""
        entries = list(self.grade.entries)
        target = index + by
        if 0 <= target < len(entries):
            entries.insert(target, entries.pop(index))
            self.edit(self.grade.with_entries(entries), text)

    def keep_version(self, name: str = "", still: bytes = b"") -> Version:
        """Save the grade as a new version and return it. This is not a step, so that undo never loses a version."""
        self._set_versions(self.versions.with_new(self.grade, name, still))
        return self.versions.items[-1]

    def show_version(self, name: str) -> None:
        """Make the grade of a version the current one."""
        self.edit(self.versions[name].grade, f"showing {name}")

    def edit_version(self, name: str, new: Version | None, text: str) -> None:
        """Replace a version, or remove it if `new` is None, as a step of the history."""
        change = (self.versions[name], new)
        if change[0] != new:
            self._set_versions(self.versions.changed((change,)))
            self._push_step(Step(self.grade, text, (change,), self.file))
            self.settle()
            self._announce()

    def mark_version(self, place: int, name: str) -> None:
        """Mark a version as A (`place` 0) or B (1), or remove its mark."""
        self._set_versions(self.versions.marked(place, name))

    def toggle_ab(self) -> None:
        """Show A, or B if A is shown. Repeated calls are one step: undo restores the grade from before the first."""
        if self.versions.has_ab:
            a, b = (self.versions[name] for name in self.versions.marks)
            shown = b if self.grade == a.grade else a
            self.edit(shown.grade, f"A/B: {shown.name}", "A/B", float("inf"))

    def undo(self) -> None:
        self.go_to(self._at - 1)

    def redo(self) -> None:
        self.go_to(self._at + 1)

    def open_grade(
        self, grade: Grade, path: Path | None, versions: Iterable[Version] = (), text: str = "new grade"
    ) -> None:
        """Replace the grade by the content of a grade file, or by a new grade if `path` is None, as an unmodified step.

        The versions of the file replace those of the previous file. Versions that are in no file stay.
        """
        before = self.saved
        gone = [
            item for item in self.versions.items if any(same_versions((item,), (each,)) for each in before.versions)
        ]
        came = self.versions.renumbered(versions)
        if (grade, path) == (self.grade, before.path) and same_versions(came, before.versions) and not self.modified:
            return
        changes = (*((item, None) for item in gone), *((None, item) for item in came))
        self._set_versions(self.versions.changed(changes))
        used = {step.file for step in self._steps[: self._at + 1]}
        new = max(self._files) + 1
        self._files = {key: saved for key, saved in self._files.items() if key in used} | {
            new: Saved(path, grade, came)
        }
        self._push_step(Step(grade, text, changes, new))
        self.settle()
        self._announce()

    def reload(self, change: Callable[[Grade], Grade], text: str) -> None:
        """Apply `change`, for a LUT or CDL file that has changed, as a step, and to the steps that can be redone.

        Undo restores the previous content of the file; redo does not.
        """
        grade, ahead = change(self.grade), self._steps[self._at + 1 :]
        if grade != self.grade:
            self._push_step(Step(grade, text, file=self.file))
            self._steps += [replace(step, grade=change(step.grade)) for step in ahead]
            self.settle()
            self._announce()

    def mark_saved(
        self,
        grade: Grade,
        path: Path | None,
        versions: Iterable[Version] | None = None,
        file: int | None = None,
    ) -> None:
        """Note that the file at `path` holds `grade` and `versions`, by default those of the document.

        `file` is the key of the grade file that was written, by default the current one.
        """
        written_versions = self.versions.items if versions is None else tuple(versions)
        saved = Saved(path, grade, written_versions)
        written = self.file if file is None else file
        for key, other in self._files.items():
            if key == written or (path is not None and other.path == path):
                self._files[key] = saved
        self.title_changed.emit()

    def set_image(
        self, image: Any, path: Path | None, managed: Managed = UNMANAGED, setup: ColourSetup | None = None
    ) -> None:
        """Show an image with its colour spaces, resolved for `setup`, by default `managed.setup`."""
        self.image, self.image_path, self.unreadable = image, path, False
        self.set_managed(managed, setup)
        self.image_changed.emit()
        self.title_changed.emit()

    def set_managed(self, managed: Managed, setup: ColourSetup | None = None) -> None:
        """Set the colour spaces of the image and the setup that they were resolved for."""
        self.managed, self.setup = managed, setup if setup is not None else managed.setup

    def _replace_step(self, step: Step) -> bool:
        """Replace the current step; remove it and return False if its grade equals that of the step before."""
        self._steps[self._at] = step
        del self._steps[self._at + 1 :]
        if self._at and self._steps[self._at - 1].grade == step.grade:
            self._steps.pop()
            self._at -= 1
            return False
        return True

    def _push_step(self, step: Step) -> None:
        del self._steps[self._at + 1 :]
        self._steps.append(step)
        del self._steps[: -UNDO_STEPS - 1]
        self._at = len(self._steps) - 1

    def _set_versions(self, versions: Versions) -> None:
        if versions != self.versions:
            self.versions = versions
            self.versions_changed.emit()
            self.history_changed.emit()
            self.title_changed.emit()

    def _announce(self) -> None:
        self.grade_changed.emit(self.grade)
        self.history_changed.emit()
        self.title_changed.emit()
