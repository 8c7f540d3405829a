"""Saving of grades and sessions. A file that has changed on disk meanwhile is replaced only after a question."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject

from app.model.document import Document
from app.model.grade_file import GradeFile, load_grade_file, save_grade_file
from app.model.open_session import works_of
from app.model.session import load_session, save_session, session_of
from app.model.versions import Version
from engine import Grade
from engine.errors import TesseraError

if TYPE_CHECKING:
    from app.shell.workspace import Workspace

Then = Callable[[], None] | None


@dataclass
class Save:
    """One file to be written. Contents are values that `==` compares."""

    path: Path
    owner: QObject
    content: Any
    known: list[Any]  # the contents that may be replaced without a question
    read: Callable[[Path], Any]  # the content of the file; TesseraError if it has none
    write: Callable[[], None]
    saved: Callable[[], None]
    again: Callable[[], None]  # saves whatever the file holds

    def start(self, workspace: Workspace, then: Then, force: bool) -> None:
        """Write on a thread; call `saved` and `then` after that, or emit `files.changed_on_disk`."""
        pending = [each.about for each in workspace.jobs.writes if (each.owner, each.target) == (self.owner, self.path)]
        known = [*self.known, *pending, self.content]

        def work() -> bool:
            if not force and self._is_foreign(known):
                return False
            self.write()
            return True

        def done(written: bool) -> None:
            if not written:
                workspace.files.changed_on_disk.emit(self.path, self.again)
                return
            self.saved()
            workspace.note(f"Saved {self.path.name}")
            if then is not None:
                then()

        status = f"Writing {self.path.name}…"
        workspace.jobs.write(self.path, work, done, workspace.tell, self.owner, status, self.content)

    def _is_foreign(self, known: list[Any]) -> bool:
        """Whether there is a file that holds something that is not known."""
        if not is_file(self.path):
            return False
        try:
            return self.read(self.path) not in known
        except TesseraError:
            return True


def save_document(workspace: Workspace, path: Path, document: Document, then: Then, force: bool) -> None:
    """Save the grade and the versions of a document."""
    grade, versions, key, known = document.grade, document.versions.items, document.file, document.saved
    Save(
        path,
        document,
        content=_content(grade, versions),
        known=[_content(known.grade, known.versions)] if known.path == path else [],
        read=_read_grade,
        write=partial(save_grade_file, GradeFile(grade, versions), path),
        saved=lambda: document.mark_saved(grade, path, versions, key),
        again=partial(save_document, workspace, path, document, then, True),
    ).start(workspace, then, force)


def save_open_session(workspace: Workspace, path: Path, then: Then, force: bool) -> None:
    """Save all documents as a session."""
    open_one, session = workspace.session, session_of(workspace)

    def saved() -> None:
        open_one.take(path, session)
        workspace.files.opened.emit(path)

    Save(
        path,
        open_one,
        content=works_of(session),
        known=[open_one.held] if open_one.path == path else [],
        read=lambda file: works_of(load_session(file)),
        write=partial(save_session, session, path),
        saved=saved,
        again=partial(save_open_session, workspace, path, then, True),
    ).start(workspace, then, force)


def _read_grade(path: Path) -> Any:
    file = load_grade_file(path)
    return _content(file.grade, file.versions)


def _content(grade: Grade, versions: tuple[Version, ...]) -> Any:
    return grade, [(each.name, each.grade) for each in versions]


def is_file(path: Path) -> bool:
    """Whether there is a file of that name; not where the system does not say."""
    try:
        return path.is_file()
    except OSError:
        return False
