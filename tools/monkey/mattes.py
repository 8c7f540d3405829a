"""What hands do to mattes: sources of all kinds, drawn, picked, dragged on the image, and edited in the Grade panel."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QAbstractSlider, QComboBox, QLineEdit, QMenu, QWidget

from app.model.entries import name_of
from app.panels.mattes.menus import NODE_COMMANDS, command_of
from app.panels.mattes.node_row import NodeTitle
from app.panels.mattes.section import MatteSection
from engine.mattes.source import SOURCES
from tests.app.hands import ALT, CTRL, LEFT, SHIFT, move
from tools.monkey.hands import ARROWS, Hands

Key = Qt.Key
NONE = Qt.KeyboardModifier.NoModifier
VIEWS = ("matte_alone", "matte_overlay", "matte_cutout", "inside_matte")
CLIPBOARD = ("matte_copy", "matte_paste", "copy_entry", "paste")
GROUPING = ("group", "group", "ungroup", "entry_up", "entry_down", "entry_duplicate")
ON_CANVAS = (Key.Key_Insert, Key.Key_Delete, Key.Key_Backspace, Key.Key_Return)
ON_NODES = (
    (Key.Key_Up, NONE),
    (Key.Key_Down, NONE),
    (Key.Key_Space, NONE),
    (Key.Key_I, NONE),
    (Key.Key_D, CTRL),
    (Key.Key_Delete, NONE),
    (Key.Key_Up, ALT),
    (Key.Key_Down, ALT),
    (Key.Key_Left, ALT),
    (Key.Key_Right, ALT),
)
"""Keys of the selected node of a tree."""
NAMES = ("*", "Sphere*", "1, 2", "Z", "R, G, B", "none")
"""What is typed into the fields of sources."""


class MatteHands(Hands):
    """Moves on mattes too. Each method that MATTE_MOVES names is one."""

    # -- moves

    def matte_add(self) -> None:
        """A source of any kind; one that is drawn or picked then is so, or the move is broken off."""
        self._call(self.window.docks.show, "grade")
        self._give(command_of(self.chance.choice(sorted(SOURCES))))
        self._on_canvas()

    def matte_draw(self) -> None:
        """A window of any kind, drawn on the image."""
        self._give(self.chance.choice([name for name in self.workspace.actions if name.startswith("matte_draw_")]))
        self._on_canvas()

    def matte_pick(self) -> None:
        """Colours or objects of the selected source."""
        self._give("matte_pick")
        self._on_canvas()

    def matte_drag(self) -> None:
        """A drag of a handle of the selected window, or of the window itself."""
        canvas, handles = self.window.canvas, self._handles()
        if handles:
            start = self.chance.choice(handles)
            to = start + QPoint(self.chance.randint(-150, 150), self.chance.randint(-100, 100))
            held = self.chance.choice((NONE, NONE, SHIFT, ALT))
            self._say("handle")
            self._stroke(canvas, [start, to], held, escape=self.chance.random() < 0.1)

    def matte_keys(self) -> None:
        """Keys of the selected window: other handles, nudges, vertices."""
        canvas = self.window.canvas
        self._call(canvas.setFocus)
        for _ in range(self.chance.randint(1, 8)):
            key = self.chance.choice((*ARROWS, *ARROWS, *ON_CANVAS))
            self._press(canvas, key, self.chance.choice((NONE, NONE, SHIFT, CTRL)))

    def matte_values(self) -> None:
        """A control of a matte that is open: a drag of a slider, a button, a choice, a name."""
        control = self._choose_of(self._of_mattes((QAbstractSlider, QAbstractButton, QComboBox, QLineEdit)))
        if isinstance(control, QAbstractSlider):
            self._drag(control, self.chance.randint(-60, 60), 0)
        elif isinstance(control, QAbstractButton):
            self._say(control.accessibleName())
            self._call(QTest.mouseClick, control, LEFT)
        elif isinstance(control, QComboBox):
            self._say(control.accessibleName())
            self._key(control, self.chance.choice((Key.Key_Up, Key.Key_Down)))
        elif control is not None and not control.isReadOnly():
            self._type(control, self.chance.choice((*NAMES, "0.2", "120")))

    def matte_nodes(self) -> None:
        """A node of the tree: its keys, a drag of it, or a command on it."""
        title = self._choose_of(self._of_mattes((NodeTitle,)))
        if title is None:
            return
        how = self.chance.random()
        if how < 0.3:
            self._drag(title, self.chance.randint(-10, 30), self.chance.randint(-80, 80))
            return
        self._say(title.accessibleName())
        self._call(QTest.mouseClick, title, LEFT)
        if how < 0.6:
            self._give(self.chance.choice([name for name in NODE_COMMANDS if name]))
        else:
            self._press(title, *self.chance.choice(ON_NODES))

    def matte_view(self) -> None:
        """The matte alone, over the image or cut out, and values inside it."""
        self._give(self.chance.choice(VIEWS))

    def matte_copy(self) -> None:
        """A matte or an entry to and from the clipboard, perhaps to another entry."""
        self._select_entry()
        for name in (self.chance.choice(CLIPBOARD), self.chance.choice(CLIPBOARD)):
            self._give(name)
            if self.chance.random() < 0.5:
                self._select_entry()

    def matte_group(self) -> None:
        """A group around some entries, or its end; a group has a matte as entries do."""
        self._select_entry()
        panel, count = self.window.panel, len(self.window.panel.cards)
        if count > 1 and self.chance.random() < 0.7:
            at = self.chance.randrange(count)
            self._call(QTest.mouseClick, panel.cards[at].title, LEFT, SHIFT)
        self._give(self.chance.choice(GROUPING))

    def matte_card(self) -> None:
        """The button of a card that adds its first source from a menu, or shows or hides its matte."""
        self._call(self.window.docks.show, "grade")
        found = [each for each in self._seen(QAbstractButton) if each.objectName() == "matteButton"]
        button = self._choose_of(found)
        if button is None:
            return
        self._say(button.accessibleName())
        self._call(QTest.mouseClick, button, LEFT)
        self.spin(0.02)
        menu = next((each for each in self.window.findChildren(QMenu) if each.isVisible()), None)
        lines = [] if menu is None else [each for each in menu.actions() if each.isEnabled() and each.text()]
        if menu is not None and lines:
            line = self.chance.choice(lines)
            inner = line.menu()
            line = self.chance.choice(inner.actions()) if isinstance(inner, QMenu) else line
            self._call(menu.close)
            self._act(line)
            self._on_canvas()

    # -- how

    def add_all_sources(self) -> None:
        """A matte of each kind of source, seen in each way; the warm-up does so."""
        self._call(self.window.docks.show, "grade")
        for name in sorted(SOURCES):
            self._give("matte_clear")
            self._give(command_of(name))
            self.spin(0.1)
            self._press(self.window.canvas, Key.Key_Return)
            self._press(self.window.canvas, Key.Key_Escape)
            for view in (*VIEWS, VIEWS[-1]):
                self._give(view)
                self.spin(0.1)
        self._give(VIEWS[2])

    def _give(self, name: str) -> None:
        """A command, if it can be given now."""
        action = self.workspace.actions[name]
        if action.isEnabled():
            self._act(action)
            self.spin(0.02)

    def _select_entry(self) -> None:
        """Another entry of the grade, by its title."""
        self._call(self.window.docks.show, "grade")
        titles = [card.title for card in self.window.panel.cards if self._can(card.title)]
        title = self._choose_of(titles)
        if title is not None:
            self._say(name_of(self.window.panel.cards[self.window.panel.at].layer.entry))
            self._call(QTest.mouseClick, title, LEFT)

    def _on_canvas(self) -> None:
        """Draw or pick what the canvas waits for, or break it off."""
        selection, canvas = self.workspace.matte_editor.selection, self.window.canvas
        if not selection.drawing and not selection.picking:
            return
        if selection.drawing == "Path":
            for _ in range(self.chance.randint(0, 6)):
                spots = [self._spot(canvas), self._spot(canvas)][: self.chance.randint(1, 2)]
                self._stroke(canvas, spots, NONE)
        else:
            for _ in range(self.chance.randint(0, 2)):
                self._stroke(canvas, [self._spot(canvas), self._spot(canvas)], self.chance.choice((NONE, SHIFT, ALT)))
        self._press(canvas, self.chance.choice((Key.Key_Return, Key.Key_Return, Key.Key_Escape)))
        if self.chance.random() < 0.8:
            self._press(canvas, Key.Key_Escape)

    def _stroke(self, widget: QWidget, spots: list[QPoint], held: Any, escape: bool = False) -> None:
        """A drag from the first spot to the last; `escape` cancels it."""
        start, end = spots[0], spots[-1]
        self._call(move, widget, start)
        self._call(QTest.mousePress, widget, LEFT, held, start)
        for step in range(1, 13):
            self._call(move, widget, start + (end - start) * step / 12, LEFT, held)
            self.spin(0.012)
        if escape:
            self._press(widget, Key.Key_Escape)
        self._call(QTest.mouseRelease, widget, LEFT, held, end)

    def _press(self, widget: QWidget, key: Qt.Key, held: Any = NONE) -> None:
        self._call(QTest.keyClick, widget, key, held)
        self.spin(0.01)

    def _handles(self) -> list[QPoint]:
        """Where the handles of the selected window are on the canvas, of those that can be seen."""
        tools, canvas = self.workspace.matte_tools, self.window.canvas
        mapping, shape = tools.place.mapping, tools.windows.shape
        if mapping is None or shape is None:
            return []
        at = [mapping.on_canvas(each.at) for each in (*tools.windows.handles, shape.whole)]
        return [spot for x, y in at if canvas.rect().contains(spot := QPoint(round(x), round(y)))]

    def _of_mattes(self, kinds: tuple[type[Any], ...]) -> list[Any]:
        """The controls of these kinds in mattes of cards, of those that can be seen."""
        sections = self._seen(MatteSection)
        return [w for each in sections for kind in kinds for w in each.findChildren(kind) if self._can(w)]

    def _choose_of(self, found: list[Any]) -> Any:
        return self.chance.choice(found) if found else None


MATTE_MOVES: tuple[tuple[int, Callable[[MatteHands], None]], ...] = (
    (5, MatteHands.matte_add),
    (4, MatteHands.matte_draw),
    (3, MatteHands.matte_pick),
    (6, MatteHands.matte_drag),
    (3, MatteHands.matte_keys),
    (6, MatteHands.matte_values),
    (4, MatteHands.matte_nodes),
    (3, MatteHands.matte_view),
    (3, MatteHands.matte_copy),
    (3, MatteHands.matte_group),
    (2, MatteHands.matte_card),
)
