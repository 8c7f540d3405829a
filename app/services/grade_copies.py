"""Applies the grade of the current document to others: one undo step in each, which keeps its colour spaces."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import partial

from app.services.messages import Messages
from app.services.open_documents import OpenDocuments
from engine import Grade

MOST_NAMES = 3
"""The most images that a message names."""


@dataclass(frozen=True)
class Target:
    """An open image that the grade can be applied to: the ID of its document, its name, and its file."""

    id: str
    name: str
    path: str


class GradeCopies:
    """Copies the entries of the current grade to other open documents, and offers to undo it in all of them."""

    def __init__(self, documents: OpenDocuments, messages: Messages) -> None:
        self._documents, self._messages = documents, messages

    @property
    def targets(self) -> list[Target]:
        """The other documents with an image."""
        shown = self._documents.current.document
        others = (each for each in self._documents.items if each is not shown and each.image_path is not None)
        return [Target(each.id, each.name, str(each.image_path)) for each in others]

    def apply(self, targets: Collection[Target]) -> None:
        """Replace the entries of these documents' grades, as one step of the history of each."""
        source, ids = self._documents.current.document, {each.id for each in targets}
        text = f"the grade of {source.name}" if source.name else "the grade of another image"
        steps, different = dict[str, int](), list[str]()
        for each in self._documents.items:
            if each.id in ids and each.grade.entries != source.grade.entries:
                each.edit(each.grade.with_entries(source.grade.entries), text)
                steps[each.id] = each.steps
                different += [] if _spaces(each.grade) == _spaces(source.grade) else [each.name]
        if not steps:
            self._messages.note("These images have this grade already.")
            return
        line = f"Applied the grade to {len(steps)} image{'s' * (len(steps) != 1)}.{_warning(different)}"
        self._messages.offer(line, "Undo in all", partial(self._undo, steps, text))

    def _undo(self, steps: dict[str, int], text: str) -> None:
        """Undo the step in every document that is still at it."""
        for each in self._documents.items:
            if (steps.get(each.id), text) == (each.steps, each.undo_text):
                each.undo()


def _spaces(grade: Grade) -> tuple[object, ...]:
    """Return what gives the numbers of a grade their meaning, besides the space of the image."""
    return grade.colour.config, grade.colour.working, grade.colour.context


def _warning(names: list[str]) -> str:
    """Return a sentence about images in which the same numbers mean something else; '' for none."""
    if not names:
        return ""
    more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    verb = "works" if len(names) == 1 else "work"
    return f" {', '.join(names[:MOST_NAMES])}{more} {verb} in other colour spaces, where it looks different."
