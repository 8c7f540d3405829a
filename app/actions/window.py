"""Commands on the window itself: full screen, the view without panels, where the panels are, which has the keys."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from app.actions.command import SEPARATOR, Command, Table
from app.shell.workspace import Workspace

if TYPE_CHECKING:
    from app.shell.main_window import MainWindow


def _window(workspace: Workspace) -> MainWindow:
    return cast("MainWindow", workspace.canvas.window())


def _preferences(workspace: Workspace) -> None:
    from app.dialogs.preferences import Preferences

    Preferences(workspace, workspace.canvas.window()).open()


COMMANDS: Table = (
    Command(
        "preferences",
        "&Edit",
        "Pre&ferences…",
        "Device, drawing, memory, OpenColorIO config and keys",
        ("Ctrl+,",),
        run=_preferences,
    ),
    Command(
        "full_screen",
        "&View",
        "F&ull screen",
        "Use the whole screen; again goes back to the window",
        ("F11", "Ctrl+F"),
        "full-screen",
        lambda ws: _window(ws).screen_state.set_full(ws.actions["full_screen"].isChecked()),
        checkable=True,
    ),
    Command(
        "clean",
        "&View",
        "&Image alone",
        "Hide panels and bars while the image has the keys; again shows them",
        ("Tab",),
        run=lambda ws: _window(ws).screen_state.set_clean(ws.actions["clean"].isChecked()),
        checkable=True,
        where="canvas",
    ),
    Command(
        "next_pane",
        "&Panels",
        "&Next pane",
        "Give the keys to the next of image, panels and tools",
        ("F6",),
        run=lambda ws: _window(ws).screen_state.next_pane(1),
    ),
    Command(
        "previous_pane",
        "&Panels",
        "&Previous pane",
        "Give the keys to the pane before this one",
        ("Shift+F6",),
        run=lambda ws: _window(ws).screen_state.next_pane(-1),
    ),
    SEPARATOR,
    Command(
        "reset_layout",
        "&Panels",
        "&Reset the layout",
        "Put every panel back where a new user finds it",
        run=lambda ws: _window(ws).docks.reset(),
    ),
    SEPARATOR,
)
