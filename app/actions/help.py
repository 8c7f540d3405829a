"""Commands that tell how the window is used."""

from __future__ import annotations

from app.actions.command import Command, Table
from app.dialogs.prompts import window_of
from app.shell.workspace import Workspace


def _keys(workspace: Workspace) -> None:
    from app.dialogs.keys_dialog import KeysDialog

    KeysDialog(workspace, window_of(workspace)).open()


def _palette(workspace: Workspace) -> None:
    from app.dialogs.palette import Palette

    Palette(workspace, window_of(workspace)).open()


COMMANDS: Table = (
    Command(
        "palette",
        "&Help",
        "&Find a command…",
        "Find any command by its words and run it",
        ("Ctrl+Shift+P",),
        "search",
        _palette,
    ),
    Command("keys", "&Help", "&Keys and gestures", "What the keys and the mouse do", ("F1",), run=_keys),
)
