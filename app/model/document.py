"""A document of the window: one image, one grade with its history and versions, and its view."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import uuid4

from PySide6.QtCore import QObject, Signal

from app.model import grade_rows as rows
from app.model.document_state import DocumentState, Saved, default_grade
from app.model.document_values import DocumentValues
from app.model.entries import index_after, switch_text
from app.model.key_edits import keyed, with_curves
from app.model.versions import Version
from app.model.view_ops import UNMANAGED
from engine import Grade
from engine.color.management import Managed
from engine.grade.colour_settings import ColourSetup
from engine.grade.curves import Curve
from engine.grade.entries import Entry, Group, Layer, layer_of
from engine.grade.frames import at_frame
from engine.grade.keys import keys_of
from engine.grade.renewal import renewed

MERGE_SECONDS = 0.8
"""Arrow keys and wheel notches on one control, at most this far apart, are merged into one step."""


class Document(DocumentValues):
    """The image and the state of a document. Every change replaces the state, and a signal announces it."""

    grade_changed = Signal(object)
    history_changed = Signal()  # an edit, undo or redo; not for edits of a drag that leave the texts of the steps as is
    selected_changed = Signal()  # another entry of the grade is selected, or the selected one was moved
    versions_changed = Signal()
    image_changed = Signal()
    title_changed = Signal()  # the same, and the image, its name, the grade file, and whether it is modified
    changed = Signal()  # after all of these that an edit, undo or redo emits

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.id = uuid4().hex  # identifies the document, whatever it shows
        self.image: Any = None
        self.unreadable = False  # the last attempt to read the image at `image_path` failed
        self.restored = False  # from a session: stays open even if its image can't be read
        self.managed = UNMANAGED  # the colour spaces of the image
        self.setup = ColourSetup()  # the setup that `managed` was resolved for
        self._state = DocumentState.new(default_grade())
        self._selected = -1
        self._merge_key = ""
        self._merge_until = 0.0
        self._dragging = False
        self._changes = 0  # how many are being announced, one within another

    @property
    def is_changing(self) -> bool:
        """Whether the signals of an edit, undo or redo are being emitted; `changed` follows."""
        return self._changes > 0

    def select(self, index: int) -> None:
        """Select an entry of the grade; -1 selects none."""
        index = max(-1, min(index, len(self.entries) - 1))
        if index != self._selected:
            self._selected = index
            self.selected_changed.emit()

    def update(self, **changes: Any) -> None:
        """Set `image_path`, `part`, `layer`, `view` or the like without a signal: callers announce the change."""
        self._state = replace(self._state, **changes)

    def restore(self, state: DocumentState) -> None:
        """Restore a state from a session. The image is not read here."""
        self.restored = True
        self.settle()
        self._become(state.renewed(renewed))  # ops may be known that were not when it was read

    def go_to(self, step: int) -> None:
        """Go to a step of the history, back or forward."""
        if 0 <= step < len(self._state.steps):
            self.settle()
            self._become(self._state.at_step(step))

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
        now = time.monotonic()
        merges = key != "" and key == self._merge_key and (self._dragging or now < self._merge_until)
        state = self._state.merged(grade, text) if merges else self._state.with_step(grade, text)
        undone = state.at < self._state.at
        self._merge_key, self._merge_until = "" if undone else key, now + seconds
        self._become(state, merged=merges)

    def edit_entry(self, index: int, entry: Entry, text: str, key: str = "") -> None:
        """Replace the entry at `index` by that of `entries_at_frame` with other values; a bare one has its switches.

        An animated value that changes gets a key at the frame.
        """
        shown, before, frame = self.entries_at_frame[index], self.entries[index], self.frame
        if not isinstance(entry, Layer | Group):
            entry = replace(layer_of(shown), entry=entry)
        made = keyed(before, entry, frame)
        if keys_of(made) != keys_of(before):
            text = f"key of {text} at {frame}"
            key = key if self._dragging or not key else f"{key} at {frame}"
        self.replace_entry(index, made, text, key)

    def edit_keys(self, changes: Mapping[int, Mapping[str, Curve | None]], text: str, key: str = "") -> None:
        """Replace curves of entries, by the index of the entry and their paths, as one step.

        None ends the animation of a number with its value at the frame. Raises GradeError if an entry can't have such
        values.
        """
        grade = self.grade
        for index, curves in changes.items():
            made = with_curves(self.entries[index], curves, self.frame)
            at_frame(made, self.frame)
            grade = rows.with_entry(grade, rows.path_of(self.grade, index), made)
        self.edit(grade, text, key)

    def replace_entry(self, index: int, entry: Entry, text: str, key: str = "") -> None:
        """Replace the entry at `index` by another one with its keys."""
        self.edit(rows.with_entry(self.grade, rows.path_of(self.grade, index), entry), text, key)

    def switch(self, index: int, switch: str, value: Any) -> None:
        """Set `enabled`, `mix` or `solo` of an entry; successive changes of a mix are one step."""
        entry = self.entries_at_frame[index]
        key = f"{index}.mix" if switch == "mix" else ""
        self.edit_entry(index, rows.switched(entry, **{switch: value}), switch_text(entry, switch, value), key)

    def add(self, entry: Entry, text: str) -> None:
        """Append an entry and select it."""
        self.edit(self.grade.with_entries((*self.grade.entries, entry)), text)
        self.select(rows.index_of(self.grade, (len(self.grade.entries) - 1,)))

    def insert(self, index: int, added: Iterable[Entry], text: str) -> int:
        """Insert entries after the one at `index` - 1, in the same group, and return the index of the first of them."""
        place = rows.place_after(self.grade, index - 1)
        self.edit(rows.inserted(self.grade, place, added), text)
        return rows.index_of(self.grade, place)

    def remove(self, index: int, text: str) -> None:
        self.edit(rows.removed(self.grade, rows.path_of(self.grade, index)), text)

    def move_to(self, index: int, place: rows.Path, text: str) -> int:
        """Move an entry to a place in the grade as it is now, and return its new index."""
        grade, path = rows.moved(self.grade, rows.path_of(self.grade, index), place)
        self.edit(grade, text)
        return rows.index_of(grade, path)

    def keep_version(self, name: str = "", thumbnail: bytes = b"") -> Version:
        """Save the grade as a new version and return it. This is not a step, so that undo never loses a version."""
        self._become(replace(self._state, versions=self.versions.with_new(self.grade, name, thumbnail)))
        return self.versions.items[-1]

    def show_version(self, name: str) -> None:
        """Make the grade of a version the current one."""
        self.edit(self.versions[name].grade, f"showing {name}")

    def edit_version(self, name: str, new: Version | None, text: str) -> None:
        """Replace a version, or remove it if `new` is None, as a step of the history."""
        old = self.versions[name]
        if old != new:
            self.settle()
            self._become(self._state.with_step(self.grade, text, ((old, new),)))

    def mark_version(self, place: int, name: str) -> None:
        """Mark a version as A (`place` 0) or B (1), or remove its mark."""
        self._become(replace(self._state, versions=self.versions.marked(place, name)))

    def toggle_ab(self) -> None:
        """Show A, or B if A is shown. Repeated calls are one step: undo restores the grade from before the first."""
        if self.versions.has_ab:
            a, b = (self.versions[name] for name in self.versions.marks)
            shown = b if self.grade == a.grade else a
            self.edit(shown.grade, f"A/B: {shown.name}", "A/B", float("inf"))

    def undo(self) -> None:
        self.go_to(self.steps - 1)

    def redo(self) -> None:
        self.go_to(self.steps + 1)

    def open_grade(
        self, grade: Grade, path: Path | None, versions: Iterable[Version] = (), text: str = "new grade"
    ) -> None:
        """Replace the grade by the content of a grade file, or by a new grade if `path` is None, as an unmodified step.

        The versions of the file replace those of the previous file. Versions that are in no file stay.
        """
        self._become_settled(self._state.with_file(path, grade, versions, text).renewed(renewed))

    def reload(self, change: Callable[[Grade], Grade], text: str) -> None:
        """Apply `change`, for a LUT or CDL file that has changed, as a step, and to the steps that can be redone.

        Undo restores the previous content of the file; redo does not.
        """
        self._become_settled(self._state.reloaded(change, text))

    def renew(self, change: Callable[[Grade], Grade]) -> None:
        """Apply `change` to all grades of the document, since other ops are known now; this is not a step."""
        self._become_settled(self._state.renewed(change))

    def mark_saved(
        self, grade: Grade, path: Path | None, versions: Iterable[Version] | None = None, file: int | None = None
    ) -> None:
        """Note that the file at `path` holds `grade` and `versions`, by default those of the document.

        `file` is the key of the grade file that was written, by default the current one.
        """
        written_versions = self.versions.items if versions is None else tuple(versions)
        self._state = self._state.with_saved(Saved(path, grade, written_versions), self.file if file is None else file)
        self.title_changed.emit()

    def set_image(
        self, image: Any, path: Path | None, managed: Managed = UNMANAGED, setup: ColourSetup | None = None
    ) -> None:
        """Show an image with its colour spaces, resolved for `setup`, by default `managed.setup`."""
        self.image, self.unreadable = image, False
        info = getattr(image, "info", None)
        self.update(image_path=path, frame=info.frame if info is not None else None)
        self.set_managed(managed, setup)
        self.image_changed.emit()
        self.title_changed.emit()

    def set_managed(self, managed: Managed, setup: ColourSetup | None = None) -> None:
        """Set the colour spaces of the image and the setup that they were resolved for."""
        self.managed, self.setup = managed, setup if setup is not None else managed.setup

    def _become_settled(self, state: DocumentState) -> None:
        """Make a state the current one, as a step that no edit is merged into; do nothing if it is the same."""
        if state is not self._state:
            self.settle()
            self._become(state)

    def _become(self, state: DocumentState, merged: bool = False) -> None:
        """Make a state the current one, and announce what has changed.

        An edit that is `merged` into the last one announces history and title only if they differ: a drag makes
        hundreds of edits, and those who show them look at all steps and documents.
        """
        self._changes += 1
        try:
            self._announce(state, merged)
        finally:
            self._changes -= 1
        if not self._changes:
            self.changed.emit()

    def _announce(self, state: DocumentState, merged: bool) -> None:
        before, selected = self._state, self._selected
        is_step = state.step is not before.step
        followed = index_after(selected, before.grade, state.grade) if is_step else selected  # first: it may refuse
        self._state = state
        if state.versions != before.versions:
            self.versions_changed.emit()
        if is_step:
            self._selected = followed
            self.grade_changed.emit(self.grade)
            if self._selected != selected:
                self.selected_changed.emit()
        if not merged or state.place != before.place:
            self.history_changed.emit()
        returned = state.at != before.at  # an edit that is as the step before it
        if not merged or returned or state.modified != before.modified or state.inputs != before.inputs:
            self.title_changed.emit()
