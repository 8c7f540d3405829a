"""Commands of the Help menu."""

from __future__ import annotations

from app.actions.command import Command, Table

COMMANDS: Table = (
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
