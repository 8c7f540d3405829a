"""Takes the grades of stills over: whole, or some of their entries, as one undo step of a document."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from app.model.entries import name_of
from app.model.still import Still
from app.services.grade_copies import GradeCopies
from app.services.messages import Messages
from engine.errors import GradeError
from engine.grade.entries import Entry

NO_GRADE = "has no grade in its header that can be read"


class StillGrades:
    """Gives grades of stills to documents, which keep their colour spaces, versions and views."""

    def __init__(self, copies: GradeCopies, insert: Callable[[Sequence[Entry], str], None], messages: Messages) -> None:
        """`insert` inserts entries after the current one of the current document, as a step with a name."""
        self._copies, self._insert, self._messages = copies, insert, messages

    def use(self, still: Still, document: str) -> None:
        """Replace the entries of the grade of a document, by its ID, by those of a still."""
        if still.grade is None:
            self._messages.warn(f"{still.name}: {NO_GRADE}")
        else:
            self._copies.give(still.grade, f"the grade of {still.name}", {document})

    def add(self, still: Still, indices: Sequence[int]) -> None:
        """Insert some of the entries of a still's grade, by their indices, after the current entry."""
        entries = [] if still.grade is None else [still.grade.entries[index] for index in indices]
        if not entries:
            return
        what = name_of(entries[0]) if len(entries) == 1 else f"{len(entries)} entries"
        try:
            self._insert(entries, f"{what} of {still.name}")
        except GradeError as error:  # a group with a mix or a matte can't hold an entry that resizes
            self._messages.warn(str(error))
