"""Commands on the grade and its history."""

from __future__ import annotations

from app.actions.command import SEPARATOR, Command, Gesture, Table

COMMANDS: Table = (
    Command(
        "undo",
        "&Edit",
        "&Undo",
        "Take back the last change of the grade",
        ("Ctrl+Z",),
        "undo",
        lambda ws: ws.document.undo(),
        lambda ws: bool(ws.document.undo_text),
    ),
    Command(
        "redo",
        "&Edit",
        "&Redo",
        "Make the change again",
        ("Ctrl+Shift+Z", "Ctrl+Y"),
        "redo",
        lambda ws: ws.document.redo(),
        lambda ws: bool(ws.document.redo_text),
    ),
    SEPARATOR,
)

GESTURES = (
    Gesture("Drag a slider", "Change a value; with Shift finer"),
    Gesture("Double click on a slider, Delete", "Reset the value"),
    Gesture("Arrow keys, wheel on a focused slider", "Change a value by steps; with Shift finer"),
)
