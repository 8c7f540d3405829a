"""Prompts of commands: files, names, and whether to save first. None of them blocks."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QGridLayout, QInputDialog, QLabel, QMessageBox, QWidget

from app.dialogs.export_dialog import ExportDialog
from app.dialogs.look_dialog import LookDialog
from app.model.document import Document, default_grade
from app.model.file_kinds import CDL_FILTER, GRADE_FILTER, GRADED_FILTER, IMAGE_FILTER, LOOK_FILTER, SESSION_FILTER
from app.widgets.showing import ask
from app.workspace import Workspace

CANCEL_TIP = "Leave everything as it is (Esc)"


def window_of(workspace: Workspace) -> QWidget:
    """Return the window that dialogs belong to."""
    return workspace.canvas.window()


def choose_images(workspace: Workspace) -> None:
    def opened(names: list[str]) -> None:
        workspace.canvas.dropped.emit([*map(Path, names)])  # "All files" may include looks and sessions

    _ask_files(workspace, "Open images", IMAGE_FILTER, opened, many=True)


def choose_looks(workspace: Workspace) -> None:
    def opened(names: list[str]) -> None:
        workspace.files.add_looks([*map(Path, names)], document)

    document = workspace.document
    _ask_files(workspace, "Add LUT or CDL files", LOOK_FILTER, opened, many=True)


def choose_grade(workspace: Workspace) -> None:
    def opened(names: list[str]) -> None:
        workspace.files.open_grade(Path(names[0]), document)

    document = workspace.document
    _ask_files(workspace, "Open grade", GRADED_FILTER, opened)


def new_grade(workspace: Workspace) -> None:
    workspace.document.open_grade(default_grade(), None)


def choose_cdl(workspace: Workspace) -> None:
    document = workspace.document
    _ask_files(workspace, "Import CDL", CDL_FILTER, lambda names: workspace.files.import_cdl(Path(names[0]), document))


def choose_correction(workspace: Workspace, document: Document, path: Path, names: list[str]) -> None:
    """Ask which correction of a CDL file to import."""
    dialog = QInputDialog(window_of(workspace))
    dialog.setWindowTitle(f"Import {path.name}")
    dialog.setLabelText("The file contains several corrections. Which one?")
    dialog.setComboBoxItems(names)
    dialog.textValueSelected.connect(lambda name: workspace.files.import_correction(document, path, names.index(name)))
    ask(dialog)


def export_look(workspace: Workspace) -> None:
    """Ask how to export the look."""
    ask(LookDialog(workspace, _beside(workspace, "clf"), window_of(workspace)))


def save_grade(workspace: Workspace, then: Callable[[], None] | None = None, document: Document | None = None) -> None:
    """Save a grade, by default the current one, to its file or ask for one; call `then` afterwards."""
    document = document or workspace.document
    if document.grade_path is None:
        save_grade_as(workspace, then, document)
    else:
        workspace.files.save_grade(document.grade_path, then, document)


def save_grade_as(
    workspace: Workspace, then: Callable[[], None] | None = None, document: Document | None = None
) -> None:
    def chosen(path: Path) -> None:
        if asked_for in workspace.documents:
            workspace.files.save_grade(path, then, asked_for, force=True)  # the dialog has asked

    asked_for = document or workspace.document
    _ask_name(workspace, "Save grade", GRADE_FILTER, "json", chosen)


def choose_session(workspace: Workspace) -> None:
    def opened(names: list[str]) -> None:
        workspace.files.open_session(Path(names[0]))

    _ask_files(workspace, "Open session", SESSION_FILTER, opened)


def save_session(workspace: Workspace, then: Callable[[], None] | None = None) -> None:
    """Save the session to its file or ask for one; call `then` afterwards."""
    if workspace.session.path is None:
        save_session_as(workspace, then)
    else:
        workspace.files.save_session(workspace.session.path, then)


def save_session_as(workspace: Workspace, then: Callable[[], None] | None = None) -> None:
    def chosen(path: Path) -> None:
        workspace.files.save_session(path, then, force=True)  # the dialog has asked

    _ask_name(workspace, "Save session", SESSION_FILTER, "tessera", chosen)


def export(workspace: Workspace) -> None:
    """Ask how to export the image."""
    window = window_of(workspace)
    open_one = next((d for d in window.findChildren(ExportDialog) if d.isVisible()), None)
    if open_one is not None:
        open_one.raise_()
    elif workspace.document.image is None:
        workspace.tell("There is no image to export; open one first.")
    else:
        ExportDialog(workspace, window).show()


def close_current(workspace: Workspace) -> None:
    close_document(workspace, workspace.document)


def close_document(workspace: Workspace, document: Document) -> None:
    """Close a document; ask first if its grade or versions are unsaved."""
    close = partial(workspace.open_documents.close, document)
    if is_saved(workspace, document):
        close()
    else:
        workspace.open_documents.show(document)
        save = partial(save_grade, workspace, partial(close_document, workspace, document), document)
        ask_to_save(workspace, grade_of(document), save, close)


def is_saved(workspace: Workspace, document: Document) -> bool:
    """Return whether the work in a document is saved in its grade file or the session file."""
    return not document.modified or workspace.session.holds(document)


def grade_of(document: Document) -> str:
    """Return the name of a document's grade for a question."""
    return f"the grade of {document.name}" if document.name else "the grade"


def ask_to_save(workspace: Workspace, what: str, save: Callable[[], None], discard: Callable[[], None]) -> None:
    """Ask whether to save something; Cancel does nothing."""
    buttons = QMessageBox.StandardButton
    box = _question(workspace, f"Save {what} first?", "Otherwise its changes are lost.")
    _add_button(box, buttons.Save, f"Save {what}, then continue", save)
    _add_button(box, buttons.Discard, "Continue and lose the changes", discard)
    _add_button(box, buttons.Cancel, CANCEL_TIP)
    box.setDefaultButton(buttons.Save)
    ask(box)


def ask_to_replace(workspace: Workspace, path: Path, save: Callable[[], None]) -> None:
    """Ask whether to replace a file that has changed on disk; Cancel does nothing."""
    buttons = QMessageBox.StandardButton
    more = "It no longer contains what was opened or saved here. Saving replaces its current content."
    box = _question(workspace, f"{path.name} has changed on disk. Save it anyway?", more)
    _add_button(box, buttons.Save, f"Replace {path.name}", save)
    _add_button(box, buttons.Cancel, "Keep the file; use Save grade as or Save session as to write another one (Esc)")
    box.setDefaultButton(buttons.Cancel)
    ask(box)


def ask_to_leave(workspace: Workspace, line: str, leave: Callable[[], None], stay: Callable[[], None]) -> None:
    """Ask whether to close before all files are written; Cancel calls `stay`."""
    buttons = QMessageBox.StandardButton
    box = _question(workspace, "Close without waiting?", line)
    _add_button(box, buttons.Discard, "Close and lose what has not been written yet", leave, "Close now")
    _add_button(box, buttons.Cancel, CANCEL_TIP, stay)
    box.setDefaultButton(buttons.Cancel)
    ask(box)


def _question(workspace: Workspace, text: str, more: str) -> QMessageBox:
    box = QMessageBox(QMessageBox.Icon.NoIcon, "Tessera", text, parent=window_of(workspace))
    box.setInformativeText(more)
    _align(box)
    return box


def _add_button(
    box: QMessageBox,
    name: QMessageBox.StandardButton,
    tip: str,
    call: Callable[[], None] | None = None,
    text: str = "",
) -> None:
    button = box.addButton(name)
    button.setText(text or button.text())
    button.setToolTip(tip)
    button.setAccessibleName(button.text().replace("&", ""))
    if call is not None:
        button.clicked.connect(lambda: call())


def _align(box: QMessageBox) -> None:
    """Align text and buttons of a box without an icon at the left; Qt reserves space for the icon."""
    rows = box.layout()
    assert isinstance(rows, QGridLayout)
    first = rows.itemAt(0)
    if first is not None and first.spacerItem() is not None:
        rows.takeAt(0)
    rows.setColumnStretch(rows.columnCount() - 1, 1)
    rows.setContentsMargins(16, 16, 16, 16)
    for label in box.findChildren(QLabel):
        label.setContentsMargins(0, 0, 0, 4)
        label.setIndent(0)


def _beside(workspace: Workspace, suffix: str) -> Path:
    near = workspace.document.grade_path or workspace.document.image_path
    return near.with_suffix(f".{suffix}") if near else Path(f"grade.{suffix}")


def _ask_files(
    workspace: Workspace, title: str, kinds: str, then: Callable[[list[str]], None], many: bool = False
) -> None:
    near = workspace.document.image_path
    dialog = QFileDialog(window_of(workspace), title, str(near.parent) if near else "", kinds)
    dialog.setOption(QFileDialog.Option.HideNameFilterDetails)
    dialog.setFileMode(QFileDialog.FileMode.ExistingFiles if many else QFileDialog.FileMode.ExistingFile)
    dialog.filesSelected.connect(then)
    ask(dialog)


def _ask_name(workspace: Workspace, title: str, kinds: str, suffix: str, then: Callable[[Path], None]) -> None:
    dialog = QFileDialog(window_of(workspace), title, str(_beside(workspace, suffix)), kinds)
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.setDefaultSuffix(suffix)
    dialog.fileSelected.connect(lambda chosen: then(Path(chosen)))
    ask(dialog)
