"""Menus of OpenColorIO configs, and of the colour spaces of one."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QFileDialog, QMenu

from app.panels.picker import add_choice, open_at_choice
from app.widgets.showing import ask

if TYPE_CHECKING:
    from engine.ocio.config_parts import Family

CONFIG_FILTER = "OpenColorIO configs (*.ocio *.ocioz);;All files (*)"


def fill_configs(menu: QMenu, builtin: dict[str, str], chosen: str, choose: Callable[[str], object]) -> None:
    """Fill a menu with the default config, the built-in configs, none, and a file to choose."""

    def browse() -> None:
        dialog = QFileDialog(menu.window().parentWidget(), "Choose an OpenColorIO config", "", CONFIG_FILTER)
        dialog.fileSelected.connect(choose)
        ask(dialog)

    add_choice(
        menu, "Default", "The config of the preferences, else $OCIO, else the newest", not chosen, partial(choose, "")
    )
    menu.addSeparator()
    for name, about in builtin.items():
        add_choice(menu, about or name, name, chosen == name, partial(choose, name))
    add_choice(
        menu,
        "None: no colour management",
        "Grade the values as they are; converts nothing",
        chosen == "raw",
        partial(choose, "raw"),
    )
    menu.addSeparator()
    menu.addAction("Choose a file…").triggered.connect(lambda _checked: browse())


def add_family(menu: QMenu, family: Family, chosen: str, choose: Callable[[str], object]) -> None:
    """Add the colour spaces of a family and submenus for its subfamilies, which are filled when they open.

    The default item of a menu is the submenu that holds the chosen space.
    """
    for space in family.spaces:
        tip = space.description.strip().split("\n\n")[0] or space.name
        add_choice(menu, space.name, tip, space.name == chosen, partial(choose, space.name))
    for inner in family.families:
        submenu = menu.addMenu(inner.name.replace("&", "&&"))
        submenu.setToolTipsVisible(True)
        submenu.aboutToShow.connect(partial(_fill_once, submenu, inner, chosen, choose))
        open_at_choice(submenu)
        if _holds(inner, chosen):
            menu.setDefaultAction(submenu.menuAction())


def _holds(family: Family, name: str) -> bool:
    return any(space.name == name for space in family.spaces) or any(_holds(each, name) for each in family.families)


def _fill_once(menu: QMenu, family: Family, chosen: str, choose: Callable[[str], object]) -> None:
    if menu.isEmpty():
        add_family(menu, family, chosen, choose)
