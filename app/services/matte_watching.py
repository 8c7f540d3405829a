"""Reads open images again when other files change that their mattes read: images, and manifests of Cryptomattes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject

from app.model.grade_rows import mattes_of
from app.services.comparing import grades_shown
from app.services.disk import Disk
from app.services.files import Files
from app.services.jobs import Jobs
from app.services.matte_files import NO_FILE
from app.services.messages import Messages
from app.services.open_documents import OpenDocuments
from engine import Grade
from engine.core.file_watch import State
from engine.mattes.planes import CoveragePlane, FilePlane, Plane

MATTES = "files of mattes"
"""The name of the group of watched files."""
PlaneFiles = Callable[[Any, Any, Sequence[Plane]], Mapping[Path, State]]
_Asked = tuple[str, Any, tuple[Plane, ...]]
"""The ID of a document, its image, and the planes of its mattes that other files may have."""


class MatteWatching(QObject):
    """Watches the other files that the mattes of the open documents read.

    The image is read again as a whole: everything that was made from its planes belongs to the opened image.
    """

    def __init__(
        self,
        documents: OpenDocuments,
        files: Files,
        disk: Disk,
        plane_files: PlaneFiles,
        jobs: Jobs,
        messages: Messages,
        parent: QObject,
    ) -> None:
        """`plane_files` returns the files that planes of an image are read from, with their states, on a thread."""
        super().__init__(parent)
        self._documents, self._files, self._disk = documents, files, disk
        self._plane_files, self._jobs, self._messages = plane_files, jobs, messages
        self._about: object = ()  # what the files were looked up for
        self._images: list[int] = []  # the IDs of the images that are shown
        self._used: dict[str, Mapping[Path, State]] = {}  # by document
        self._states: dict[Path, State] = {}  # when each was first used by the images that are shown now
        current = documents.current
        compared = current.versions_changed, documents.view.changed
        opened = files.opened, documents.documents_changed
        current.switch.once(self._look, *opened, current.image_changed, current.grade_changed, *compared)
        disk.changed.connect(self._act)

    def _look(self) -> None:
        """Find the files of all mattes on a thread, if images or planes have changed."""
        shown = [each for each in self._documents.items if each.image is not None]
        asked = [(each.id, each.image, _elsewhere(grades_shown(each))) for each in shown]
        asked = [each for each in asked if each[2]]
        if (images := [id(each.image) for each in shown]) != self._images:
            self._images = images
            self._states.clear()
        about = tuple((name, id(image), planes) for name, image, planes in asked)
        if about == self._about:
            return
        self._about = about
        self._jobs.latest(self, MATTES, partial(_found, self._plane_files, asked), self._watch, self._messages.warn)

    def _watch(self, used: dict[str, Mapping[Path, State]]) -> None:
        self._used = used
        for path, state in (each for files in used.values() for each in files.items()):
            self._states.setdefault(path, state)
        self._disk.watch(MATTES, {path: self._states[path] for files in used.values() for path in files})

    def _act(self, name: str, paths: list[Path]) -> None:
        """Read the images again whose mattes read a changed file."""
        if name != MATTES:
            return
        for path in paths:
            self._states.pop(path, None)
        for each in self._documents.items:
            files = self._used.get(each.id, {})
            if each.image is not None and each.image_path is not None and not files.keys().isdisjoint(paths):
                self._files.read_into(each, each.image_path, each.part, each.layer)
        for path in paths:
            self._messages.note(f"{path.name} changed on disk and was read again")


def _elsewhere(grades: Iterable[Grade]) -> tuple[Plane, ...]:
    """Return the planes of the mattes of grades for which other files may be read."""
    planes = (plane for grade in grades for matte in mattes_of(grade) for plane in matte.planes)
    kinds = FilePlane, CoveragePlane
    return tuple(dict.fromkeys(each for each in planes if isinstance(each, kinds) and each != NO_FILE))


def _found(plane_files: PlaneFiles, asked: Iterable[_Asked]) -> dict[str, Mapping[Path, State]]:
    """Return the files of each document with their states."""
    return {name: plane_files(image.info, image.part, planes) for name, image, planes in asked}
