"""What hands do to the window, drawn by chance from the table MOVES."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSlider,
    QApplication,
    QComboBox,
    QDialog,
    QLineEdit,
    QMenu,
    QScrollBar,
    QWidget,
)

from app.actions.table import all_commands
from app.model.document_state import default_grade
from app.panels.add_menu import AddMenu
from app.services.event_loop import turn_queue
from app.shell.palette import Palette
from tests.app.hands import LEFT, drop, move, wheel
from tests.benchmarks.turns import Turns
from tools.monkey.loops import NestedLoops

SKIP = {"quit", "close_tab"}
"""Commands that would end the run, or its images too early; tabs are closed by a move of their own."""
TYPED = ("film", "exposure", "a", "12", "-0.5", "soft")
SOUGHT = ("undo", "wipe", "zoom", "panel", "version", "a", "reset", "scopes")
"""What is typed into the palette of commands."""
TABS = ("grade", "versions", "history", "looking", "probe", "colour")
"""Panels that are tabs of one dock."""
Key = Qt.Key
ARROWS = (Key.Key_Left, Key.Key_Right, Key.Key_Up, Key.Key_Down, Key.Key_Home, Key.Key_End)


class Hands:
    """Moves on a window, by chance. Each method that MOVES names is one; `turns` times what they set off."""

    def __init__(
        self, window: Any, turns: Turns, chance: random.Random, files: list[Path], frames: list[Path], looks: list[Path]
    ) -> None:
        """`files` are single images, `frames` those of a sequence, `looks` LUTs and CDLs."""
        self.window, self.workspace, self.turns = window, window.workspace, turns
        self.chance, self.files, self.frames, self.looks = chance, files, frames, looks
        self.spin = turns.spin
        self._loops = NestedLoops(window, turns, chance)

    def tidy(self) -> None:
        """Close dialogs and menus that the last move opened, and stop what plays."""
        self.workspace.player.stop()
        for widget in QApplication.topLevelWidgets():
            if widget.isVisible() and isinstance(widget, QDialog):
                self._call(widget.reject)
            elif widget.isVisible() and isinstance(widget, QMenu | AddMenu):
                self._call(widget.close)

    def give_all_commands(self) -> None:
        """Every command once; the warm-up does so."""
        for name, action in sorted(self.workspace.actions.items()):
            if action.isEnabled() and name not in SKIP:
                self._act(action)
                self.spin(0.03)
                self.tidy()

    # -- moves

    def command(self) -> None:
        """Any command that can be given."""
        actions = self.workspace.actions
        names = [name for name, action in sorted(actions.items()) if action.isEnabled() and name not in SKIP]
        self._act(actions[self.chance.choice(names)])

    def panel(self) -> None:
        """Show or hide a panel."""
        names = sorted(name for name in self.workspace.actions if name.startswith("panel_"))
        self._act(self.workspace.actions[self.chance.choice(names)])

    def raise_tab(self) -> None:
        """Another tab of the docks on the right."""
        self._say(name := self.chance.choice(TABS))
        self._call(self.window.docks.show, name)

    def view_option(self) -> None:
        """A command that changes how the image is looked at."""
        names = [command.name for command in all_commands() if command.view is not None]
        self._act(self.workspace.actions[self.chance.choice(names)])

    def zoom(self) -> None:
        """The wheel over the image."""
        for _ in range(self.chance.randint(1, 6)):
            notches = self.chance.choice((-2, -1, 1, 2))
            self._call(wheel, self.window.canvas, self._spot(self.window.canvas), notches)
            self.spin(0.01)

    def pan(self) -> None:
        """A drag of the image."""
        self._drag(self.window.canvas, self.chance.randint(-300, 300), self.chance.randint(-200, 200))

    def hover(self) -> None:
        """The cursor over the image."""
        for _ in range(8):
            self._call(move, self.window.canvas, self._spot(self.window.canvas))
            self.spin(0.01)

    def slider(self) -> None:
        """A drag of any slider that can be seen."""
        found = [w for w in self._seen(QAbstractSlider) if not isinstance(w, QScrollBar)]
        if found:
            self._drag(self.chance.choice(found), self.chance.randint(-60, 60), 0)

    def anywhere(self) -> None:
        """A drag on any panel: wheels, curves, scopes, the timeline, thumbnails."""
        inner = [widget for widget in self._in_panels() if min(widget.width(), widget.height()) > 40]
        if inner:
            self._drag(self.chance.choice(inner), self.chance.randint(-40, 40), self.chance.randint(-40, 40))

    def keys(self) -> None:
        """Arrow keys and the like on whatever has the focus, or on a panel's control."""
        inner = [widget for widget in self._in_panels() if widget.focusPolicy()]
        if inner and self.chance.random() < 0.7:
            self._call(self.chance.choice(inner).setFocus)
        for _ in range(self.chance.randint(1, 10)):
            self._key(QApplication.focusWidget() or self.window, self.chance.choice(ARROWS))

    def button(self) -> None:
        """Any button of a panel or bar."""
        found = [b for b in self._seen(QAbstractButton) if not (hasattr(b, "menu") and b.menu() is not None)]
        found = [b for b in found if "older" not in b.accessibleName() and "Close image" not in b.accessibleName()]
        if found:
            button = self.chance.choice(found)
            self._say(button.accessibleName())
            self._call(QTest.mouseClick, button, LEFT)

    def menu(self) -> None:
        """A line of the menu of any button that has one."""
        found = [b.menu() for b in self._seen(QAbstractButton) if hasattr(b, "menu") and b.menu() is not None]
        menu = self.chance.choice(found) if found else None
        while menu is not None:
            self._call(menu.aboutToShow.emit)
            lines = [action for action in menu.actions() if action.isEnabled() and not action.isSeparator()]
            if not lines:
                return
            line = self.chance.choice(lines)
            menu = line.menu()
            if menu is None:
                self._act(line)

    def choice(self) -> None:
        """A line of any combo box."""
        found = [box for box in self._seen(QComboBox) if box.count()]
        if found:
            box = self.chance.choice(found)
            self._say(box.accessibleName())
            self._call(_choose, box, self.chance.randrange(box.count()))

    def type_text(self) -> None:
        """Words in any field."""
        found = [line for line in self._seen(QLineEdit) if not line.isReadOnly()]
        if found:
            self._type(self.chance.choice(found), self.chance.choice(TYPED))

    def resize(self) -> None:
        self._call(self.window.resize, self.chance.randint(1024, 1800), self.chance.randint(600, 1100))

    def open(self) -> None:
        """An image, by its name."""
        if len(self.workspace.documents) < 5:
            self._call(self.workspace.files.open_image, self.chance.choice([*self.files, self.frames[0]]))

    def drop(self) -> None:
        """A LUT or CDL, on the image."""
        self._call(drop, self.window.canvas, self.chance.choice(self.looks))

    def tab(self) -> None:
        """Another of the open images."""
        self._call(self.workspace.open_documents.show, self.chance.choice(self.workspace.documents))

    def close_tab(self) -> None:
        if len(self.workspace.documents) > 2:
            self._call(self.workspace.open_documents.close, self.chance.choice(self.workspace.documents))

    def new_grade(self) -> None:
        """A short grade again, so that it does not grow for ever."""
        self._call(self.workspace.document.open_grade, default_grade(), None)

    def history(self) -> None:
        """Undo a few steps, and perhaps do them again."""
        count = self.chance.randint(1, 5)
        for name in ["undo"] * count + ["redo"] * self.chance.randint(0, count):
            self._act(self.workspace.actions[name])
            self.spin(0.02)

    def palette(self) -> None:
        """A command by a few of its letters."""
        self._act(self.workspace.actions["palette"])
        self.spin(0.05)
        shown = next((each for each in self.window.findChildren(Palette) if each.isVisible()), None)
        if shown is not None:
            self._type(shown.field, self.chance.choice(SOUGHT), enter=False)
            if shown.shown and shown.shown[0].objectName() not in SKIP:
                self._key(shown.field, Key.Key_Return)

    def versions(self) -> None:
        """Keep versions and go between them."""
        self._act(self.workspace.actions["keep_version"])
        for _ in range(self.chance.randint(0, 4)):
            self._act(self.workspace.actions["versions_ab"])
            self.spin(0.05)

    def play(self) -> None:
        """Play the sequence for a moment, or step through it."""
        if self.workspace.player.clip is None:
            self._call(self.workspace.files.open_image, self.frames[0])
            self.spin(0.3)
        self._act(self.workspace.actions[self.chance.choice(("play", "next_frame", "last_frame"))])
        self.spin(self.chance.uniform(0.2, 1.0))

    def flip(self) -> None:
        """The arrow keys on the wall of looks."""
        self._call(self.window.docks.show, "looks")
        wall = self.window.docks.docks["looks"].panel
        for _ in range(self.chance.randint(1, 8)):
            self._key(wall.list, self.chance.choice(ARROWS))
            self.spin(self.chance.choice((0.01, 0.1)))
        self._key(wall.list, self.chance.choice((Key.Key_Return, Key.Key_Escape, Key.Key_Escape)))

    def add(self) -> None:
        """An operation from the menu of them: curves, wheels, what there is."""
        self._call(self.window.docks.show, "grade")
        self._act(self.workspace.actions["add_operation"])
        menu = self.window.panel.footer.op_menu
        for _ in range(self.chance.randint(0, 12)):
            self._key(menu.search, Key.Key_Down)
        self._key(menu.search, Key.Key_Return)

    # -- how

    def _call(self, work: Callable[..., object], *args: Any) -> None:
        """Something that a user does, as a turn of its own."""
        self.turns.call(_as_input, work, *args)

    def _say(self, what: str) -> None:
        self.turns.doing = f"{self.turns.doing} {what}".strip()

    def _act(self, action: Any) -> None:
        self._say(action.objectName() or action.text())
        self._call(action.trigger)

    def _key(self, widget: QWidget, key: Qt.Key) -> None:
        self._call(QTest.keyClick, widget, key)
        self.spin(0.01)

    def _type(self, line: QLineEdit, text: str, enter: bool = True) -> None:
        self._say(line.accessibleName())
        self._call(line.setFocus)
        self._call(line.selectAll)
        for letter in text:
            self._call(QTest.keyClicks, line, letter)
            self.spin(0.01)
        if enter:
            self._key(line, Key.Key_Return)

    def _in_panels(self) -> list[QWidget]:
        """What the panels show."""
        docks = [dock for dock in self.window.docks.docks.values() if not dock.visibleRegion().isEmpty()]
        return [widget for dock in docks for widget in dock.panel.findChildren(QWidget) if self._can(widget)]

    def _seen(self, kind: type[Any]) -> list[Any]:
        """The window's controls of a kind that a mouse could reach, but for dialogs."""
        return [w for w in self.window.findChildren(kind) if self._can(w) and w.window() is self.window]

    @staticmethod
    def _can(widget: Any) -> bool:
        return bool(widget.isEnabled() and widget.isVisible() and not widget.visibleRegion().isEmpty())

    def _spot(self, widget: Any) -> QPoint:
        return QPoint(self.chance.randrange(max(1, widget.width())), self.chance.randrange(max(1, widget.height())))

    def _drag(self, widget: Any, dx: int, dy: int) -> None:
        start, nothing = self._spot(widget), Qt.KeyboardModifier.NoModifier
        self._say(widget.accessibleName() or type(widget).__name__)
        acted = self._loops.acted
        self._call(QTest.mousePress, widget, LEFT, nothing, start)
        for step in range(1, 13):
            if not self._can(widget) or self._loops.acted > acted:  # dropped, or a menu opened and is closed
                return
            self._call(move, widget, start + QPoint(dx * step // 12, dy * step // 12), LEFT)
            self.spin(0.012)
        self._call(QTest.mouseRelease, widget, LEFT, nothing, start + QPoint(dx, dy))


def _as_input(work: Callable[..., object], *args: Any) -> None:
    """Do what the window does before it handles input, which the events of QTest pass by, and then `work`."""
    turn_queue().prepare_input()
    work(*args)


def _choose(box: QComboBox, line: int) -> None:
    box.setCurrentIndex(line)
    box.activated.emit(line)
    box.textActivated.emit(box.currentText())


MOVES: tuple[tuple[int, Callable[[Hands], None]], ...] = (
    (10, Hands.slider),
    (8, Hands.zoom),
    (6, Hands.pan),
    (4, Hands.hover),
    (6, Hands.command),
    (4, Hands.panel),
    (4, Hands.raise_tab),
    (6, Hands.view_option),
    (5, Hands.anywhere),
    (6, Hands.keys),
    (4, Hands.button),
    (3, Hands.menu),
    (3, Hands.choice),
    (2, Hands.type_text),
    (2, Hands.resize),
    (2, Hands.open),
    (2, Hands.drop),
    (4, Hands.tab),
    (1, Hands.close_tab),
    (2, Hands.new_grade),
    (4, Hands.history),
    (2, Hands.palette),
    (2, Hands.versions),
    (2, Hands.play),
    (3, Hands.flip),
    (3, Hands.add),
)
