"""Commands on the entries of the grade, on its versions, and to and from the clipboard."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, cast

from app.actions.command import SEPARATOR, Command, Gesture, Table
from app.model.versions import STILL_SIZE
from app.services.clipboard import copy_grade
from app.shell.workspace import Workspace

if TYPE_CHECKING:
    from app.panels.grade_panel import GradePanel


def _panel(workspace: Workspace) -> GradePanel:
    return cast("GradePanel", workspace.panel("grade"))


def _has_entry(workspace: Workspace) -> bool:
    return bool(workspace.document.grade.entries)


def _has_ab(workspace: Workspace) -> bool:
    return workspace.document.versions.has_ab


def _keep(workspace: Workspace) -> None:
    """Keep the grade as a version. A LUT that is tried is in its still, but not in its grade."""
    version = workspace.document.keep_version(still=workspace.canvas.still(*STILL_SIZE))
    tried = workspace.stage.tried
    without = f", without {Path(tried.path).name}, which is only tried" if tried is not None else ""
    workspace.note(f"Kept as {version.name}{without}")


COMMANDS: Table = (
    Command(
        "add_operation",
        "&Grade",
        "Add &operation…",
        "Search for an operation and add it after the current entry",
        ("Shift+A",),
        "add",
        lambda ws: _panel(ws).show_op_menu(),
    ),
    SEPARATOR,
    Command(
        "entry_bypass",
        "&Grade",
        "&Bypass entry",
        "Leave the current entry out, or take it in again",
        ("D",),
        "bypass",
        lambda ws: _panel(ws).toggle("enabled"),
        _has_entry,
    ),
    Command(
        "entry_solo",
        "&Grade",
        "&Solo entry",
        "Run the current entry alone, on the screen and in exports; again ends it",
        ("Shift+S",),
        "solo",
        lambda ws: _panel(ws).toggle("solo"),
        _has_entry,
    ),
    Command(
        "entry_reset",
        "&Grade",
        "&Reset entry",
        "Every field of the current entry back to its default",
        ("Ctrl+Backspace",),
        "reset",
        lambda ws: _panel(ws).reset_current(),
        _has_entry,
    ),
    Command(
        "entry_duplicate",
        "&Grade",
        "D&uplicate entry",
        "Put a copy of the current entry after it",
        ("Ctrl+D",),
        "duplicate",
        lambda ws: _panel(ws).duplicate_current(),
        _has_entry,
    ),
    Command(
        "entry_up",
        "&Grade",
        "Move entry &up",
        "Apply the current entry earlier",
        ("Alt+Up",),
        "up",
        lambda ws: _panel(ws).move_current(-1),
        _has_entry,
    ),
    Command(
        "entry_down",
        "&Grade",
        "Move entry &down",
        "Apply the current entry later",
        ("Alt+Down",),
        "down",
        lambda ws: _panel(ws).move_current(1),
        _has_entry,
    ),
    Command(
        "entry_remove",
        "&Grade",
        "Re&move entry",
        "Take the current entry out of the grade",
        ("Ctrl+Del",),
        "remove",
        lambda ws: _panel(ws).remove_current(),
        _has_entry,
    ),
    SEPARATOR,
    Command(
        "copy_grade",
        "&Grade",
        "&Copy grade",
        "Put the whole grade on the clipboard, as text",
        ("Ctrl+C",),
        "copy",
        lambda ws: copy_grade(ws.document.grade),
        _has_entry,
    ),
    Command(
        "copy_entry",
        "&Grade",
        "Copy &entry",
        "Put the current entry on the clipboard, as text",
        ("Ctrl+Alt+C",),
        run=lambda ws: _panel(ws).copy_current(),
        when=_has_entry,
    ),
    Command(
        "paste",
        "&Grade",
        "&Paste",
        "Put a copied entry after the current one, or a copied grade in the place of this one",
        ("Ctrl+V",),
        "paste",
        lambda ws: _panel(ws).paste(),
    ),
    SEPARATOR,
    Command(
        "keep_version",
        "&Grade",
        "&Keep as version",
        "Keep the grade as it is now under a name, to come back to",
        ("Ctrl+K",),
        "version",
        _keep,
    ),
    Command(
        "versions_ab",
        "&Grade",
        "&A/B",
        "Go to and fro between the two versions that are marked A and B",
        ("X",),
        run=lambda ws: ws.document.toggle_ab(),
        when=_has_ab,
    ),
)

GESTURES = (
    Gesture("Drag the title of an entry", "Move it in the grade"),
    Gesture("Up, Down, Delete on the title of an entry", "Go to the next entry; remove it"),
    Gesture("Drag in a wheel, arrow keys", "Balance red, green and blue; with Shift finer"),
    Gesture("Drag a wheel's ring, Page Up, Page Down", "Move all three together; with Shift finer"),
    Gesture("Click beside a curve, Insert", "Add a point; a double click, a right click or Delete removes it"),
    Gesture("Page Up, Page Down, arrow keys on a curve", "Choose a point and move it; with Shift finer"),
    Gesture(
        "Return while a colour is picked", "Take the one in the middle, where arrow keys move the image; Esc ends it"
    ),
)
