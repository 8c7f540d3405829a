"""All commands and gestures of the window: the tables of all areas, in menu order."""

from __future__ import annotations

from app.actions import colour, edit, file, grade, layers, mattes, playback, probing, session, view, window
from app.actions import comparing as looking
from app.actions.command import Command, Gesture, Table

AREAS: tuple[Table, ...] = (
    file.OPENING,
    session.COMMANDS,
    (*file.EXPORT, *playback.EXPORT, *file.EXPORT_LOOK),
    file.COMMANDS,
    edit.COMMANDS,
    view.COMMANDS,
    layers.COMMANDS,
    looking.COMMANDS,
    looking.GRID,
    probing.COMMANDS,
    looking.STILLS,
    session.TABS,
    file.LOOKS,
    grade.COMMANDS,
    mattes.COMMANDS,
    playback.KEYS,
    colour.COMMANDS,
    playback.COMMANDS,
    window.COMMANDS,
    window.HELP,
)

GESTURES: tuple[Gesture, ...] = (
    *view.GESTURES,
    *looking.GESTURES,
    *probing.GESTURES,
    *looking.STILL_GESTURES,
    *playback.GESTURES,
    *edit.GESTURES,
    *grade.GESTURES,
    *mattes.GESTURES,
)

MENUS = ("&File", "&Edit", "&View", "&Compare", "&Stills", "&Grade", "&Playback", "&Panels", "&Help")
"""The order of the menu bar; a menu without commands is left out."""


def all_commands() -> list[Command]:
    """Return the commands of all areas."""
    return [command for area in AREAS for command in area if isinstance(command, Command)]
