"""Context menus, made from the actions and buttons that are there already."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QPoint
from PySide6.QtGui import QAction, QContextMenuEvent
from PySide6.QtWidgets import QAbstractButton, QApplication, QMenu, QWidget


def show_menu(owner: QWidget, entries: Iterable[QAction | QAbstractButton | None], where: QPoint) -> QMenu:
    """Show a menu at a global position. A button has an item that clicks it, unless it is hidden; None separates."""
    menu = QMenu(owner)
    menu.setToolTipsVisible(True)
    for entry in entries:
        if entry is None:
            menu.addSeparator()
        elif isinstance(entry, QAction):
            menu.addAction(entry)
        elif not entry.isHidden():
            menu.addAction(_click(entry, menu))
    menu.aboutToHide.connect(menu.deleteLater)
    menu.popup(where)
    return menu


def show_context_menu() -> None:
    """Ask the widget that has the focus for its context menu, as the menu key does."""
    focus = QApplication.focusWidget()
    if focus is not None:
        place = focus.rect().center()
        reason = QContextMenuEvent.Reason.Keyboard
        QApplication.sendEvent(focus, QContextMenuEvent(reason, place, focus.mapToGlobal(place)))


def _click(button: QAbstractButton, menu: QMenu) -> QAction:
    """Return an action that has the name and state of a button and clicks it."""
    action = QAction(button.accessibleName().replace("&", "&&"), menu)
    action.setToolTip(button.toolTip())
    action.setIcon(button.icon())
    action.setEnabled(button.isEnabled())
    action.setCheckable(button.isCheckable())
    action.setChecked(button.isChecked())
    action.triggered.connect(button.click)
    return action
