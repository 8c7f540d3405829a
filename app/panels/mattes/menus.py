"""The menus of a matte: its sources by family, and the commands on its nodes."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QPoint
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget

FAMILIES = {
    "Windows": {
        "Ellipse": "Ellipse",
        "Rectangle": "Rectangle",
        "Path": "Path",
        "LinearGradient": "Linear gradient",
        "RadialGradient": "Radial gradient",
    },
    "Qualifiers": {"HslQualifier": "HSL qualifier", "Key3d": "3D key"},
    "Channels": {
        "ChannelRange": "Channel",
        "LumaRange": "Luma of a layer",
        "DepthRange": "Depth",
        "PositionBox": "Position in a box",
        "PositionSphere": "Position in a sphere",
        "NormalFacing": "Normal",
        "ObjectIds": "Object IDs",
    },
    "Cryptomatte": {"Cryptomatte": "Cryptomatte"},
    "Images": {"ImageMatte": "Image"},
}
"""The families of sources, in the order of menus: the titles of the sources by their class names.

The classes know both, but menus are made before the first image, which does not wait until all of them are loaded.
"""
TITLES = {name: title for family in FAMILIES.values() for name, title in family.items()}
WINDOWS = tuple(FAMILIES["Windows"])
"""The class names of the sources that can be drawn on the image."""
NODE_COMMANDS = (
    "matte_node_bypass",
    "matte_node_invert",
    "matte_node_duplicate",
    "matte_node_up",
    "matte_node_down",
    "matte_node_in",
    "matte_node_out",
    "",
    "matte_union",
    "matte_intersection",
    "matte_subtraction",
    "matte_unwrap",
    "matte_node_remove",
    "",
    "matte_invert",
    "matte_copy",
    "matte_paste",
    "matte_clear",
)
"""The commands in the menu of a matte; '' separates."""


def command_of(source: str) -> str:
    """Return the name of the command that adds a source."""
    return f"matte_add_{source.lower()}"


def command_to_draw(source: str) -> str:
    """Return the name of the command that draws a window on the image."""
    return f"matte_draw_{source.lower()}"


def show_sources(owner: QWidget, actions: Mapping[str, QAction], where: QPoint | None = None) -> None:
    """Show the menu of sources at a global position, by default in the middle of a widget."""
    menu = QMenu(owner)
    fill_sources(menu, actions)
    menu.aboutToHide.connect(menu.deleteLater)
    menu.popup(where or owner.mapToGlobal(owner.rect().center()))


def fill_sources(menu: QMenu, actions: Mapping[str, QAction]) -> None:
    """Add the commands that add sources, with a line between families, draw windows, and paste a matte."""
    menu.setToolTipsVisible(True)
    for family in FAMILIES.values():
        for name in family:
            menu.addAction(actions[command_of(name)])
        menu.addSeparator()
    drawing = menu.addMenu("Draw on the image")
    drawing.setToolTipsVisible(True)
    for name in WINDOWS:
        drawing.addAction(actions[command_to_draw(name)])
    menu.addAction(actions["matte_paste"])
