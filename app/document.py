"""What the window is working on: one picture, one grade, how the grade came to be, and how all that is looked at."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal

from app.view_state import ViewState
from app.viewport import Viewport
from engine import FileLook, Grade, ops
from engine.op import Op

MERGE_SECONDS = 0.8
"""Arrow keys and wheel notches on one control, no further apart than this, are one step."""
UNDO_STEPS = 500


def default_grade() -> Grade:
    """What a new window starts with: Exposure, then a CDL, both without effect."""
    return Grade((ops.Exposure(), ops.Cdl()))


@dataclass(frozen=True)
class Step:
    """A grade, and the words for the edit that made it."""

    grade: Grade
    text: str


class Document(QObject):
    """The picture, the frozen grade and its undo steps. Every change is announced by a signal."""

    grade_changed = Signal(object)
    history_changed = Signal()
    picture_changed = Signal()
    title_changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.picture: Any = None
        self.picture_path: Path | None = None
        self.grade_path: Path | None = None
        self.view = ViewState()
        self.viewport: Viewport | None = None  # where the canvas left the picture when another document was shown
        self.reading = 0  # how many times a picture was asked for; what the last one gives counts
        self._saved = default_grade()
        self._steps = [Step(self._saved, "")]
        self._at = 0
        self._merge_key = ""
        self._merge_until = 0.0
        self._dragging = False

    @property
    def grade(self) -> Grade:
        return self._steps[self._at].grade

    @property
    def modified(self) -> bool:
        """Whether the grade differs from the one that was saved or opened."""
        return self.grade != self._saved

    @property
    def undo_text(self) -> str:
        """The edit that undo would take back, or ''."""
        return self._steps[self._at].text

    @property
    def redo_text(self) -> str:
        """The edit that redo would make again, or ''."""
        return self._steps[self._at + 1].text if self._at + 1 < len(self._steps) else ""

    @property
    def steps(self) -> int:
        """How many edits can be undone."""
        return self._at

    def begin_drag(self) -> None:
        """Until `end_drag`, edits with one key are one step however long they take."""
        self.settle()
        self._dragging = True

    def end_drag(self) -> None:
        self._dragging = False
        self.settle()

    def settle(self) -> None:
        """The next edit is a step of its own."""
        self._merge_key = ""

    def edit(self, grade: Grade, text: str, key: str = "") -> None:
        """Make `grade` the current one. An edit that follows one of the same key closely is merged into its step."""
        if grade == self.grade:
            return
        if key and key == self._merge_key and (self._dragging or time.monotonic() < self._merge_until):
            self._replace_step(Step(grade, text))
        else:
            self._push_step(Step(grade, text))
        self._merge_key, self._merge_until = key, time.monotonic() + MERGE_SECONDS
        self._announce()

    def edit_entry(self, index: int, entry: Op | FileLook, text: str, key: str = "") -> None:
        """Put another entry at `index`."""
        self.edit(self.grade.with_entry(index, entry), text, key)

    def add(self, entry: Op | FileLook, text: str) -> None:
        """Put an entry at the end."""
        self.edit(Grade((*self.grade.entries, entry)), text)

    def remove(self, index: int, text: str) -> None:
        entries = self.grade.entries
        self.edit(Grade((*entries[:index], *entries[index + 1 :])), text)

    def move(self, index: int, by: int, text: str) -> None:
        """Move an entry up (-1) or down (1); nothing happens at the ends."""
        entries = list(self.grade.entries)
        target = index + by
        if 0 <= target < len(entries):
            entries[index], entries[target] = entries[target], entries[index]
            self.edit(Grade(entries), text)

    def undo(self) -> None:
        self._go(self._at - 1)

    def redo(self) -> None:
        self._go(self._at + 1)

    def open_grade(self, grade: Grade, path: Path | None) -> None:
        """A grade from a file, or a new one: it has no history and counts as saved."""
        self.grade_path, self._saved = path, grade
        self._steps, self._at = [Step(grade, "")], 0
        self.settle()
        self._announce()

    def mark_saved(self, grade: Grade, path: Path | None) -> None:
        """`grade` is what the file at `path` holds now."""
        self.grade_path, self._saved = path, grade
        self.title_changed.emit()

    def set_picture(self, picture: Any, path: Path | None) -> None:
        self.picture, self.picture_path = picture, path
        self.picture_changed.emit()
        self.title_changed.emit()

    def _replace_step(self, step: Step) -> None:
        self._steps[self._at] = step
        del self._steps[self._at + 1 :]
        if self._at and self._steps[self._at - 1].grade == step.grade:
            self._steps.pop()  # the drag came back to where it started
            self._at -= 1

    def _push_step(self, step: Step) -> None:
        del self._steps[self._at + 1 :]
        self._steps.append(step)
        del self._steps[: -UNDO_STEPS - 1]
        self._at = len(self._steps) - 1

    def _go(self, at: int) -> None:
        if 0 <= at < len(self._steps):
            self._at = at
            self.settle()
            self._announce()

    def _announce(self) -> None:
        self.grade_changed.emit(self.grade)
        self.history_changed.emit()
        self.title_changed.emit()
