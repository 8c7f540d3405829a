"""Menus of displays, views and looks for the toolbar and the Colour panel."""

from __future__ import annotations

from functools import partial

from PySide6.QtWidgets import QMenu

from app.panels.picker import add_choice
from app.workspace import Workspace

NO_LOOKS = "none"
"""`engine.ocio.config.NO_LOOKS`, without loading OpenColorIO."""


def looks_text(looks: str) -> str:
    """Return the label of the chosen looks."""
    return {"": "Looks of the view", NO_LOOKS: "None"}.get(looks, looks)


def fill_displays(workspace: Workspace, menu: QMenu) -> None:
    """Fill a menu with the displays of the config. A new display starts with its default view."""
    names = workspace.colour.names
    if names is None:
        menu.addAction("Reading the config…").setEnabled(False)
        return
    shown, _ = workspace.colour.shown
    for number, display in enumerate(names.displays):
        tip = "The config's default display" if number == 0 else display
        add_choice(menu, display, tip, display == shown, partial(workspace.colour.choose_view, display, ""))


def fill_views(workspace: Workspace, menu: QMenu) -> None:
    """Fill a menu with the views of the current display."""
    names = workspace.colour.names
    if names is None:
        menu.addAction("Reading the config…").setEnabled(False)
        return
    display, shown = workspace.colour.shown
    for view in names.displays.get(display, ()):
        choose = partial(workspace.colour.choose_view, display, view.name)
        add_choice(menu, view.name, view.description or view.name, view.name == shown, choose)


def fill_looks(workspace: Workspace, menu: QMenu) -> None:
    """Fill a menu with the default looks of the view, none, and the looks of the config."""
    names, chosen = workspace.colour.names, workspace.view.looks
    own = ("", "Looks that the config defines for the view")
    none = (NO_LOOKS, "Apply no looks")
    found = [(look.name, look.description) for look in names.looks] if names is not None else []
    for name, tip in (own, none, *found):
        add_choice(menu, looks_text(name), tip, name == chosen, partial(workspace.set_view, looks=name))


def fill_view_menu(workspace: Workspace, menu: QMenu) -> None:
    """Fill a menu with the views of the display, and submenus of displays and looks."""
    if not workspace.colour.managed.converts:
        line = menu.addAction("The image's colour space is unknown: set it in the Colour panel")
        line.triggered.connect(lambda: workspace.actions["panel_colour"].trigger())
        return
    fill_views(workspace, menu)
    menu.addSeparator()
    for title, fill in (("Display", fill_displays), ("Looks", fill_looks)):
        inner = menu.addMenu(title)
        inner.setToolTipsVisible(True)
        fill(workspace, inner)
