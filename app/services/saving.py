"""Saves grades and sessions. A file that has changed on disk is replaced only after the user agrees."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal

from app.model.document import Document
from app.model.grade_file import GradeFile, load_grade_file, save_grade_file
from app.model.session import load_session, save_session
from app.model.versions import Version
from app.services.jobs import Jobs
from app.services.messages import Messages
from app.services.open_session import OpenSession, works_of
from engine import Grade
from engine.core.records import dataclass
from engine.errors import TesseraError

Then = Callable[[], None] | None


@dataclass
class Save:
    """A file to be written. Contents are values that are compared with `==`."""

    path: Path
    owner: QObject
    content: Any
    known: list[Any]  # the contents that may be replaced without asking
    read: Callable[[Path], Any]  # the content of the file; TesseraError if it has none
    write: Callable[[], None]
    saved: Callable[[], None]
    again: Callable[[], None]  # saves whatever the file holds

    def is_foreign(self, known: list[Any]) -> bool:
        """Return whether the file exists with content that is not `known`."""
        if not is_file(self.path):
            return False
        try:
            return self.read(self.path) not in known
        except TesseraError:
            return True


class Saving(QObject):
    """Saves grades and the session on the jobs' threads."""

    changed_on_disk = Signal(object, object)  # a file that was not saved, and a call that saves it anyway
    session_saved = Signal(object)  # its path

    def __init__(self, session: OpenSession, jobs: Jobs, messages: Messages, parent: QObject) -> None:
        super().__init__(parent)
        self._session, self._jobs, self._messages = session, jobs, messages

    def save_document(self, path: Path, document: Document, then: Then, force: bool) -> None:
        """Save the grade and the versions of a document."""
        grade, versions, key, known = document.grade, document.versions.items, document.file, document.saved
        save = Save(
            path,
            document,
            content=_content(grade, versions),
            known=[_content(known.grade, known.versions)] if known.path == path else [],
            read=_read_grade,
            write=partial(save_grade_file, GradeFile(grade, versions), path),
            saved=lambda: document.mark_saved(grade, path, versions, key),
            again=partial(self.save_document, path, document, then, True),
        )
        self._start(save, then, force)

    def save_session(self, path: Path, then: Then, force: bool) -> None:
        """Save all documents as a session."""
        session, number = self._session.content, self._session.number

        def saved() -> None:
            if number == self._session.number:
                self._session.take(path, session)
            self.session_saved.emit(path)

        save = Save(
            path,
            self._session,
            content=works_of(session),
            known=[self._session.saved] if self._session.path == path else [],
            read=lambda file: works_of(load_session(file)),
            write=partial(save_session, session, path),
            saved=saved,
            again=partial(self.save_session, path, then, True),
        )
        self._start(save, then, force)

    def _start(self, save: Save, then: Then, force: bool) -> None:
        """Write on a thread, then call `saved` and `then`; or emit `changed_on_disk`."""
        pending = [each.about for each in self._jobs.writes if (each.owner, each.target) == (save.owner, save.path)]
        known = [*save.known, *pending, save.content]

        def work() -> bool:
            if not force and save.is_foreign(known):
                return False
            save.write()
            return True

        def done(written: bool) -> None:
            if not written:
                self.changed_on_disk.emit(save.path, save.again)
                return
            save.saved()
            self._messages.note(f"Saved {save.path.name}")
            if then is not None:
                then()

        status = f"Writing {save.path.name}…"
        self._jobs.write(save.path, work, done, self._messages.warn, save.owner, status, save.content)


def _read_grade(path: Path) -> Any:
    file = load_grade_file(path)
    return _content(file.grade, file.versions)


def _content(grade: Grade, versions: tuple[Version, ...]) -> Any:
    return grade, [(each.name, each.grade) for each in versions]


def is_file(path: Path) -> bool:
    """Return whether the path is a file; False if the system raises an error."""
    try:
        return path.is_file()
    except OSError:
        return False
