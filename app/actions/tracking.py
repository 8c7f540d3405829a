"""Commands that track the selected window of a matte over the frames."""

from __future__ import annotations

from functools import partial

from app.actions.command import SEPARATOR, Command, Table
from app.workspace import Workspace

MENU = "&Grade/&Matte/&Track"
_WAYS = (
    ("backward", "Track &backward", "Track the selected window from this frame back to the in point", "Shift+T"),
    (
        "backward_one",
        "Track one frame b&ack",
        "Track the selected window from this frame to the one before",
        "Alt+Shift+T",
    ),
    ("forward_one", "Track &one frame", "Track the selected window from this frame to the next one", "Alt+T"),
    ("forward", "Track &forward", "Track the selected window from this frame to the out point", "T"),
)
_OPTIONS = (
    ("position", "&Position", "Let tracking move the window"),
    ("scale", "&Scale", "Let tracking change the size of the window"),
    ("rotation", "&Rotation", "Let tracking turn the window"),
    ("graded", "&Graded image", "Track on the graded image instead of the source, as where it is nearly black"),
)


def _start(workspace: Workspace, way: str) -> None:
    workspace.tracking.start(way)


def _can_start(workspace: Workspace, way: str) -> bool:
    return workspace.tracking.can_start(way)


def _set_option(workspace: Workspace, name: str) -> None:
    workspace.tracking.set_option(name, workspace.actions[f"track_{name}"].isChecked())


COMMANDS: Table = (
    *(
        Command(
            f"track_{way}",
            MENU,
            text,
            tip,
            (key,),
            f"track-{way.replace('_', '-')}",
            partial(_start, way=way),
            partial(_can_start, way=way),
        )
        for way, text, tip, key in _WAYS
    ),
    Command(
        "track_stop",
        MENU,
        "S&top tracking",
        "Stop tracking; the frames so far keep their keys",
        ("Ctrl+Alt+T",),
        "stop",
        lambda ws: ws.tracking.stop(),
        lambda ws: ws.tracking.tracks,
    ),
    SEPARATOR,
    *(
        Command(f"track_{name}", MENU, text, tip, run=partial(_set_option, name=name), checkable=True)
        for name, text, tip in _OPTIONS
    ),
)
