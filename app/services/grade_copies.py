"""Applies the grade of the current document to others: one undo step in each, which keeps its colour spaces."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import NamedTuple

from app.model.grade_rows import mattes_of
from app.services.jobs import Jobs
from app.services.matte_files import NO_FILE
from app.services.messages import Messages
from app.services.open_documents import OpenDocuments
from engine import Grade
from engine.errors import TesseraError
from engine.grade.colour_settings import ColourSetup
from engine.mattes.planes import Plane

MOST_NAMES = 3
"""The most images that a message names."""
LacksPlanes = Callable[[Path, int | None, Sequence[Plane]], bool]


class Target(NamedTuple):
    """An open image that the grade can be applied to: the ID of its document, its name, and its file."""

    id: str
    name: str
    path: str


class GradeCopies:
    """Copies the entries of the current grade to other open documents, and offers to undo it in all of them."""

    def __init__(self, documents: OpenDocuments, lacks_planes: LacksPlanes, jobs: Jobs, messages: Messages) -> None:
        """`lacks_planes` returns whether a part of a file lacks any of some planes; it is called on a thread."""
        self._documents, self._lacks_planes, self._jobs, self._messages = documents, lacks_planes, jobs, messages

    @property
    def targets(self) -> list[Target]:
        """The other documents with an image."""
        shown = self._documents.current.document
        others = (each for each in self._documents.items if each is not shown and each.image_path is not None)
        return [Target(each.id, each.name, str(each.image_path)) for each in others]

    def apply(self, targets: Collection[Target]) -> None:
        """Replace the entries of these documents' grades, as one step of the history of each.

        Which images lack what its mattes need is found on a thread, and said then.
        """
        source = self._documents.current.document
        text = f"the grade of {source.name}" if source.name else "the grade of another image"
        self.give(source.grade, text, {each.id for each in targets})

    def give(self, source: Grade, text: str, ids: Collection[str]) -> None:
        """Replace the entries of the grades of documents, by their IDs, by those of a grade, as `apply` does.

        `text` is the name of the step.
        """
        steps, different = dict[str, int](), list[str]()
        for each in self._documents.items:
            if each.id in ids and each.grade.entries != source.entries:
                each.edit(each.grade.with_entries(source.entries), text)
                steps[each.id] = each.steps
                different += [] if _means_same(source.colour, each.grade.colour, each.managed.kept) else [each.name]
        if not steps:
            some = "These images have" if len(ids) > 1 else "The image has"
            self._messages.note(f"{some} this grade already.")
            return
        line = f"Applied the grade to {len(steps)} image{'s' * (len(steps) != 1)}.{_warning(different)}"
        undo = partial(self._undo, steps, text)
        self._messages.offer(line, "Undo in all", undo)
        self._look(steps, source, line, undo)

    def _look(self, steps: dict[str, int], grade: Grade, line: str, undo: Callable[[], None]) -> None:
        """Find out which of these documents lack what the mattes of their new grade need."""
        planes = tuple(dict.fromkeys(each for matte in mattes_of(grade) for each in matte.planes if each != NO_FILE))
        given = [(each.id, each.image_path, each.part) for each in self._documents.items if each.id in steps]
        files = [(id, path, part) for id, path, part in given if path is not None]
        if planes:
            work = partial(_lacking, self._lacks_planes, files, planes)
            done = partial(self._name, grade, line, undo)
            self._jobs.run(work, done, self._messages.warn, self._documents)

    def _name(self, grade: Grade, line: str, undo: Callable[[], None], lacking: Collection[str]) -> None:
        """Name the images that lack something and still have the grade."""
        shown = [each for each in self._documents.items if each.grade.entries == grade.entries]
        names = [each.name for each in shown if each.id in lacking]
        if names:
            self._messages.offer(f"{line}{_lacking_line(names)}", "Undo in all", undo)

    def _undo(self, steps: dict[str, int], text: str) -> None:
        """Undo the step in every document that is still at it."""
        for each in self._documents.items:
            if (steps.get(each.id), text) == (each.steps, each.undo_text):
                each.undo()


def _lacking(
    lacks: LacksPlanes,
    files: Iterable[tuple[str, Path, int | None]],
    planes: Sequence[Plane],
) -> set[str]:
    """Return the IDs of those files that lack some planes. One that can't be read says so when it is shown."""
    found = set()
    for id, path, part in files:
        with suppress(TesseraError):
            found |= {id} if lacks(path, part, planes) else set()
    return found


def _means_same(source: ColourSetup, own: ColourSetup, kept: ColourSetup) -> bool:
    """Return whether the numbers of a grade mean the same under another setup, but for the space of the image.

    `kept` has the defaults of that resolved: the grade of a still names its config and working space.
    """
    return _spaces(source) in (_spaces(own), _spaces(own.over(kept)))


def _spaces(setup: ColourSetup) -> tuple[object, ...]:
    return setup.config, setup.working, setup.context


def _warning(names: list[str]) -> str:
    """Return a sentence about images in which the same numbers mean something else; '' for none."""
    if not names:
        return ""
    verb = "works" if len(names) == 1 else "work"
    return f" {_listed(names)} {verb} in other colour spaces, where it looks different."


def _lacking_line(names: list[str]) -> str:
    """Return a sentence about images that lack what mattes need."""
    verb = "lacks" if len(names) == 1 else "lack"
    return f" {_listed(names)} {verb} channels, objects or files that its mattes need."


def _listed(names: list[str]) -> str:
    """Return names for a message, the first few of many."""
    more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    return f"{', '.join(names[:MOST_NAMES])}{more}"
