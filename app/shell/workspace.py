"""What the panels and commands share: the open documents and all that shows, computes, reads and writes them.

Adding to the window:
- A panel is a `PanelSpec` in the table of `app/docks.py`; `make(workspace)` returns its widget, made when first shown.
  It connects to the signals below (they follow the current document: connect once) and acts through this class.
- A command is a `Command` in a tuple COMMANDS of the feature's module, which `app/actions/table.py` lists: so it is in
  the menu, the key sheet, the palette and the tests. `run(workspace)` does it, `when(workspace)` says when it can be.
- A view option is a field of `ViewState` (`app/view_state.py`), read where frames are asked for (`app/stage.py`) and
  changed by `set_view`; a `Command(..., view=("field", value))` is a checkable command for one value of it.
- `tell` is for what the user must know, `note` for what passes. Work that takes more than 10 ms goes through `jobs`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QWidget

from app.canvas.canvas import Canvas
from app.canvas.presenting.choice import Presenting
from app.model.document import Document
from app.model.open_session import OpenSession
from app.model.view_state import ViewState
from app.render.preview import Preview
from app.services.colour_manager import Colour
from app.services.disk import Disk
from app.services.engine_calls import Services
from app.services.export_queue import ExportQueue
from app.services.files import IMAGE, Files
from app.services.jobs import Jobs
from app.services.memory import give_back
from app.services.player import Player
from app.services.settings import Settings
from app.shell.stage import Stage
from engine.errors import BackendUnavailable

if TYPE_CHECKING:
    from PySide6.QtGui import QAction


BACKEND, BUDGET = "backend", "memory_budget"
"""Settings: the device that computes, and the bytes that a large image may take."""


FINISH_SECONDS = 5.0
"""How long `finish` waits for writes."""
REST_MS = 1000
"""So long after the last image was closed its memory goes back to the system, when all threads have let it go."""
RELAYED = ("grade_changed", "history_changed", "versions_changed", "image_changed", "title_changed")
"""Signals of the current document that are the workspace's as well."""


class Workspace(QObject):
    """The window without its looks. One of the documents is the current one; there is always one."""

    document_changed = Signal(object)  # another Document is the current one
    documents_changed = Signal()  # a document came, went or moved
    image_changed = Signal()  # the current document's, as are the next four
    grade_changed = Signal(object)
    history_changed = Signal()
    versions_changed = Signal()
    title_changed = Signal()
    view_changed = Signal(object)  # ViewState
    message_shown = Signal(str)
    taken_back = Signal(str)
    offered = Signal(str, str, object)
    noted = Signal(str)

    def __init__(
        self,
        services: Services | None = None,
        folder: Path | None = None,
        backend: str = "auto",
        threads: int = 0,
        parent: QObject | None = None,
    ) -> None:
        """`folder` keeps settings, presets and sessions; without it nothing is remembered."""
        super().__init__(parent)
        self.services = services or Services()
        self.jobs = Jobs(self)
        self.jobs.lost.connect(self.tell)
        self.disk = Disk(self)
        self.settings = Settings(folder, self.jobs, self)
        self.backend = self.settings.get(BACKEND, "auto") if backend == "auto" else backend
        self.threads = threads
        self._first = True
        self.actions: dict[str, QAction] = {}
        self.panel: Callable[[str], QWidget] = _no_panel  # a panel by its name, made if it is not yet
        self.show_panel: Callable[[str], QWidget] = _no_panel  # the same, and brought to the front
        self.documents: list[Document] = []
        self.document = self._made()
        self._follow(self.document)
        self.document.view = ViewState(display=self.settings.get("display", ""), view=self.settings.get("view", ""))
        self.documents.append(self.document)
        self.session = OpenSession(self)
        self.colour = Colour(self)
        self.canvas = Canvas()
        self.preview = Preview(self._opened, self.backend, self)
        self.preview.set_budget(self.settings.get(BUDGET, self.preview.budget))
        self.presenting = Presenting(self)
        self.exports = ExportQueue(self.jobs, self)
        self.files = Files(self)
        self.stage = Stage(self)
        self.player = Player(self)

    @property
    def view(self) -> ViewState:
        """How the current document is looked at."""
        return self.document.view

    def set_view(self, **changes: Any) -> None:
        """Change fields of the view; a new frame follows."""
        view = replace(self.document.view, **changes)
        if view != self.document.view:
            self.document.view = view
            self.view_changed.emit(view)
            self.refresh()

    def refresh(self) -> None:
        """Ask for a frame of what the canvas should show now."""
        self.stage.refresh()

    def tell(self, line: str) -> None:
        """Say what is wrong and what to do, in the quiet bar."""
        self.message_shown.emit(line)

    def take_back(self, line: str) -> None:
        """What was told is over: the quiet bar goes, if that is what it says."""
        self.taken_back.emit(line)

    def offer(self, line: str, name: str, run: Callable[[], None]) -> None:
        """Say in the quiet bar what could be done; a button there called `name` does it."""
        self.offered.emit(line, name, run)

    def note(self, line: str) -> None:
        """Say what was done, for a few seconds, in the status bar."""
        self.noted.emit(line)

    def set_backend(self, name: str) -> None:
        """Compute on another device from now on, and after the next start."""
        self.backend = name
        self.settings.set(BACKEND, name)
        self.preview.set_backend(name)

    def set_budget(self, budget: int) -> None:
        """Let a large image take so many bytes of memory, from now on and after the next start."""
        self.settings.set(BUDGET, budget)
        self.preview.set_budget(budget)

    def new_document(self, shown: bool = True) -> Document:
        """A further document, which becomes the current one if it is `shown`; it is looked at as the last one was."""
        document = self._made()
        document.view = self._fresh_view()
        self.documents.append(document)
        self.documents_changed.emit()
        if shown:
            self.show_document(document)
        return document

    def add_documents(self, paths: list[Path]) -> None:
        """A document for each image, to be read when it is looked at; the current one is the first if it has none."""
        free = [self.document] if self.document.image_path is None else []
        view = self._fresh_view()
        for document, path in zip_longest(free[: len(paths)], paths):
            if document is None:
                document = self._made()
                document.view = view
                self.documents.append(document)
            document.image_path = path
        if paths:
            self.title_changed.emit()
            self.documents_changed.emit()

    def _fresh_view(self) -> ViewState:
        return replace(ViewState(), display=self.view.display, view=self.view.view, looks=self.view.looks)

    def show_document(self, document: Document) -> None:
        """Make a document the current one."""
        if document is self.document:
            return
        if self.canvas.viewport is not None:
            self.document.viewport = self.canvas.viewport
        self.document.end_drag()
        self._follow(self.document, False)
        self.document = document
        self._follow(document)
        self.read(document)
        self.document_changed.emit(document)
        self.image_changed.emit()
        self.grade_changed.emit(document.grade)
        self.history_changed.emit()
        self.versions_changed.emit()
        self.title_changed.emit()
        self.view_changed.emit(document.view)
        self.refresh()

    def read(self, document: Document) -> None:
        """Have the image of a document read that nobody has looked at yet."""
        asked = document.unreadable or self.jobs.waits(document, IMAGE)
        if document.image is None and document.image_path is not None and not asked:
            self.files.read_into(document, document.image_path, document.part, document.layer)

    def close_document(self, document: Document) -> None:
        """Close a document without a question. An empty one replaces the last document, and the session ends.

        Nothing happens if it is closed already.
        """
        if document not in self.documents:
            return
        at = self.documents.index(document)
        if len(self.documents) == 1:
            self.documents.append(self._made())
        if document is self.document:
            self.show_document(self.documents[at + 1 if at + 1 < len(self.documents) else at - 1])
        self.documents.remove(document)
        self.jobs.drop(document)
        document.image = None
        document.deleteLater()
        self.session.end_if_empty()
        self.documents_changed.emit()
        if not any(each.image_path for each in self.documents):
            QTimer.singleShot(REST_MS, self, lambda: self.jobs.run(give_back, lambda _: None, self.tell, self))

    def move_document(self, start: int, end: int) -> None:
        """Another order of the documents."""
        self.documents.insert(end, self.documents.pop(start))
        self.documents_changed.emit()

    def close(self) -> None:
        """End all work except writes; `finish` waits for those."""
        self.settings.close()
        self.jobs.close()
        self.preview.stop()
        self.presenting.close()
        self.disk.stop()

    def finish(self, seconds: float = FINISH_SECONDS) -> list[str]:
        """After `close`, wait for the writes, for at most `seconds`; return the targets that are still not written."""
        return self.jobs.finish(seconds)

    def _opened(self, backend: str) -> Any:
        """On the preview's thread: a device. The first may be gone since it was chosen: then the best there is."""
        first, self._first = self._first, False
        try:
            return self.services.create_executor(backend, self.threads)
        except BackendUnavailable as error:
            if not first or backend == "auto":
                raise
            self.message_shown.emit(f"{error}. The best device there is computes instead.")
            return self.services.create_executor("auto", self.threads)

    def _made(self) -> Document:
        document = Document(self)
        document.title_changed.connect(self.documents_changed)
        return document

    def _follow(self, document: Document, on: bool = True) -> None:
        """Pass the signals of a document on, or no longer. Signals alone: what calls a method would keep it alive."""
        for name in RELAYED:
            mine, its = getattr(self, name), getattr(document, name)
            its.connect(mine) if on else its.disconnect(mine)


def _no_panel(name: str) -> QWidget:
    raise KeyError(name)
