"""Every command of the window, its words and its keys, in one table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QMainWindow, QMenu

from app.style import icon


@dataclass(frozen=True)
class Command:
    """`name` is how the code calls it; `menu` where it is found; `group` makes one of several checked at most."""

    name: str
    menu: str
    text: str
    tip: str
    keys: tuple[str, ...] = ()
    icon: str = ""
    checkable: bool = False
    group: str = ""


SEPARATOR = "-"

COMMANDS: tuple[Command | str, ...] = (
    Command("open", "&File", "&Open picture…", "Open a picture file", ("Ctrl+O",), "open"),
    Command(
        "export", "&File", "&Export picture…", "Write the graded picture at full resolution", ("Ctrl+E",), "export"
    ),
    SEPARATOR,
    Command("new_grade", "&File", "&New grade", "Start again with a grade that changes nothing", ("Ctrl+N",)),
    Command("open_grade", "&File", "Open &grade…", "Open a saved grade (.json)", ("Ctrl+Shift+O",)),
    Command("save_grade", "&File", "&Save grade", "Save the grade (.json)", ("Ctrl+S",), "save"),
    Command("save_grade_as", "&File", "Save grade &as…", "Save the grade under another name", ("Ctrl+Shift+S",)),
    SEPARATOR,
    Command("import_cdl", "&File", "&Import CDL…", "Put the values of a .cc, .ccc or .cdl into the CDL", ("Ctrl+I",)),
    Command("export_cdl", "&File", "Export &CDL…", "Write the grade as a .cc, .ccc or .cdl", ("Ctrl+Shift+E",)),
    SEPARATOR,
    Command("quit", "&File", "&Quit", "Close Tessera", ("Ctrl+Q",)),
    Command("undo", "&Edit", "&Undo", "Take back the last change of the grade", ("Ctrl+Z",), "undo"),
    Command("redo", "&Edit", "&Redo", "Make the change again", ("Ctrl+Shift+Z", "Ctrl+Y"), "redo"),
    SEPARATOR,
    Command("add_look", "&Edit", "Add &LUT or CDL file…", "Add LUT, CDL or CLF files to the grade", ("Ctrl+L",), "add"),
    Command("fit", "&View", "&Fit", "Show the whole picture", ("F",), "fit"),
    Command("actual", "&View", "&1:1", "One picture pixel on one screen pixel", ("1",), "actual-size"),
    Command("zoom_in", "&View", "Zoom &in", "Show the picture larger", ("+", "=")),
    Command("zoom_out", "&View", "Zoom &out", "Show the picture smaller", ("-",)),
    SEPARATOR,
    Command(
        "compare",
        "&View",
        "&Show the source",
        "Compare: show the picture before the grade",
        ("\\", "C"),
        "compare",
        True,
    ),
    SEPARATOR,
    Command("red", "&View", "&Red", "Show the red channel; again shows colour", ("R",), "", True, "channel"),
    Command("green", "&View", "&Green", "Show the green channel; again shows colour", ("G",), "", True, "channel"),
    Command("blue", "&View", "&Blue", "Show the blue channel; again shows colour", ("B",), "", True, "channel"),
    Command("alpha", "&View", "&Alpha", "Show the alpha channel; again shows colour", ("A",), "", True, "channel"),
    Command("luma", "&View", "&Luma", "Show Rec.709 luma; again shows colour", ("L",), "", True, "channel"),
    SEPARATOR,
    Command("view_darker", "&View", "View &darker", "View exposure down half a stop; exports keep theirs", ("[",)),
    Command("view_brighter", "&View", "View &brighter", "View exposure up half a stop; exports keep theirs", ("]",)),
    Command("view_reset", "&View", "Reset view e&xposure", "View exposure back to 0 EV", ("Ctrl+0",)),
    Command("keys", "&Help", "&Keys and gestures", "What the keys and the mouse do", ("F1",)),
)


def make_actions(window: QMainWindow) -> dict[str, QAction]:
    """The window's actions by name, in its menu bar."""
    actions: dict[str, QAction] = {}
    groups: dict[str, QActionGroup] = {}
    menus: dict[str, QMenu] = {}
    menu: QMenu | None = None
    for command in COMMANDS:
        if isinstance(command, str):
            assert menu is not None
            menu.addSeparator()
            continue
        if command.menu not in menus:
            menus[command.menu] = window.menuBar().addMenu(command.menu)
            menus[command.menu].setToolTipsVisible(True)
        menu = menus[command.menu]
        action = actions[command.name] = _action(command, window)
        if command.group:
            _grouped(groups, command.group, window).addAction(action)
        menu.addAction(action)
    return actions


def connect_actions(actions: dict[str, QAction], calls: dict[str, Callable[[], object]]) -> None:
    """Call `calls[name]` when an action is triggered."""
    for name, call in calls.items():
        actions[name].triggered.connect(lambda _checked=False, call=call: call())


def _action(command: Command, window: QMainWindow) -> QAction:
    action = QAction(command.text, window)
    action.setObjectName(command.name)
    action.setShortcuts([QKeySequence(key) for key in command.keys])
    action.setCheckable(command.checkable)
    if command.icon:
        action.setIcon(icon(command.icon))
    shown = QKeySequence(command.keys[0]).toString(QKeySequence.SequenceFormat.NativeText) if command.keys else ""
    action.setToolTip(f"{command.tip} ({shown})" if shown else command.tip)
    action.setStatusTip(command.tip)
    return action


def _grouped(groups: dict[str, QActionGroup], name: str, window: QMainWindow) -> QActionGroup:
    if name not in groups:
        groups[name] = QActionGroup(window)
        groups[name].setExclusionPolicy(QActionGroup.ExclusionPolicy.ExclusiveOptional)
    return groups[name]
