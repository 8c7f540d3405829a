"""Commands on the grade and its history."""

from __future__ import annotations

from app.actions.command import SEPARATOR, Command, Gesture, Table
from app.widgets.focus import keep_focus

COMMANDS: Table = (
    Command(
        "undo",
        "&Edit",
        "&Undo",
        "Undo the last change to the grade",
        ("Ctrl+Z",),
        "undo",
        lambda ws: keep_focus(ws.document.undo),
        lambda ws: bool(ws.document.undo_text),
    ),
    Command(
        "redo",
        "&Edit",
        "&Redo",
        "Redo the change that was undone",
        ("Ctrl+Shift+Z", "Ctrl+Y"),
        "redo",
        lambda ws: keep_focus(ws.document.redo),
        lambda ws: bool(ws.document.redo_text),
    ),
    SEPARATOR,
)

GESTURES = (
    Gesture("Drag a slider", "Change a value; hold Shift for fine steps"),
    Gesture("Double click on a slider, Delete", "Reset the value"),
    Gesture("Arrow keys, wheel on a focused slider", "Change a value in steps; hold Shift for fine steps"),
)
