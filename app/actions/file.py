"""Commands for files: images, grades, looks and CDLs, with the dialogs that they open."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt

from app.actions.command import SEPARATOR, Command, Table, has_image
from app.dialogs.prompts import proposed_path
from app.model.document_state import default_grade
from app.services.event_loop import turn_queue
from app.widgets.large_dialogs import show_later
from app.widgets.showing import ask
from app.workspace import Workspace

if TYPE_CHECKING:
    from app.dialogs.export_dialog import ExportDialog
    from app.dialogs.export_fields import ExportFields
    from app.services.export_options import ExportOrder


def open_export_dialog(workspace: Workspace) -> ExportDialog | None:
    """Show the export dialog for the current image and return it; None if there is no image."""
    ws = workspace
    open_one = _open_dialog(workspace)
    if open_one is not None:
        open_one.raise_()
        return open_one
    document = ws.document
    if document.image is None:
        ws.messages.warn("There is no image to export; open one first.")
        return None
    from app.dialogs.export_dialog import ExportDialog  # not needed for the first image; loaded soon after it

    services = ws.colour, ws.stage, ws.preview, ws.settings, ws.jobs
    dialog = ExportDialog(document, *services, ws.canvas.window(), partial(_unfinished, ws))
    dialog.ordered.connect(lambda order: _add_export(ws, document.id, dialog.filled, order))
    show_later(dialog)
    return dialog


def _open_dialog(workspace: Workspace) -> ExportDialog | None:
    from app.dialogs.export_dialog import ExportDialog  # see above

    turn_queue().prepare_input()  # a dialog that waits to be shown is open, too
    dialogs = workspace.canvas.window().findChildren(ExportDialog, options=Qt.FindChildOption.FindDirectChildrenOnly)
    return next((each for each in dialogs if each.isVisible()), None)


def _unfinished(workspace: Workspace) -> list[Path]:
    """Return the targets of the exports that run or wait."""
    return [export.order.target for export in workspace.exports.exports if not export.over]


def _add_export(workspace: Workspace, document: str, filled: ExportFields, order: ExportOrder) -> None:
    workspace.exports.add(order, partial(_edit_export, workspace, document, filled))
    workspace.show_panel("exports")


def _edit_export(workspace: Workspace, exported: str, filled: ExportFields, line: str) -> None:
    """Open the export dialog as it was filled for an export, with a line about what became of it.

    `exported` is the ID of the document.
    """
    ws = workspace
    document = next((each for each in ws.documents if each.id == exported), None)
    if document is None or _open_dialog(ws) is not None:
        ws.messages.warn(line)  # the image is closed, or another export is being edited
        return
    ws.open_documents.show(document)
    dialog = open_export_dialog(ws)
    if dialog is not None:
        dialog.fill(filled, line)


def _export_look(workspace: Workspace) -> None:
    from app.dialogs.look_dialog import LookDialog  # see above

    ws, document = workspace, workspace.document
    target = proposed_path(document, "clf")
    write = partial(ws.files.export_look, document=document)
    canvas = ws.canvas.window()
    ask(LookDialog(lambda: document.grade, write, ws.colour, ws.stage, ws.jobs, target, canvas, document.frame))


def _new_grade(workspace: Workspace) -> None:
    workspace.document.open_grade(default_grade(), None)


def _close_current(workspace: Workspace) -> None:
    workspace.prompts.close_document(workspace.document)


def _close(workspace: Workspace) -> None:
    workspace.canvas.window().close()


RECENT_MENU = "&File/Open &recent"
"""Filled by `app.shell.recent_files`."""
OPENING: Table = (
    Command(
        "open",
        "&File",
        "&Open images…",
        "Open image files",
        ("Ctrl+O",),
        "open",
        lambda ws: ws.prompts.choose_images(),
    ),
    RECENT_MENU,
)

EXPORT: Table = (
    Command(
        "export",
        "&File",
        "&Export image…",
        "Write the graded image at full resolution",
        ("Ctrl+E",),
        "export",
        open_export_dialog,
        has_image,
    ),
)

EXPORT_LOOK: Table = (
    Command(
        "export_look",
        "&File",
        "Export loo&k…",
        "Export the grade as a CLF, 3D LUT, CDL or AMF file for other programs",
        ("Ctrl+Shift+E",),
        run=_export_look,
    ),
)

COMMANDS: Table = (
    Command(
        "new_grade",
        "&File",
        "&New grade",
        "Start over with a neutral grade; Undo restores this one",
        ("Ctrl+N",),
        run=_new_grade,
    ),
    Command(
        "open_grade",
        "&File",
        "Open &grade…",
        "Open a saved grade (.json) or the grade of an exported EXR; Undo restores this one",
        ("Ctrl+Shift+O",),
        run=lambda ws: ws.prompts.choose_grade(),
    ),
    Command(
        "save_grade",
        "&File",
        "&Save grade",
        "Save the grade with its versions (.json)",
        ("Ctrl+S",),
        "save",
        lambda ws: ws.prompts.save_grade(),
    ),
    Command(
        "save_grade_as",
        "&File",
        "Save grade &as…",
        "Save the grade with its versions under another name",
        ("Ctrl+Shift+S",),
        run=lambda ws: ws.prompts.save_grade_as(),
    ),
    SEPARATOR,
    Command(
        "close_tab",
        "&File",
        "C&lose image",
        "Close this image and its grade",
        ("Ctrl+W",),
        run=_close_current,
    ),
    Command("quit", "&File", "&Quit", "Close Tessera", ("Ctrl+Q",), run=_close),
)

LOOKS: Table = (
    Command(
        "add_look",
        "&Grade",
        "Add &LUT or CDL file…",
        "Add LUT, CDL or CLF files to the grade",
        ("Ctrl+L",),
        "add",
        lambda ws: ws.prompts.choose_looks(),
    ),
    Command(
        "import_cdl",
        "&Grade",
        "&Import CDL…",
        "Import the values of a .cc, .ccc or .cdl file into the CDL",
        ("Ctrl+I",),
        run=lambda ws: ws.prompts.choose_cdl(),
    ),
    Command(
        "add_tried_lut",
        "&Grade",
        "Add the LUT bein&g tried",
        "Add the LUT or CDL that is tried on the image to the end of the grade",
        ("Shift+L",),
        run=lambda ws: ws.stage.add_previewed_lut(),
        when=lambda ws: ws.stage.previewed_lut is not None,
    ),
)
"""LUT and CDL files in the grade."""
