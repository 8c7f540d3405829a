"""Commands for sessions and for switching between open images."""

from __future__ import annotations

from app.actions.command import SEPARATOR, Command, Table
from app.services.autosave import LAST
from app.workspace import Workspace

NO_SESSION = "There is no last session; Tessera saves one when it closes with images open."


def _last(workspace: Workspace) -> None:
    folder = workspace.settings.folder
    if folder is None:
        workspace.messages.warn(NO_SESSION)
    else:
        workspace.files.open_session(folder / LAST, NO_SESSION)


def _step(workspace: Workspace, by: int) -> None:
    documents = workspace.documents
    workspace.open_documents.show(documents[(documents.index(workspace.document) + by) % len(documents)])


def _several(workspace: Workspace) -> bool:
    return len(workspace.documents) > 1


COMMANDS: Table = (
    Command(
        "open_session",
        "&File/Sess&ion",
        "&Open session…",
        "Open the images, grades and views of a saved session",
        ("Ctrl+Alt+O",),
        run=lambda ws: ws.prompts.choose_session(),
    ),
    Command(
        "last_session",
        "&File/Sess&ion",
        "Open the &last session",
        "Open the images that were open when Tessera was last closed",
        ("Ctrl+Alt+L",),
        run=_last,
    ),
    SEPARATOR,
    Command(
        "save_session",
        "&File/Sess&ion",
        "&Save session",
        "Save the paths, grades, histories, versions and views of all open images in one file",
        ("Ctrl+Alt+S",),
        run=lambda ws: ws.prompts.save_session(),
    ),
    Command(
        "save_session_as",
        "&File/Sess&ion",
        "Save session &as…",
        "Save the session under another name",
        ("Ctrl+Alt+Shift+S",),
        run=lambda ws: ws.prompts.save_session_as(),
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
        "Show the previous open image",
        ("Ctrl+Shift+Tab", "Ctrl+PgUp"),
        run=lambda ws: _step(ws, -1),
        when=_several,
    ),
)
