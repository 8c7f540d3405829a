"""Menus of colour spaces for the Colour panel and the bar above the image."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QMenu

from app.panels.picker import add_choice, add_family
from app.services.colour_manager import Colour
from app.services.open_documents import OpenDocuments


def fill_inputs(documents: OpenDocuments, colour: Colour, menu: QMenu) -> None:
    """Fill a menu with the input spaces of the config."""
    chosen = documents.current.grade.colour.input

    def choose(name: str) -> None:
        colour.edit("input space", input=name)

    tip = "Detect the space from the image's header, its name or the rules of the config; else use your own rules"
    add_choice(menu, "Detected", tip, not chosen, lambda: choose(""))
    add_spaces(colour, menu, "inputs", chosen, choose)


def add_spaces(colour: Colour, menu: QMenu, which: str, chosen: str, choose: Callable[[str], object]) -> None:
    """Add the spaces of the config to a menu: its `inputs`, `workings` or `colours`."""
    menu.addSeparator()
    names = colour.names
    if names is None:
        menu.addAction("Reading the config…").setEnabled(False)
    else:
        add_family(menu, getattr(names, which), chosen, choose)
