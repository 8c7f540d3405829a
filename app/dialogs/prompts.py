"""Prompts of the window: files, names, and whether to save first. None of them blocks."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QFileDialog, QInputDialog, QWidget

from app.model.document import Document
from app.model.file_kinds import CDL_FILTER, GRADE_FILTER, GRADED_FILTER, IMAGE_FILTER, LOOK_FILTER, SESSION_FILTER
from app.model.unsaved import unsaved_work
from app.services.files import Files
from app.services.open_documents import OpenDocuments
from app.services.open_session import OpenSession
from app.widgets.large_dialogs import ask_later
from app.widgets.showing import ask

if TYPE_CHECKING:
    from app.dialogs.question import Question

CANCEL_TIP = "Cancel and change nothing (Esc)"
Then = Callable[[], None] | None


class Prompts:
    """Ask about files and unsaved work, in dialogs of the canvas's window, and act on the answers."""

    def __init__(self, documents: OpenDocuments, files: Files, session: OpenSession, canvas: QWidget) -> None:
        self._documents, self._files, self._session, self._canvas = documents, files, session, canvas

    @property
    def window(self) -> QWidget:
        """The window that the dialogs belong to."""
        return self._canvas.window()

    # -- opening

    def choose_images(self) -> None:
        """Ask for images to open. "All files" may include looks and sessions."""
        self._ask_files("Open images", IMAGE_FILTER, self._files.drop, many=True)

    def choose_looks(self) -> None:
        """Ask for LUT and CDL files to add to the current grade."""
        document = self._documents.current.document
        add = partial(self._files.add_looks, document=document)
        self._ask_files("Add LUT or CDL files", LOOK_FILTER, add, many=True)

    def choose_grade(self) -> None:
        """Ask for a grade to open in the current document."""
        document = self._documents.current.document
        self._ask_files("Open grade", GRADED_FILTER, lambda paths: self._files.open_grade(paths[0], document))

    def choose_cdl(self) -> None:
        """Ask for a CDL file to import into the current grade."""
        document = self._documents.current.document
        self._ask_files("Import CDL", CDL_FILTER, lambda paths: self._files.import_cdl(paths[0], document))

    def choose_correction(self, document: Document, path: Path, names: list[str]) -> None:
        """Ask which correction of a CDL file to import."""
        dialog = QInputDialog(self.window)
        dialog.setWindowTitle(f"Import {path.name}")
        dialog.setLabelText("The file contains several corrections. Which one?")
        dialog.setComboBoxItems(names)
        dialog.textValueSelected.connect(lambda name: self._files.import_correction(document, path, names.index(name)))
        ask(dialog)

    def choose_session(self) -> None:
        """Ask for a session to open."""
        self._ask_files("Open session", SESSION_FILTER, lambda paths: self._files.open_session(paths[0]))

    # -- saving

    def save_grade(self, then: Then = None, document: Document | None = None, cancelled: Then = None) -> None:
        """Save a grade, by default the current one, to its file or ask for one; call `then` afterwards, or `cancelled`
        if no file was named."""
        document = document or self._documents.current.document
        if document.grade_path is None:
            self.save_grade_as(then, document, cancelled)
        else:
            self._files.save_grade(document.grade_path, then, document)

    def save_grade_as(self, then: Then = None, document: Document | None = None, cancelled: Then = None) -> None:
        """Ask where to save a grade, by default the current one; call `then` afterwards, or `cancelled`."""

        def chosen(path: Path) -> None:
            if asked_for in self._documents.items:
                self._files.save_grade(path, then, asked_for, force=True)  # the dialog has asked

        asked_for = document or self._documents.current.document
        self._ask_name("Save grade", GRADE_FILTER, "json", chosen, cancelled)

    def save_session(self, then: Then = None, cancelled: Then = None) -> None:
        """Save the session to its file or ask for one; call `then` afterwards, or `cancelled` if no file was named."""
        if self._session.path is None:
            self.save_session_as(then, cancelled)
        else:
            self._files.save_session(self._session.path, then)

    def save_session_as(self, then: Then = None, cancelled: Then = None) -> None:
        """Ask where to save the session; call `then` afterwards, or `cancelled`."""

        def chosen(path: Path) -> None:
            self._files.save_session(path, then, force=True)  # the dialog has asked

        self._ask_name("Save session", SESSION_FILTER, "tessera", chosen, cancelled)

    # -- closing and replacing

    def close_document(self, document: Document) -> None:
        """Close a document; ask first if its grade or versions are unsaved."""
        close = partial(self._documents.close, document)
        if is_saved(document, self._session):
            close()
        else:
            self._documents.show(document)
            save = partial(self.save_grade, partial(self.close_document, document), document)
            self.ask_to_save(grade_of(document), unsaved_work(document.state), save, close)

    def ask_to_save(self, what: str, lost: list[str], save: Callable[[], None], discard: Callable[[], None]) -> None:
        """Ask whether to save something, and list what would be lost; Cancel does nothing."""
        box = self._question(
            f"Save {what} first?", "\n– ".join(["Otherwise this is lost:", *(lost or ["its changes"])])
        )
        box.add("Save", f"Save {what}, then continue", save)
        box.add("Discard", "Continue and lose the changes", discard)
        box.add("Cancel", CANCEL_TIP)
        box.set_default("Save")
        ask(box)

    def ask_to_replace(self, path: Path, save: Callable[[], None]) -> None:
        """Ask whether to replace a file that has changed on disk; Cancel does nothing."""
        more = "It no longer contains what was opened or saved here. Saving replaces its current content."
        box = self._question(f"{path.name} has changed on disk. Save it anyway?", more)
        box.add("Save", f"Replace {path.name}", save)
        tip = "Keep the file; use Save grade as or Save session as to write another one (Esc)"
        box.add("Cancel", tip)
        box.set_default("Cancel")
        ask(box)

    def ask_to_delete(self, text: str, more: str, delete: Callable[[], None]) -> None:
        """Ask whether to delete something; Cancel does nothing."""
        box = self._question(text, more)
        box.add("Yes", text.rstrip("?"), delete, "Delete")
        box.add("Cancel", CANCEL_TIP)
        box.set_default("Cancel")
        ask(box)

    def ask_to_leave(self, line: str, leave: Callable[[], None], stay: Callable[[], None]) -> None:
        """Ask whether to close before all files are written; Cancel calls `stay`."""
        box = self._question("Close without waiting?", line)
        box.add("Discard", "Close and lose what has not been written yet", leave, "Close now")
        box.add("Cancel", CANCEL_TIP, stay)
        box.set_default("Cancel")
        ask(box)

    # -- inside

    def _ask_files(self, title: str, kinds: str, then: Callable[[list[Path]], object], many: bool = False) -> None:
        near = self._documents.current.document.image_path
        dialog = QFileDialog(self.window, title, str(near.parent) if near else "", kinds)
        dialog.setOption(QFileDialog.Option.HideNameFilterDetails)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFiles if many else QFileDialog.FileMode.ExistingFile)
        dialog.filesSelected.connect(lambda names: then([*map(Path, names)]))
        ask_later(dialog)

    def _ask_name(
        self, title: str, kinds: str, suffix: str, then: Callable[[Path], None], cancelled: Then = None
    ) -> None:
        name = proposed_path(self._documents.current.document, suffix)
        dialog = QFileDialog(self.window, title, str(name), kinds)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix(suffix)
        dialog.fileSelected.connect(lambda chosen: then(Path(chosen)))
        if cancelled is not None:
            dialog.rejected.connect(cancelled)
        ask_later(dialog)

    def _question(self, text: str, more: str) -> Question:
        from app.dialogs.question import Question  # Qt's message box has many constants, which take long to make

        return Question(self.window, text, more)


def is_saved(document: Document, session: OpenSession) -> bool:
    """Return whether the work in a document is saved in its grade file or the session file."""
    return not document.modified or session.holds(document.state)


def grade_of(document: Document) -> str:
    """Return the name of a document's grade for a question."""
    return f"the grade of {document.name}" if document.name else "the grade"


def proposed_path(document: Document, suffix: str) -> Path:
    """Return the file to propose for a document: beside its grade, or else its image."""
    near = document.grade_path or document.image_path
    return near.with_suffix(f".{suffix}") if near else Path(f"grade.{suffix}")
