"""Every command and gesture of the window: the areas' tables, in the order of the menus."""

from __future__ import annotations

from app.actions import edit, file, grade, help, session, view, window
from app.actions.command import Command, Gesture, Table

AREAS: tuple[Table, ...] = (
    file.COMMANDS,
    session.COMMANDS,
    edit.COMMANDS,
    grade.COMMANDS,
    view.COMMANDS,
    window.COMMANDS,
    help.COMMANDS,
)

GESTURES: tuple[Gesture, ...] = (*view.GESTURES, *edit.GESTURES, *grade.GESTURES)

MENUS = ("&File", "&Edit", "&Grade", "&View", "&Compare", "&Panels", "&Help")
"""The order of the menu bar; a menu without commands is left out."""


def all_commands() -> list[Command]:
    """Every command of every area."""
    return [command for area in AREAS for command in area if isinstance(command, Command)]
