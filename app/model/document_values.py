"""The values of a document, as they are read: of its image, its grade and history, and its view."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject

from app.model import grade_rows as rows
from app.model.document_state import DocumentState, Saved
from app.model.key_edits import grade_at
from app.model.versions import Versions
from app.model.view_state import ViewState
from app.model.viewport import Viewport
from engine import Grade
from engine.core.frame_numbers import frame_number_of
from engine.grade.entries import Entry


class DocumentValues(QObject):
    """Reads the state of a document."""

    _state: DocumentState
    _selected: int
    _frame: tuple[Path | None, int] = (None, 0)  # the path of the image, and the number in its name
    _at: tuple[Grade, int, Grade, str] | None = None  # a grade, a frame, what it is there, and what contradicts itself

    @property
    def state(self) -> DocumentState:
        """The current state of the document, as a session stores it."""
        return self._state.without_unused_files()

    @property
    def image_path(self) -> Path | None:
        return self._state.image_path

    @property
    def place(self) -> tuple[Path | None, int | None]:
        """The path of the image, and the number of its frame if it is a movie."""
        return self._state.image_path, self._state.frame

    @property
    def part(self) -> int | None:
        return self._state.part

    @property
    def layer(self) -> str | None:
        return self._state.layer

    @property
    def wanted_layer(self) -> tuple[int | None, str | None]:
        """The part and the layer to show; None for the main ones."""
        return self.part, self.layer

    @property
    def view(self) -> ViewState:
        return self._state.view

    @property
    def viewport(self) -> Viewport | None:
        """Zoom and position of the image; None until it was shown."""
        return self._state.viewport

    @property
    def open_entries(self) -> tuple[bool, ...]:
        """Whether the card of each entry of the grade is open; () until they were shown."""
        return self._state.open_entries

    @property
    def versions(self) -> Versions:
        return self._state.versions

    @property
    def grade(self) -> Grade:
        return self._state.grade

    @property
    def frame(self) -> int:
        """The number of the frame that is shown: that of a movie, else that in the name of the image, else 0."""
        if self._state.frame is not None:
            return self._state.frame
        path = self.image_path
        if path is not self._frame[0]:  # many ask for each frame of playback
            self._frame = path, frame_number_of(path) if path is not None else 0
        return self._frame[1]

    @property
    def grade_at_frame(self) -> Grade:
        """The grade at the frame, with the values that its keys have: what is rendered and shown by controls.

        An entry whose values contradict each other there is without its keys; `contradiction` says why.
        """
        grade = self.grade
        if not grade.varies:
            return grade
        frame = self.frame
        if self._at is None or self._at[0] is not grade or self._at[1] != frame:
            self._at = (grade, frame, *grade_at(grade, frame))
        return self._at[2]

    @property
    def contradiction(self) -> str:
        """Why an entry can't have the values of its keys at the frame; '' if all can."""
        at = self.grade_at_frame
        return self._at[3] if self._at is not None and self._at[2] is at else ""

    @property
    def entries_at_frame(self) -> tuple[Entry, ...]:
        """The entries of `grade_at_frame`; edits with `edit_entry` start from them."""
        return rows.entries_of(self.grade_at_frame)

    @property
    def entries(self) -> tuple[Entry, ...]:
        """The entries of the grade with their keys, those in groups too, by the index that methods take."""
        return rows.entries_of(self.grade)

    @property
    def selected(self) -> int:
        """The index of the selected entry, or -1. It follows its entry; it is neither undone nor saved."""
        return self._selected

    @property
    def current_entry(self) -> int:
        """The index of the entry that commands apply to: the selected one, else the last; -1 if there is none."""
        return self._selected if self._selected >= 0 else len(self.entries) - 1

    @property
    def file(self) -> int:
        """The key of the grade file that the grade belongs to."""
        return self._state.step.file

    @property
    def saved(self) -> Saved:
        """The grade file that the grade belongs to, as it was last saved or opened."""
        return self._state.saved

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
        return self._state.modified

    @property
    def untouched(self) -> bool:
        """Whether closing the document without asking loses nothing: no edits and no grade file."""
        return self.grade_path is None and not self.modified and len(self._state.steps) == 1

    @property
    def undo_text(self) -> str:
        """The edit that undo would revert, or ''."""
        return self._state.step.text

    @property
    def redo_text(self) -> str:
        """The edit that redo would repeat, or ''."""
        return next((step.text for step in self._state.steps[self.steps + 1 :]), "")

    @property
    def steps(self) -> int:
        """The number of edits that can be undone."""
        return self._state.at

    @property
    def ahead(self) -> list[Grade]:
        """The current grade, then the grades that redo would restore."""
        return [step.grade for step in self._state.steps[self.steps :]]

    @property
    def history(self) -> list[str]:
        """The text of each step; the first step is the grade as opened."""
        return [step.text for step in self._state.steps]
