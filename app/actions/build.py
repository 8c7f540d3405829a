"""Build menus and actions from the tables of commands."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMainWindow, QMenu

from app.actions.command import SEPARATOR, Command, Table
from app.model.view_state import ViewState
from app.widgets.style import icon
from app.workspace import Workspace

KEYS = "keys"
"""The setting for shortcuts that the user has changed: a list of keys per command name."""
_DEFAULTS = {field.name: field.default for field in fields(ViewState)}


class Menus:
    """The menu bar of a window. A path such as "&View/&Channel" names a submenu."""

    def __init__(self, window: QMainWindow, order: Iterable[str]) -> None:
        self._window, self._order = window, list(order)
        self._menus: dict[str, QMenu] = {}

    def menu(self, path: str) -> QMenu:
        """Return the menu at a path; create it on first use."""
        if path not in self._menus:
            parent, _, name = path.rpartition("/")
            self._menus[path] = made = self.menu(parent).addMenu(name) if parent else self._top(name)
            made.setToolTipsVisible(True)
            made.menuAction().setObjectName("menu")
        return self._menus[path]

    def begin(self, path: str, used: set[str]) -> QMenu:
        """Return the menu at a path, with a separator after the commands of other areas.

        `used` holds the paths that this area has used so far.
        """
        menu = self.menu(path)
        if path not in used and not menu.isEmpty():
            menu.addSeparator()
        used.add(path)
        return menu

    def _top(self, name: str) -> QMenu:
        bar = self._window.menuBar()
        later = self._order[self._order.index(name) + 1 :]
        before = next((self._menus[each].menuAction() for each in later if each in self._menus), None)
        menu = QMenu(name, bar)
        bar.insertMenu(before, menu) if before else bar.addMenu(menu)
        return menu


def make_actions(workspace: Workspace, window: QMainWindow, menus: Menus, areas: Iterable[Table]) -> None:
    """Create an action for each command, with its menu and keys; `workspace.actions` has all actions by name."""
    changed = workspace.settings.get(KEYS, dict[str, list[str]](), list[str])
    for area in areas:
        used: set[str] = set()
        last = ""
        for command in area:
            if isinstance(command, str):
                if command != SEPARATOR:
                    menus.begin(command.rpartition("/")[0], used)
                    menus.menu(command)
                elif last:
                    menus.menu(last).addSeparator()
                continue
            menu = menus.begin(command.menu, used)
            last = command.menu
            action = _action(command, changed.get(command.name, command.keys), workspace, window)
            workspace.actions[command.name] = action
            menu.addAction(action)
    _follow(workspace, [command for area in areas for command in area if isinstance(command, Command)])


def key_owner(actions: Mapping[str, QAction], key: str) -> str:
    """Return the name of the command that a key is assigned to, or ''."""
    wanted = QKeySequence(key)
    return next((name for name, action in actions.items() if wanted in action.shortcuts()), "")


def set_keys(action: QAction, keys: Iterable[str]) -> None:
    """Assign other keys to an action."""
    action.setShortcuts([QKeySequence(key) for key in keys])
    show_keys(action, action.statusTip())


def show_keys(action: QAction, tip: str) -> None:
    """Set the tooltip and the status tip of an action; the tooltip includes its first key."""
    keys = action.shortcuts()
    shown = keys[0].toString(QKeySequence.SequenceFormat.NativeText) if keys else ""
    action.setToolTip(f"{tip} ({shown})" if shown else tip)
    action.setStatusTip(tip)


def _action(command: Command, keys: Iterable[str], workspace: Workspace, window: QMainWindow) -> QAction:
    action = QAction(command.text, window)
    action.setObjectName(command.name)
    action.setShortcuts([QKeySequence(key) for key in keys])
    action.setCheckable(command.checkable or command.view is not None)
    if command.where == "canvas":
        action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        workspace.canvas.addAction(action)
    else:
        window.addAction(action)
    if command.icon:
        action.setIcon(icon(command.icon))
    show_keys(action, command.tip)
    action.triggered.connect(lambda checked: _run(command, workspace, checked))
    return action


def _run(command: Command, workspace: Workspace, checked: bool) -> None:
    if command.when is not None and not command.when(workspace):
        return  # another document is shown since the action was enabled
    if command.view is not None:
        field, value = command.view
        workspace.open_documents.view.set(**{field: value if checked else _DEFAULTS[field]})
    elif command.run is not None:
        command.run(workspace)


def _follow(workspace: Workspace, commands: list[Command]) -> None:
    """Keep the enabled and checked states of the actions in sync with the workspace."""
    documents, view = workspace.open_documents, workspace.open_documents.view
    conditions: dict[Callable[[Workspace], bool], list[QAction]] = {}  # many commands share one
    for command in commands:
        if command.when is not None:
            conditions.setdefault(command.when, []).append(workspace.actions[command.name])
    views = [(workspace.actions[c.name], c.view) for c in commands if c.view is not None]

    def enable() -> None:
        for when, actions in conditions.items():
            enabled = when(workspace)
            for action in actions:
                action.setEnabled(enabled)

    def check() -> None:
        for action, (field, value) in views:
            action.setChecked(getattr(view.state, field) == value)

    documents.current.switch.at_last(
        enable,
        documents.documents_changed,
        documents.current.image_changed,
        documents.current.history_changed,
        workspace.matte_selection.moved,
        workspace.tracking.changed,
        workspace.player.changed,
        workspace.space_question.changed,
        view.changed,
        workspace.stage.previewed_lut_changed,
        workspace.open_documents.stills.selected_changed,
    )
    view.changed.connect(check)
    enable()
    check()
