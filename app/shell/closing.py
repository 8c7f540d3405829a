"""Closing the window: ask about unsaved work and wait for pending writes."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QTimer

from app.dialogs.prompts import Prompts, grade_of, is_saved
from app.model.unsaved import unsaved_work
from app.services.export_queue import ExportQueue
from app.services.jobs import Jobs
from app.services.messages import Messages
from app.services.open_documents import OpenDocuments
from app.services.open_session import OpenSession

if TYPE_CHECKING:
    from PySide6.QtWidgets import QMessageBox

PATIENCE_MS = 10_000
"""How long to wait for pending writes before asking whether to close without them."""


class Closing(QObject):
    """Resolves everything that prevents closing, in order: exports, stills and other writes, the session, each image.

    Discard does not mark anything as saved. The discarded state is kept until the next attempt to close: Cancel leaves
    every document as it was, and work that is edited after Discard is asked about again.
    """

    def __init__(
        self,
        documents: OpenDocuments,
        session: OpenSession,
        exports: ExportQueue,
        grabbing: Callable[[], bool],
        prompts: Prompts,
        jobs: Jobs,
        messages: Messages,
        close: Callable[[], object],
        parent: QObject,
    ) -> None:
        """`grabbing` returns whether a still is being written; when that ends, call `follow_writes`. `close` closes the
        window, which asks `ready` first."""
        super().__init__(parent)
        self._documents, self._session, self._exports, self._prompts = documents, session, exports, prompts
        self._grabbing = grabbing
        self._jobs, self._messages, self._close = jobs, messages, close
        self._continuing = self._waiting = False
        self._discarded: dict[QObject | None, Any] = {}
        self._saving: QObject | None = None  # the owner of the write that an answer started
        self._patience = QTimer(self, singleShot=True, interval=PATIENCE_MS)
        self._patience.timeout.connect(self._ask_to_leave)
        jobs.active_changed.connect(self.follow_writes)

    def ready(self) -> bool:
        """Return whether the window can close now. If not, it is closed again once the reason is resolved."""
        if not self._continuing:
            self._discarded.clear()
        self._continuing = self._waiting = False
        self._saving = None
        self._patience.stop()
        for box in self._questions():
            box.reject()  # this attempt replaces it
        if self._exports.running:
            line = "An export is running; stop it in the Exports panel, or let it finish, before closing."
            self._messages.warn(line)
            return False
        if self._grabbing() or not all(self._is_discarded(write.owner) for write in self._jobs.writes):
            self._wait()
            return False
        session = self._session
        if session.path is not None and session.modified and not self._is_discarded(session):
            self._ask(session, f"the session {session.path.name}", session.changes, self._prompts.save_session)
            return False
        for document in self._documents.items:
            if not is_saved(document, session) and not self._is_discarded(document):
                self._documents.show(document)
                save = partial(self._prompts.save_grade, document=document)
                self._ask(document, grade_of(document), unsaved_work(document.state), save)
                return False
        return True

    def _questions(self) -> list[QMessageBox]:
        """Return the visible questions."""
        from PySide6.QtWidgets import QMessageBox  # its constants take long to make

        boxes = self._prompts.window.findChildren(QMessageBox)
        return [box for box in boxes if box.isVisible()]

    def _ask(self, owner: QObject, what: str, lost: list[str], save: Callable[..., None]) -> None:
        def write() -> None:
            self._saving = owner
            save(self._continue, cancelled=self._save_cancelled)

        self._prompts.ask_to_save(what, lost, write, partial(self._discard, owner))

    def _save_cancelled(self) -> None:
        """Forget the write of an answer for which no file was named: a later write of its owner is not timed."""
        self._saving = None

    def _discard(self, *owners: QObject | None) -> None:
        self._discarded.update({owner: self._work_of(owner) for owner in owners})
        self._continue()

    def _is_discarded(self, owner: QObject | None) -> bool:
        return owner in self._discarded and self._discarded[owner] == self._work_of(owner)

    def _work_of(self, owner: QObject | None) -> Any:
        """Return the work of an owner that closing would discard."""
        if owner is self._session:
            return self._session.work
        document = next((each for each in self._documents.items if each is owner), None)
        return (document.grade, document.versions.items) if document is not None else None

    def _continue(self) -> None:
        """Continue after an answer or a write."""
        self._continuing = True
        self._close()

    # -- writes

    def _wait(self) -> None:
        """Close once everything is written; ask if that takes too long."""
        self._waiting = True
        self._patience.start()
        self._messages.note("Tessera closes when everything is written.")

    def follow_writes(self, _active: int = 0) -> None:
        """Continue after the last write, once its result has been handled; time the write that an answer started."""
        if self._saving is not None:
            self._time_save(self._saving)
        if self._waiting and not self._jobs.writes and not self._grabbing():
            self._waiting = False
            QTimer.singleShot(0, self, self._continue)

    def _time_save(self, owner: QObject) -> None:
        """Start the timer for the write of an owner, or stop it if the write has ended or was never started."""
        if any(write.owner is owner for write in self._jobs.writes):
            if not self._patience.isActive():
                self._patience.start()
        elif self._patience.isActive():
            self._patience.stop()
            self._saving = None

    def _ask_to_leave(self) -> None:
        writes = self._jobs.writes
        if writes and not self._questions():
            line = f"{writes[0].status} The disk does not respond."
            owners = [write.owner for write in writes]
            self._prompts.ask_to_leave(line, partial(self._discard, *owners), self._stay)

    def _stay(self) -> None:
        """Keep the window open, even after the pending writes end."""
        self._waiting, self._saving = False, None
        self._discarded.clear()
