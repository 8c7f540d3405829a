"""Commands for files: images, grades, looks and CDLs. `app.dialogs.prompts` asks for input where they need it."""

from __future__ import annotations

from app.actions.command import SEPARATOR, Command, Table, has_image
from app.dialogs import prompts as asking
from app.workspace import Workspace


def _close(workspace: Workspace) -> None:
    workspace.canvas.window().close()


RECENT_MENU = "&File/Open &recent"
"""Filled by `app.shell.recent_files`."""
OPENING: Table = (
    Command("open", "&File", "&Open images…", "Open image files", ("Ctrl+O",), "open", asking.choose_images),
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
        asking.export,
        has_image,
    ),
    SEPARATOR,
    Command(
        "new_grade",
        "&File",
        "&New grade",
        "Start over with a neutral grade; Undo restores this one",
        ("Ctrl+N",),
        run=asking.new_grade,
    ),
    Command(
        "open_grade",
        "&File",
        "Open &grade…",
        "Open a saved grade (.json) or the grade of an exported EXR; Undo restores this one",
        ("Ctrl+Shift+O",),
        run=asking.choose_grade,
    ),
    Command(
        "save_grade",
        "&File",
        "&Save grade",
        "Save the grade with its versions (.json)",
        ("Ctrl+S",),
        "save",
        asking.save_grade,
    ),
    Command(
        "save_grade_as",
        "&File",
        "Save grade &as…",
        "Save the grade with its versions under another name",
        ("Ctrl+Shift+S",),
        run=asking.save_grade_as,
    ),
    SEPARATOR,
    Command(
        "import_cdl",
        "&File",
        "&Import CDL…",
        "Import the values of a .cc, .ccc or .cdl file into the CDL",
        ("Ctrl+I",),
        run=asking.choose_cdl,
    ),
    Command(
        "export_look",
        "&File",
        "Export loo&k…",
        "Export the grade as a CLF, 3D LUT, CDL or AMF file for other programs",
        ("Ctrl+Shift+E",),
        run=asking.export_look,
    ),
    SEPARATOR,
    Command(
        "close_tab",
        "&File",
        "C&lose image",
        "Close this image and its grade",
        ("Ctrl+W",),
        run=asking.close_current,
    ),
    Command("quit", "&File", "&Quit", "Close Tessera", ("Ctrl+Q",), run=_close),
    Command(
        "add_look",
        "&Edit",
        "Add &LUT or CDL file…",
        "Add LUT, CDL or CLF files to the grade",
        ("Ctrl+L",),
        "add",
        asking.choose_looks,
    ),
)
