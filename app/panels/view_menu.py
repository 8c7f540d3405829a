"""Menus of displays, views and looks for the toolbar and the Colour panel."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu

from app.panels.picker import add_choice
from app.services.colour_manager import Colour

NO_LOOKS = "none"
"""`engine.ocio.config.NO_LOOKS`, without loading OpenColorIO."""


def looks_text(looks: str) -> str:
    """Return the label of the chosen looks."""
    return {"": "Looks of the view", NO_LOOKS: "None"}.get(looks, looks)


def fill_displays(colour: Colour, menu: QMenu) -> None:
    """Fill a menu with the displays of the config. A new display starts with its default view."""
    names = colour.names
    if names is None:
        menu.addAction("Reading the config…").setEnabled(False)
        return
    shown, _ = colour.shown
    for number, display in enumerate(names.displays):
        tip = "The config's default display" if number == 0 else display
        add_choice(menu, display, tip, display == shown, partial(colour.choose_view, display, ""))


def fill_views(colour: Colour, menu: QMenu) -> None:
    """Fill a menu with the views of the current display."""
    names = colour.names
    if names is None:
        menu.addAction("Reading the config…").setEnabled(False)
        return
    display, shown = colour.shown
    for view in names.displays.get(display, ()):
        choose = partial(colour.choose_view, display, view.name)
        add_choice(menu, view.name, view.description or view.name, view.name == shown, choose)


def fill_looks(colour: Colour, menu: QMenu) -> None:
    """Fill a menu with the default looks of the view, none, and the looks of the config."""
    names, chosen = colour.names, colour.viewing.looks
    own = ("", "Looks that the config defines for the view")
    none = (NO_LOOKS, "Apply no looks")
    found = [(look.name, look.description) for look in names.looks] if names is not None else []
    for name, tip in (own, none, *found):
        add_choice(menu, looks_text(name), tip, name == chosen, partial(colour.choose_looks, name))


def fill_view_menu(colour: Colour, actions: Mapping[str, QAction], menu: QMenu) -> None:
    """Fill a menu with the views of the display, and submenus of displays and looks."""
    if not colour.managed.converts:
        line = menu.addAction("The image's colour space is unknown: set it in the Colour panel")
        line.triggered.connect(lambda: actions["panel_colour"].trigger())
        return
    fill_views(colour, menu)
    menu.addSeparator()
    displays, looks = menu.addMenu("Display"), menu.addMenu("Looks")
    for inner in (displays, looks):
        inner.setToolTipsVisible(True)
    fill_displays(colour, displays)
    fill_looks(colour, looks)
