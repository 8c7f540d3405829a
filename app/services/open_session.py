"""The open session: its file, and whether the file holds the current work."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal

from app.model.document_state import DocumentState
from app.model.session import Session
from app.model.unsaved import unsaved_work
from app.model.versions import Version
from app.services.open_documents import OpenDocuments
from engine import Grade
from engine.export.frame_sources import source_of

Work = tuple[Path | None, Path | None, Grade, tuple[tuple[str, Grade], ...]]
"""The work in a document: the image or its sequence, the grade file, the grade, and the versions."""
Stills = tuple[str, ...]
"""The IDs of the stills of a session."""


class OpenSession(QObject):
    """The session of the window; `path` is None until it is saved or opened.

    A session ends when its last document is closed; the next one has no path. It is modified when the open images,
    their grades, grade files or versions, or the stills that belong to it, differ from the file. Zoom, view options and
    the current frame of a sequence don't count.
    """

    changed = Signal()  # another file, or other content of it

    def __init__(self, documents: OpenDocuments, parent: QObject) -> None:
        super().__init__(parent)
        self._documents = documents
        self.number = 0  # increases when a session ends: a pending save must not give its path to the next one
        self.path: Path | None = None
        self.saved: list[Work | Stills] = []  # the work in the file
        documents.stills.changed.connect(self.changed)
        documents.closed.connect(self._end_if_empty)

    @property
    def modified(self) -> bool:
        """Whether the session differs from its file; False without a file."""
        return self.path is not None and self.saved != self.work

    @property
    def content(self) -> Session:
        """All open documents, as they are now."""
        return self._documents.session()

    @property
    def work(self) -> list[Work | Stills]:
        """The work in all open documents, and the stills."""
        return works_of(self.content)

    @property
    def changes(self) -> list[str]:
        """A line for each document that the file does not hold as it is, and for other differences."""
        lines = []
        for document in self._documents.used:
            if _work(document.state) not in self.saved:
                work = "; ".join(unsaved_work(document.state))
                lines.append(f"{document.name or 'the grade'}{': ' if work else ''}{work}")
        if self._documents.stills.ids not in self.saved:
            lines.append("which stills belong to it")
        return lines or ["which images are open, and in what order"]

    def holds(self, state: DocumentState) -> bool:
        """Return whether the session file holds the grade and the versions of a document."""
        return self.path is not None and _work(state) in self.saved

    def take(self, path: Path, session: Session) -> None:
        """Note that the file at `path` holds `session`, and save there from now on."""
        self.path, self.saved = path, works_of(session)
        self.changed.emit()

    def _end_if_empty(self) -> None:
        """End the session if no document is left."""
        if not self._documents.used:
            self.path, self.saved, self.number = None, [], self.number + 1
            self._documents.stills.set(())
            self.changed.emit()


def works_of(session: Session) -> list[Work | Stills]:
    """Return the work in each document of a session, and its stills."""
    return [*(_work(state) for state in session.documents), session.stills]


def _work(state: DocumentState) -> Work:
    versions: list[Version] = list(state.versions.items)
    image: Any = state.image_path
    found = source_of(image, None) if image is not None else None
    if found is not None:
        image = found[0].folder / found[0].name
    return image, state.saved.path, state.grade, tuple((each.name, each.grade) for each in versions)
