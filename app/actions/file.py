"""Commands for files: images, grades, looks and CDLs, with the dialogs that they open."""

from __future__ import annotations

from app.actions.command import SEPARATOR, Command, Table, has_image
from app.dialogs.export_dialog import ExportDialog
from app.dialogs.look_dialog import LookDialog
from app.dialogs.prompts import proposed_path
from app.model.document import default_grade
from app.widgets.showing import ask
from app.workspace import Workspace


def open_export_dialog(workspace: Workspace) -> ExportDialog | None:
    """Show the export dialog for the current image and return it; None if there is no image."""
    ws, window = workspace, workspace.canvas.window()
    open_one = next((each for each in window.findChildren(ExportDialog) if each.isVisible()), None)
    if open_one is not None:
        open_one.raise_()
        return open_one
    document = ws.document
    if document.image is None:
        ws.messages.warn("There is no image to export; open one first.")
        return None
    dialog = ExportDialog(document, ws.colour, ws.stage, ws.preview, ws.settings, ws.jobs, window)
    dialog.ordered.connect(ws.exports.add)
    dialog.ordered.connect(lambda _order: ws.show_panel("exports"))
    dialog.show()
    return dialog


def _export_look(workspace: Workspace) -> None:
    ws, document = workspace, workspace.document
    target = proposed_path(document, "clf")
    ask(LookDialog(document, ws.files, ws.colour, ws.stage, ws.jobs, target, ws.canvas.window()))


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

COMMANDS: Table = (
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
    SEPARATOR,
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
        "import_cdl",
        "&File",
        "&Import CDL…",
        "Import the values of a .cc, .ccc or .cdl file into the CDL",
        ("Ctrl+I",),
        run=lambda ws: ws.prompts.choose_cdl(),
    ),
    Command(
        "export_look",
        "&File",
        "Export loo&k…",
        "Export the grade as a CLF, 3D LUT, CDL or AMF file for other programs",
        ("Ctrl+Shift+E",),
        run=_export_look,
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
    Command(
        "add_look",
        "&Edit",
        "Add &LUT or CDL file…",
        "Add LUT, CDL or CLF files to the grade",
        ("Ctrl+L",),
        "add",
        lambda ws: ws.prompts.choose_looks(),
    ),
)
