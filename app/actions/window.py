"""Commands for the window: preferences, full screen, image only, keyboard focus, layout of the panels, and help."""

from __future__ import annotations

from app.actions.command import SEPARATOR, Command, Table
from app.widgets.context_menu import show_context_menu

COMMANDS: Table = (
    Command(
        "preferences",
        "&Edit",
        "Pre&ferences…",
        "Set the device, drawing, memory, OpenColorIO config and keyboard shortcuts",
        ("Ctrl+,",),
        run=lambda ws: ws.window.show_preferences(),
    ),
    Command(
        "full_screen",
        "&View",
        "F&ull screen",
        "Switch between full screen and window",
        ("F11", "Ctrl+F"),
        "full-screen",
        lambda ws: ws.window.set_full_screen(ws.actions["full_screen"].isChecked()),
        checkable=True,
    ),
    Command(
        "clean",
        "&View",
        "&Image only",
        "Hide or show panels and bars while the image has the focus",
        ("Tab",),
        run=lambda ws: ws.window.set_clean(ws.actions["clean"].isChecked()),
        checkable=True,
        where="canvas",
    ),
    Command(
        "context_menu",
        "&Panels",
        "Show &context menu",
        "Show the menu of what has the keyboard focus, as a right click does",
        ("Shift+F10",),
        run=lambda ws: show_context_menu(),
    ),
    Command(
        "next_pane",
        "&Panels",
        "&Next pane",
        "Move the keyboard focus to the next of image, panels and toolbar",
        ("F6",),
        run=lambda ws: ws.window.next_pane(1),
    ),
    Command(
        "previous_pane",
        "&Panels",
        "&Previous pane",
        "Move the keyboard focus to the previous pane",
        ("Shift+F6",),
        run=lambda ws: ws.window.next_pane(-1),
    ),
    SEPARATOR,
    Command(
        "reset_layout",
        "&Panels",
        "&Reset the layout",
        "Restore the default layout of the panels",
        run=lambda ws: ws.window.reset_layout(),
    ),
)

HELP: Table = (
    Command(
        "palette",
        "&Help",
        "&Find a command…",
        "Find any command by name and run it",
        ("Ctrl+Shift+P",),
        "search",
        lambda ws: ws.window.show_palette(),
    ),
    Command(
        "keys",
        "&Help",
        "&Keys and gestures",
        "List all keyboard shortcuts and mouse gestures",
        ("F1",),
        run=lambda ws: ws.window.show_keys(),
    ),
    Command(
        "about",
        "&Help",
        "&About Tessera…",
        "Show the version, the device that computes, and the libraries with their licences",
        run=lambda ws: ws.window.show_about(),
    ),
)
"""The Help menu."""
