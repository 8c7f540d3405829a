"""Commands on parts, layers and views of the image's file."""

from __future__ import annotations

from app.actions.command import SEPARATOR, Command, Table
from app.shell.layer_menus import has_layers, has_parts, has_views, step_layer, step_part, step_view

MENU = "&View"
LAYER_MENU = "&View/La&yers and parts"

COMMANDS: Table = (
    LAYER_MENU,
    Command(
        "next_layer",
        MENU,
        "&Next layer",
        "Show the next layer of the part; after the last comes the first",
        ("PgDown",),
        run=lambda ws: step_layer(ws, 1),
        when=has_layers,
    ),
    Command(
        "previous_layer",
        MENU,
        "&Previous layer",
        "Show the layer before this one",
        ("PgUp",),
        run=lambda ws: step_layer(ws, -1),
        when=has_layers,
    ),
    Command(
        "next_part",
        MENU,
        "Nex&t part",
        "Show the next part of the file; after the last comes the first",
        ("Shift+PgDown",),
        run=lambda ws: step_part(ws, 1),
        when=has_parts,
    ),
    Command(
        "previous_part",
        MENU,
        "Pre&vious part",
        "Show the part before this one",
        ("Shift+PgUp",),
        run=lambda ws: step_part(ws, -1),
        when=has_parts,
    ),
    Command(
        "next_view",
        MENU,
        "&Other eye",
        "Show the same part of another view, as in stereo images",
        ("Shift+E",),
        run=step_view,
        when=has_views,
    ),
    SEPARATOR,
)
