"""Context menus, by the mouse and by keys: made of commands and buttons that are there already."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QPoint
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QApplication, QMenu, QWidget

from app.model.versions import Version
from app.panels.versions import VersionsPanel
from app.shell.main_window import MainWindow
from engine import ops
from tests.app.hands import SHIFT, Key


def menu_at(widget: QWidget, place: QPoint | None = None) -> QMenu:
    """Right-click a widget and return the menu that opens."""
    place = place or widget.rect().center()
    reason = QContextMenuEvent.Reason.Mouse
    QApplication.sendEvent(widget, QContextMenuEvent(reason, place, widget.mapToGlobal(place)))
    return shown_menu()


def shown_menu() -> QMenu:
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    return menu


def texts(menu: QMenu) -> list[str]:
    return [action.text().replace("&", "") for action in menu.actions() if not action.isSeparator()]


def choose(menu: QMenu, text: str) -> None:
    action = next(each for each in menu.actions() if each.text().replace("&", "") == text)
    menu.close()
    action.trigger()


def test_the_image_offers_its_commands(opened: MainWindow, qtbot: Any):
    menu = menu_at(opened.canvas)
    assert {"Fit", "Wipe", "Channel", "Probes", "Keep as version", "Export image…"} <= set(texts(menu))
    choose(menu, "Wipe")
    assert opened.workspace.view.compare == "wipe"
    opened.canvas.setFocus()
    qtbot.keyClick(opened.canvas, Key.Key_F10, SHIFT)
    menu = shown_menu()
    assert next(a for a in menu.actions() if a.text() == "&Wipe").isChecked()
    menu.close()
    opened.actions_by_name["close_tab"].trigger()
    menu = menu_at(opened.canvas)
    assert texts(menu)[:2] == ["Open images…", "Open session…"]
    menu.close()


def test_the_menu_of_a_tab_is_about_its_image(kept: MainWindow, qtbot: Any):
    menu = menu_at(kept.tabs, kept.tabs.tabRect(0).center())
    assert kept.document.name == "one.exr"
    choose(menu, "Close image")
    assert [each.name for each in kept.workspace.documents] == ["two.exr"]
    check_the_menu_of_a_version(kept, qtbot)


def check_the_menu_of_a_version(opened: MainWindow, qtbot: Any) -> None:
    """A version offers what its buttons do."""
    panel = opened.workspace.show_panel("versions")
    assert isinstance(panel, VersionsPanel)
    opened.document.keep_version("warm")
    opened.document.edit_entry(0, ops.Exposure(2.0), "exposure")
    row = panel.rows[0]
    menu = menu_at(row)
    assert texts(menu) == ["Show warm", "warm as A", "warm as B", "Update warm", "Remove warm"]
    choose(menu, "Show warm")
    assert opened.document.grade == opened.document.versions["warm"].grade
    row.remove.setFocus()
    qtbot.keyClick(row.remove, Key.Key_F10, SHIFT)
    choose(shown_menu(), "Remove warm")
    found: list[Version] = list(opened.document.versions.items)
    assert found == []
