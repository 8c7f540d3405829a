"""Commands for the parts, layers and views of an image file."""

from __future__ import annotations

from app.actions.command import SEPARATOR, Command, Table
from app.panels.layer_menus import has_layers, has_parts, has_views, step_layer, step_part, step_view

MENU = "&View"
LAYER_MENU = "&View/La&yers and parts"

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
        when=lambda ws: has_views(ws.document),
    ),
    SEPARATOR,
)
