"""The context menus of the image and its tabs: commands that are in the menu bar as well."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QWidget

from app.actions.build import Menus
from app.canvas.canvas import Canvas
from app.shell.tabs import Tabs
from app.widgets.context_menu import show_menu

CANVAS = (
    ("fit", "actual"),
    ("view_as_exported", "compare", "wipe", "split", "difference"),
    ("&View/&Channel", "&View/&Overlays", "&View/&Probes"),
    ("keep_version", "copy_grade", "paste"),
    ("clean", "full_screen"),
    ("open", "export"),
)
"""Groups of commands, and of submenus of the menu bar."""
NO_IMAGE = (("open", "open_session", "last_session"), ("clean", "full_screen"))
TAB = (("save_grade", "save_grade_as"), ("export", "export_look"), ("save_session",), ("close_tab",))


class ContextMenus:
    """Shows them on a right click and on the menu key."""

    def __init__(self, canvas: Canvas, tabs: Tabs, actions: Mapping[str, QAction], menus: Menus) -> None:
        self._canvas, self._tabs, self._actions, self._menus = canvas, tabs, actions, menus
        for widget, show in ((canvas, self._show_canvas), (tabs, self._show_tab)):
            widget.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
            widget.customContextMenuRequested.connect(show)

    def _show_canvas(self, place: QPoint) -> None:
        self._show(self._canvas, CANVAS if self._canvas.viewport is not None else NO_IMAGE, place)

    def _show_tab(self, place: QPoint) -> None:
        """Show the menu of the tab at a place, which becomes the current one; else that of the current one."""
        at = self._tabs.tabAt(place)
        if at >= 0:
            self._tabs.setCurrentIndex(at)
        self._show(self._tabs, TAB, place)

    def _show(self, owner: QWidget, groups: tuple[tuple[str, ...], ...], place: QPoint) -> None:
        entries: list[QAction | None] = []
        for group in groups:
            entries += [*([None] if entries else []), *map(self._entry, group)]
        show_menu(owner, entries, owner.mapToGlobal(place))

    def _entry(self, name: str) -> QAction:
        """Return the action of a command or of a submenu."""
        return self._menus.menu(name).menuAction() if name.startswith("&") else self._actions[name]
