"""Commands for the parts, layers and views of an image file."""

from __future__ import annotations

from functools import partial

from app.actions.command import SEPARATOR, Command, Table
from app.panels.layer_menus import (
    compare_eyes,
    has_layers,
    has_parts,
    has_views,
    show_eye,
    step_layer,
    step_part,
    step_view,
)
from app.workspace import Workspace

MENU = "&View"
LAYER_MENU = "&View/La&yers and parts"
STEREO_MENU = "&View/&Stereo"
DATA_MENU = "&View/&Data"


def _show_eye(workspace: Workspace, number: int) -> None:
    show_eye(workspace.document, workspace.open_documents.view, workspace.files, number)


def _compare_eyes(workspace: Workspace, mode: str) -> None:
    compare_eyes(workspace.open_documents.view, mode)


def _has_views(workspace: Workspace) -> bool:
    return has_views(workspace.document)


def _shows_data(workspace: Workspace) -> bool:
    return workspace.data_views.shown is not None


def _toggle_colours(workspace: Workspace) -> None:
    workspace.data_views.choose(coloured=not workspace.data_views.view.coloured)


EYES = (
    ("eye_left", "&Left eye", "Show the left eye alone", "Ctrl+Alt+1"),
    ("eye_right", "&Right eye", "Show the right eye alone", "Ctrl+Alt+2"),
)
BOTH_EYES = (
    ("side by side", "&Side by side", "Show both eyes beside each other", "Ctrl+Alt+3"),
    ("anaglyph", "&Anaglyph", "Show both eyes at once, for red and cyan glasses", "Ctrl+Alt+4"),
    ("difference", "&Difference", "Show the difference of the eyes, times the gain of the Compare panel", "Ctrl+Alt+5"),
)

COMMANDS: Table = (
    LAYER_MENU,
    Command(
        "next_layer",
        MENU,
        "&Next layer",
        "Show the next layer of the part; wraps around",
        ("PgDown",),
        run=lambda ws: step_layer(ws.document, ws.files, 1),
        when=lambda ws: has_layers(ws.document),
    ),
    Command(
        "previous_layer",
        MENU,
        "&Previous layer",
        "Show the previous layer of the part; wraps around",
        ("PgUp",),
        run=lambda ws: step_layer(ws.document, ws.files, -1),
        when=lambda ws: has_layers(ws.document),
    ),
    Command(
        "next_part",
        MENU,
        "Nex&t part",
        "Show the next part of the file; wraps around",
        ("Shift+PgDown",),
        run=lambda ws: step_part(ws.document, ws.files, 1),
        when=lambda ws: has_parts(ws.document),
    ),
    Command(
        "previous_part",
        MENU,
        "Pre&vious part",
        "Show the previous part of the file; wraps around",
        ("Shift+PgUp",),
        run=lambda ws: step_part(ws.document, ws.files, -1),
        when=lambda ws: has_parts(ws.document),
    ),
    Command(
        "next_view",
        MENU,
        "&Other eye",
        "Show the same part in the next view of a stereo image",
        ("Shift+E",),
        run=lambda ws: step_view(ws.document, ws.files),
        when=_has_views,
    ),
    *(
        Command(name, STEREO_MENU, text, tip, (key,), run=partial(_show_eye, number=number), when=_has_views)
        for number, (name, text, tip, key) in enumerate(EYES)
    ),
    *(
        Command(
            f"eyes_{mode.replace(' ', '_')}",
            STEREO_MENU,
            text,
            f"{tip}; repeat to show one eye",
            (key,),
            run=partial(_compare_eyes, mode=mode),
            when=_has_views,
        )
        for mode, text, tip, key in BOTH_EYES
    ),
    Command(
        "data_fit",
        DATA_MENU,
        "&Fit the range",
        "Show a layer of data, such as depth, in the range of its values in this frame",
        ("Shift+R",),
        run=lambda ws: ws.data_views.fit(),
        when=_shows_data,
    ),
    Command(
        "data_colours",
        DATA_MENU,
        "False &colours",
        "Show a channel of data in false colours; repeat for grey",
        run=_toggle_colours,
        when=lambda ws: ws.data_views.can_colour,
    ),
    SEPARATOR,
)
