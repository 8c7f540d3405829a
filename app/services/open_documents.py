"""The open documents: which one is current, and their signals."""

from __future__ import annotations

from dataclasses import replace
from itertools import zip_longest
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal

from app.model.document import Document
from app.model.session import Session
from app.model.view_state import ViewState
from app.services.jobs import Jobs

RELAYED = (
    "grade_changed",
    "selected_changed",
    "history_changed",
    "versions_changed",
    "image_changed",
    "title_changed",
)
"""Signals of the current document that are relayed."""


class OpenDocuments(QObject):
    """The list of open documents. It has at least one; one document is current."""

    document_changed = Signal(object)  # another Document is current
    documents_changed = Signal()  # a document was opened, closed or moved, or the title of one changed
    image_changed = Signal()  # this and the next seven concern the current document
    grade_changed = Signal(object)
    selected_changed = Signal()
    history_changed = Signal()
    versions_changed = Signal()
    title_changed = Signal()
    view_changed = Signal(object)  # ViewState
    viewport_changed = Signal()  # the current image was zoomed or panned
    image_wanted = Signal(object)  # the image of this Document is needed now
    frame_wanted = Signal()  # something that a frame shows has changed
    closed = Signal(object)  # a Document was removed from the list

    def __init__(self, jobs: Jobs, view: ViewState, parent: QObject) -> None:
        """`view` is the view of the first document."""
        super().__init__(parent)
        self._jobs = jobs
        self.current = self._made(view)
        self._follow(self.current)
        self.items: list[Document] = [self.current]

    @property
    def used(self) -> list[Document]:
        """The documents that are not empty."""
        return [each for each in self.items if each.image_path is not None or not each.untouched]

    @property
    def view(self) -> ViewState:
        """The view options of the current document."""
        return self.current.view

    def set_view(self, **changes: Any) -> None:
        """Change view options of the current document."""
        view = replace(self.view, **changes)
        if view != self.view:
            self.current.update(view=view)
            self.view_changed.emit(view)
            self.frame_wanted.emit()

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
        free = [self.current] if self.current.image_path is None else []
        view = self._fresh_view()
        for document, path in zip_longest(free[: len(paths)], paths):
            if document is None:
                document = self._made(view)
                self.items.append(document)
            document.update(image_path=path)
        if paths:
            self.title_changed.emit()
            self.documents_changed.emit()

    def show(self, document: Document) -> None:
        """Make a document current."""
        if document is self.current:
            return
        self.current.end_drag()
        self._follow(self.current, False)
        self.current = document
        self._follow(document)
        self.image_wanted.emit(document)
        self.document_changed.emit(document)
        self.image_changed.emit()
        self.grade_changed.emit(document.grade)
        self.selected_changed.emit()
        self.history_changed.emit()
        self.versions_changed.emit()
        self.title_changed.emit()
        self.view_changed.emit(document.view)
        self.frame_wanted.emit()

    def close(self, document: Document) -> None:
        """Close a document without asking. The last one is replaced by an empty one; a closed document is ignored."""
        if document not in self.items:
            return
        at = self.items.index(document)
        if len(self.items) == 1:
            self.items.append(self._made(ViewState()))
        if document is self.current:
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

    def session(self) -> Session:
        """Return all documents that are not empty, and which one is current."""
        documents = self.used
        current = documents.index(self.current) if self.current in documents else 0
        states = [each.state for each in documents]
        ids = {document.id: str(at) for at, document in enumerate(documents)}
        return Session(tuple(replace(each, view=each.view.with_documents(ids)) for each in states), current)

    def open_session(self, session: Session) -> list[Document]:
        """Add and return the documents of a session. They replace an empty current document."""
        before = self.current
        made = []
        for state in session.documents:
            document = self.new(shown=False)
            document.restore(state)
            made.append(document)
        ids = {str(at): document.id for at, document in enumerate(made)}
        for document in made:
            document.update(view=document.view.with_documents(ids))
        if made:
            self.show(made[min(max(session.current, 0), len(made) - 1)])
            if before.image_path is None and before.untouched and not self._jobs.waits(before):
                self.close(before)
        return made

    def _fresh_view(self) -> ViewState:
        return replace(ViewState(), display=self.view.display, view=self.view.view, looks=self.view.looks)

    def _made(self, view: ViewState) -> Document:
        document = Document(self)
        document.update(view=view)
        document.title_changed.connect(self.documents_changed)
        return document

    def _follow(self, document: Document, on: bool = True) -> None:
        """Start or stop relaying a document's signals, signal to signal: a connected method would keep it alive."""
        for name in RELAYED:
            mine, its = getattr(self, name), getattr(document, name)
            its.connect(mine) if on else its.disconnect(mine)
