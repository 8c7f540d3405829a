"""The diamond beside a control that can be animated: whether it has keys, and one at the current frame."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import NamedTuple

from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QContextMenuEvent, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QAbstractButton, QApplication, QWidget
from shiboken6 import isValid

from app.widgets.style import ACCENT, MUTED, TEXT

WIDTH, HEIGHT = 12, 20
"""Size of the button, in pixels; the diamond is smaller."""
_HALF = 3.5
_MOVES = (QEvent.Type.Resize, QEvent.Type.LayoutRequest, QEvent.Type.Show)


class KeyState(Enum):
    """The keys of a control: none; some, but not at the current frame; one at the current frame."""

    NONE = "none"
    BETWEEN = "between"
    KEY = "key"


_TIPS = {
    KeyState.NONE: "{} is not animated. Click to set a key at this frame (Alt+K).",
    KeyState.BETWEEN: "{} is animated. Click to set a key at this frame (Alt+K); right click for more.",
    KeyState.KEY: "{} has a key at this frame. Click to remove it (Alt+K); right click for more.",
}


class KeySpot(NamedTuple):
    """Where a diamond goes: the row that it lies in, its centre there, and the name of the control.

    `parts` are the indices of the numbers that it is for; () for all of them, None for a field that is one number.
    """

    row: QWidget
    centre: Callable[[], QPoint]
    name: str
    parts: tuple[int, ...] | None = None


def diamond(middle: QPointF, half: float) -> QPolygonF:
    """Return a diamond about a point."""
    x, y = middle.x(), middle.y()
    return QPolygonF([QPointF(x - half, y), QPointF(x, y - half), QPointF(x + half, y), QPointF(x, y + half)])


class KeyDiamond(QAbstractButton):
    """The button of a KeyMark."""

    def __init__(self, name: str, row: QWidget) -> None:
        super().__init__(row)
        self._name = name
        self.state = KeyState.NONE
        self.setAccessibleName(f"Key of {name}")
        self.show_state(KeyState.NONE)

    def show_state(self, state: KeyState) -> None:
        """Show whether there are keys. Only an animated control has a stop of the Tab key."""
        self.state = state
        animated = state is not KeyState.NONE
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus if animated else Qt.FocusPolicy.NoFocus)
        self.setToolTip(_TIPS[state].format(self._name))
        self.setAccessibleDescription({KeyState.NONE: "not animated", KeyState.BETWEEN: "animated"}.get(state, "key"))
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(WIDTH, HEIGHT)

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            colour = QColor(MUTED if self.state is KeyState.NONE else ACCENT)
            if self.underMouse() or self.hasFocus():
                colour = QColor(TEXT)
            painter.setPen(QPen(colour, 1.0))
            painter.setBrush(colour if self.state is KeyState.KEY else Qt.BrushStyle.NoBrush)
            painter.drawPolygon(diamond(QRect(self.rect()).toRectF().center(), _HALF))


class KeyMark(QObject):
    """The diamond of a row of controls. While nothing is animated, it shows only under the mouse and at the focus."""

    toggled = Signal()
    menu_wanted = Signal(QPoint)  # global position

    def __init__(self, spot: KeySpot) -> None:
        super().__init__(spot.row)
        self._row, self._centre, self.name = spot.row, spot.centre, spot.name
        self._near = self._focused = False  # the mouse, and the focus
        self.state = KeyState.NONE
        self.button: KeyDiamond | None = None  # made when it first shows
        spot.row.installEventFilter(self)

    def show_state(self, state: KeyState) -> None:
        """Show whether the control has keys."""
        if state is not self.state:
            self.state = state
            if self.button is not None:
                self.button.show_state(state)
            self._show()

    def show_focus(self, focused: bool) -> None:
        """Show the diamond of a control that has the focus."""
        self._focused = focused
        self._show()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kind = event.type()
        if kind in (QEvent.Type.Enter, QEvent.Type.Leave):
            self._near = kind == QEvent.Type.Enter
            self._show()
        elif kind in _MOVES:
            self._place()
        elif kind == QEvent.Type.ContextMenu and isinstance(event, QContextMenuEvent):
            self.menu_wanted.emit(event.globalPos())
            return True
        return False

    def _show(self) -> None:
        wanted = self.state is not KeyState.NONE or self._near or self._focused
        if wanted and self.button is None:
            self.button = KeyDiamond(self.name, self._row)
            self.button.show_state(self.state)
            self.button.clicked.connect(self.toggled)
            self._place()
        if self.button is not None and wanted == self.button.isHidden():
            self.button.setVisible(wanted)

    def _place(self) -> None:
        if self.button is not None:
            at = self._centre()
            self.button.setGeometry(at.x() - WIDTH // 2, at.y() - HEIGHT // 2, WIDTH, HEIGHT)
            self.button.raise_()


def mark_of(widget: QWidget | None) -> KeyMark | None:
    """Return the diamond of the row that a control is in; None if that has none."""
    while widget is not None and not widget.isWindow():
        for child in widget.children():
            if isinstance(child, KeyMark):
                return child
        widget = widget.parentWidget()
    return None


class KeyFocus(QObject):
    """Shows the diamond of the control that has the focus."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._shown: KeyMark | None = None
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        app.focusChanged.connect(self._follow)

    def _follow(self, _before: QWidget | None, now: QWidget | None) -> None:
        mark = mark_of(now)
        if mark is self._shown:
            return
        before, self._shown = self._shown, mark
        if before is not None and isValid(before):
            before.show_focus(False)
        if mark is not None:
            mark.show_focus(True)
