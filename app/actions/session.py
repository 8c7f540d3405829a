"""Commands on all that is open, and on which of it is seen."""

from __future__ import annotations

from app.actions.command import SEPARATOR, Command, Table
from app.dialogs import prompts as asking
from app.services.autosave import LAST
from app.shell.workspace import Workspace

NO_SESSION = "There is no earlier session; one is kept when Tessera is closed with images open."


def _last(workspace: Workspace) -> None:
    folder = workspace.settings.folder
    if folder is None:
        workspace.tell(NO_SESSION)
    else:
        workspace.files.open_session(folder / LAST, NO_SESSION)


def _step(workspace: Workspace, by: int) -> None:
    documents = workspace.documents
    workspace.show_document(documents[(documents.index(workspace.document) + by) % len(documents)])


def _several(workspace: Workspace) -> bool:
    return len(workspace.documents) > 1


COMMANDS: Table = (
    Command(
        "open_session",
        "&File/Sess&ion",
        "&Open session…",
        "Open the images, grades and views of a saved session",
        ("Ctrl+Alt+O",),
        run=asking.choose_session,
    ),
    Command(
        "last_session",
        "&File/Sess&ion",
        "Open the &last session",
        "Open what was open when Tessera was closed last",
        ("Ctrl+Alt+L",),
        run=_last,
    ),
    SEPARATOR,
    Command(
        "save_session",
        "&File/Sess&ion",
        "&Save session",
        "Save all open images' names, grades, histories, versions and views as one file",
        ("Ctrl+Alt+S",),
        run=asking.save_session,
    ),
    Command(
        "save_session_as",
        "&File/Sess&ion",
        "Save session &as…",
        "Save the session under another name",
        ("Ctrl+Alt+Shift+S",),
        run=asking.save_session_as,
    ),
)

TABS: Table = (
    Command(
        "next_tab",
        "&View/&Images",
        "&Next image",
        "Show the next open image",
        ("Ctrl+Tab", "Ctrl+PgDown"),
        run=lambda ws: _step(ws, 1),
        when=_several,
    ),
    Command(
        "previous_tab",
        "&View/&Images",
        "&Previous image",
        "Show the open image before this one",
        ("Ctrl+Shift+Tab", "Ctrl+PgUp"),
        run=lambda ws: _step(ws, -1),
        when=_several,
    ),
)
