"""The open session: its file, and whether that holds the current work."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject

from app.model.document import Document
from app.model.document_state import DocumentState
from app.model.session import Session, documents_of, session_of
from app.model.versions import Version
from engine import Grade
from engine.export.frame_patterns import pattern_of

if TYPE_CHECKING:
    from app.shell.workspace import Workspace

Work = tuple[Path | None, Path | None, Grade, tuple[tuple[str, Grade], ...]]
"""The work in a document: the image or its sequence, the grade file, the grade, and the versions."""


class OpenSession(QObject):
    """A session; `path` is None until it is saved or opened.

    A session ends when its last document is closed: a new one without a path replaces it. It is modified when the open
    images, their grades, grade files or versions differ from the file. Zoom, view options and the current frame of a
    sequence don't count.
    """

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self._workspace = workspace
        self.path: Path | None = None
        self.held: list[Work] = []  # the work that the file holds

    @property
    def modified(self) -> bool:
        """Whether the session differs from its file; False without a file."""
        return self.path is not None and self.held != self.work

    @property
    def work(self) -> list[Work]:
        """The work in all open documents."""
        return works_of(session_of(self._workspace))

    def holds(self, document: Document) -> bool:
        """Whether the session file holds the current grade and versions of a document."""
        return self.path is not None and _work(document.state) in self.held

    def take(self, path: Path, session: Session) -> None:
        """Note that the file at `path` holds `session`, and save there from now on."""
        self.path, self.held = path, works_of(session)
        self._workspace.title_changed.emit()

    def end_if_empty(self) -> None:
        """End the session if no document is left."""
        workspace = self._workspace
        if not documents_of(workspace):
            workspace.jobs.drop(self)  # a pending save must not give its path to the next session
            workspace.session = OpenSession(workspace)
            workspace.title_changed.emit()
            self.deleteLater()


def works_of(session: Session) -> list[Work]:
    """The work in each document of a session."""
    return [_work(state) for state in session.documents]


def _work(state: DocumentState) -> Work:
    versions: list[Version] = list(state.versions.items)
    image: Any = state.image_path
    found = pattern_of(image) if image is not None else None
    if found is not None:
        image = found[0].folder / found[0].name
    return image, state.saved.path, state.grade, tuple((each.name, each.grade) for each in versions)
