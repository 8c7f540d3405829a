"""Menus of colour spaces for the Colour panel and the bar above the image."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QMenu

from app.panels.config_menus import add_family
from app.panels.picker import add_choice
from app.services.config_names import Names


def fill_inputs(names: Names | None, chosen: str, choose: Callable[[str], object], menu: QMenu) -> None:
    """Fill a menu with the input spaces of the config; `names` is None until it is read."""
    tip = "Detect the space from the image's header, its name or the rules of the config; else use your own rules"
    add_choice(menu, "Detected", tip, not chosen, lambda: choose(""))
    add_spaces(names, menu, "inputs", chosen, choose)


def add_spaces(names: Names | None, menu: QMenu, which: str, chosen: str, choose: Callable[[str], object]) -> None:
    """Add the spaces of the config to a menu: its `inputs`, `workings` or `colours`."""
    menu.addSeparator()
    if names is None:
        menu.addAction("Reading the config…").setEnabled(False)
    else:
        add_family(menu, getattr(names, which), chosen, choose)
