"""Commands that tell how the window is used."""

from __future__ import annotations

from app.actions.command import Command, Table
from app.workspace import Workspace


def _keys(workspace: Workspace) -> None:
    from app.keys_dialog import KeysDialog

    KeysDialog(workspace.actions, workspace.canvas.window()).open()


COMMANDS: Table = (
    Command("keys", "&Help", "&Keys and gestures", "What the keys and the mouse do", ("F1",), run=_keys),
)
