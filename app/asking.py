"""What a command asks before it acts: files, names, and whether to save first. Nothing here blocks."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QGridLayout, QInputDialog, QLabel, QMessageBox, QWidget

from app.dialogs import ask
from app.document import Document, default_grade
from app.export_dialog import ExportDialog
from app.file_kinds import (
    CDL_FILTER,
    GRADE_FILTER,
    GRADED_FILTER,
    LOOK_FILTER,
    PICTURE_FILTER,
    SESSION_FILTER,
)
from app.look_dialog import LookDialog
from app.workspace import Workspace


def window_of(workspace: Workspace) -> QWidget:
    """The window that dialogs belong to."""
    return workspace.canvas.window()


def choose_pictures(workspace: Workspace) -> None:
    def opened(names: list[str]) -> None:
        workspace.canvas.dropped.emit([*map(Path, names)])  # among all files there are looks and sessions, too

    _ask_files(workspace, "Open pictures", PICTURE_FILTER, opened, many=True)


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
    """Which correction of a file that holds several."""
    dialog = QInputDialog(window_of(workspace))
    dialog.setWindowTitle(f"Import {path.name}")
    dialog.setLabelText("The file holds several corrections. Which one?")
    dialog.setComboBoxItems(names)
    dialog.textValueSelected.connect(lambda name: workspace.files.import_correction(document, path, names.index(name)))
    ask(dialog)


def export_look(workspace: Workspace) -> None:
    """Ask how to export the look."""
    ask(LookDialog(workspace, _beside(workspace, "clf"), window_of(workspace)))


def save_grade(workspace: Workspace, then: Callable[[], None] | None = None) -> None:
    """Save the grade where it came from, or ask where to; `then` is called once that is done."""
    path = workspace.document.grade_path
    if path is None:
        save_grade_as(workspace, then)
    else:
        workspace.files.save_grade(path, then)


def save_grade_as(workspace: Workspace, then: Callable[[], None] | None = None) -> None:
    _ask_name(workspace, "Save grade", GRADE_FILTER, "json", lambda path: workspace.files.save_grade(path, then))


def choose_session(workspace: Workspace) -> None:
    def opened(names: list[str]) -> None:
        workspace.files.open_session(Path(names[0]))

    _ask_files(workspace, "Open session", SESSION_FILTER, opened)


def save_session(workspace: Workspace) -> None:
    """Save what is open where it came from, or ask where to."""
    if workspace.session_path is None:
        save_session_as(workspace)
    else:
        workspace.files.save_session(workspace.session_path)


def save_session_as(workspace: Workspace) -> None:
    _ask_name(workspace, "Save session", SESSION_FILTER, "tessera", workspace.files.save_session)


def export(workspace: Workspace) -> None:
    """Ask how to export the picture."""
    window = window_of(workspace)
    open_one = next((d for d in window.findChildren(ExportDialog) if d.isVisible()), None)
    if open_one is not None:
        open_one.raise_()
    elif workspace.document.picture is None:
        workspace.tell("There is no picture to export; open one first.")
    else:
        ExportDialog(workspace, window).show()


def close_current(workspace: Workspace) -> None:
    close_document(workspace, workspace.document)


def close_document(workspace: Workspace, document: Document) -> None:
    """Close a document, after asking where its grade is not saved."""
    if_saved(workspace, document, lambda: workspace.close_document(document))


def if_saved(workspace: Workspace, document: Document, then: Callable[[], None]) -> None:
    """Do something that loses a document's grade: at once if it is saved, else after asking."""
    if not document.modified:
        then()
        return
    workspace.show_document(document)
    buttons = QMessageBox.StandardButton
    box = QMessageBox(QMessageBox.Icon.NoIcon, "Tessera", "Save the grade first?", parent=window_of(workspace))
    box.setInformativeText("Its changes are lost otherwise.")
    _align(box)
    box.setStandardButtons(buttons.Save | buttons.Discard | buttons.Cancel)
    box.setDefaultButton(buttons.Save)
    tips = {buttons.Save: "Save the grade, then go on", buttons.Discard: "Go on and lose the changes"}
    for button in (buttons.Save, buttons.Discard, buttons.Cancel):
        box.button(button).setToolTip(tips.get(button, "Leave everything as it is (Esc)"))
        box.button(button).setAccessibleName(box.button(button).text().replace("&", ""))

    def answered(pressed: object) -> None:
        answer = box.standardButton(pressed)  # type: ignore[arg-type]
        if answer == buttons.Discard:
            then()
        elif answer == buttons.Save:
            save_grade(workspace, then)

    box.buttonClicked.connect(answered)
    ask(box)


def _align(box: QMessageBox) -> None:
    """Words and buttons of a box without an icon on one line at the left; Qt leaves room for the icon."""
    rows = box.layout()
    assert isinstance(rows, QGridLayout)
    first = rows.itemAt(0)
    if first is not None and first.spacerItem() is not None:
        rows.takeAt(0)
    rows.setColumnStretch(rows.columnCount() - 1, 1)
    rows.setContentsMargins(16, 16, 16, 16)
    for words in box.findChildren(QLabel):
        words.setContentsMargins(0, 0, 0, 4)
        words.setIndent(0)


def _beside(workspace: Workspace, suffix: str) -> Path:
    near = workspace.document.grade_path or workspace.document.picture_path
    return near.with_suffix(f".{suffix}") if near else Path(f"grade.{suffix}")


def _ask_files(
    workspace: Workspace, title: str, kinds: str, then: Callable[[list[str]], None], many: bool = False
) -> None:
    near = workspace.document.picture_path
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
