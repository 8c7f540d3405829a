"""The list of open documents."""

from __future__ import annotations

from dataclasses import replace
from itertools import zip_longest
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from app.model.document import Document
from app.model.session import Session
from app.model.view_state import ViewState
from app.services.current_document import CurrentDocument
from app.services.jobs import Jobs
from app.services.session_stills import SessionStills
from app.services.view_options import ViewOptions
from engine.grade.renewal import renewed


class OpenDocuments(QObject):
    """The list of open documents. It has at least one; `current` is the one that is shown, `view` its view options."""

    documents_changed = Signal()  # a document was opened, closed or moved, or the title of one changed
    image_wanted = Signal(object)  # the image of this Document is needed now
    closed = Signal(object)  # a Document was removed from the list

    def __init__(self, jobs: Jobs, view: ViewState, parent: QObject) -> None:
        """`view` is the view of the first document."""
        super().__init__(parent)
        self._jobs = jobs
        first = self._made(view)
        self.items: list[Document] = [first]
        self.stills = SessionStills(self)
        self.current = CurrentDocument(first, self)
        self.view = ViewOptions(self.current, self)
        self.current.changed.connect(self.image_wanted)

    @property
    def used(self) -> list[Document]:
        """The documents that are not empty."""
        return [each for each in self.items if each.image_path is not None or not each.untouched]

    def new(self, shown: bool = True) -> Document:
        """Add an empty document with the current view transform; make it current if `shown`."""
        document = self._made(self._fresh_view())
        self.items.append(document)
        self.documents_changed.emit()
        if shown:
            self.show(document)
        return document

    def add(self, paths: list[Path]) -> None:
        """Add a document for each image, to be read when first shown. An empty current document is reused."""
        shown = self.current.document
        free = [shown] if shown.image_path is None else []
        view = self._fresh_view()
        for document, path in zip_longest(free[: len(paths)], paths):
            if document is None:
                document = self._made(view)
                self.items.append(document)
            document.update(image_path=path, frame=None)
        if paths:
            self.current.title_changed.emit()
            self.documents_changed.emit()

    def show(self, document: Document) -> None:
        """Make a document current."""
        if document is not self.current.document:
            self.current.follow(document)

    def close(self, document: Document) -> None:
        """Close a document without asking. The last one is replaced by an empty one; a closed document is ignored."""
        if document not in self.items:
            return
        at = self.items.index(document)
        if len(self.items) == 1:
            self.items.append(self._made(ViewState()))
        if document is self.current.document:
            self.show(self.items[at + 1 if at + 1 < len(self.items) else at - 1])
        self.items.remove(document)
        self._jobs.drop(document)
        document.image = None
        document.deleteLater()
        self.closed.emit(document)
        self.documents_changed.emit()

    def move(self, start: int, end: int) -> None:
        """Move a document to another place in the list."""
        self.items.insert(end, self.items.pop(start))
        self.documents_changed.emit()

    def renew(self) -> None:
        """Let all grades use the ops that are known now."""
        for document in self.items:
            document.renew(renewed)

    def session(self) -> Session:
        """Return all documents that are not empty, and which one is current."""
        documents, shown = self.used, self.current.document
        current = documents.index(shown) if shown in documents else 0
        states = [each.state for each in documents]
        ids = {document.id: str(at) for at, document in enumerate(documents)}
        documents_of_session = tuple(replace(each, view=each.view.with_documents(ids)) for each in states)
        return Session(documents_of_session, current, self.stills.ids)

    def open_session(self, session: Session) -> list[Document]:
        """Add and return the documents of a session. They replace an empty current document."""
        before = self.current.document
        made = []
        for state in session.documents:
            document = self.new(shown=False)
            document.restore(state)
            made.append(document)
        self.stills.add(session.stills)
        ids = {str(at): document.id for at, document in enumerate(made)}
        for document in made:
            document.update(view=document.view.with_documents(ids))
        if made:
            self.show(made[min(max(session.current, 0), len(made) - 1)])
            if before.image_path is None and before.untouched and not self._jobs.waits(before):
                self.close(before)
        return made

    def _fresh_view(self) -> ViewState:
        view = self.view.state
        return replace(ViewState(), display=view.display, view=view.view, looks=view.looks)

    def _made(self, view: ViewState) -> Document:
        document = Document(self)
        document.update(view=view)
        document.title_changed.connect(self.documents_changed)
        return document
