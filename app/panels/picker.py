"""A button that shows the current choice and opens a menu of choices."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QSize, Qt, QTimer
from PySide6.QtGui import QActionGroup, QResizeEvent
from PySide6.QtWidgets import QMenu, QPushButton, QSizePolicy

BESIDE_TEXT = 28
"""Width of a button beside its text, in pixels."""


class Picker(QPushButton):
    """A button with a menu. `fill` adds the choices each time before the menu opens.

    A long text is elided in the middle: names of views and configs differ at their ends. With a `widest`, the button
    prefers the width of its text up to that.
    """

    def __init__(self, name: str, tip: str, fill: Callable[[QMenu], None]) -> None:
        super().__init__()
        self.setObjectName("picker")
        self.setAccessibleName(name)
        self._name, self._tip, self._whole = name, tip, ""
        self.wanted_width, self.widest = 120, 0
        self.setToolTip(tip)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAutoDefault(False)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMinimumWidth(80)
        menu = QMenu(self)
        menu.setToolTipsVisible(True)
        menu.aboutToShow.connect(partial(empty, menu))
        menu.aboutToShow.connect(partial(fill, menu))
        open_at_choice(menu)
        self.setMenu(menu)

    @property
    def whole(self) -> str:
        """The full text of the current choice."""
        return self._whole

    def show_choice(self, text: str, more: str = "") -> None:
        """Show the current choice; add `more` to the tooltip."""
        self._whole = text
        self.setToolTip("\n".join(part for part in (self._tip, text, more) if part))
        self.setAccessibleDescription(text)
        self.updateGeometry()
        self._elide()

    def sizeHint(self) -> QSize:
        text = self.fontMetrics().horizontalAdvance(self._whole) + BESIDE_TEXT + 4
        return QSize(max(self.wanted_width, min(text, self.widest)), 24)

    def minimumSizeHint(self) -> QSize:
        return QSize(80, 24)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._elide()

    def _elide(self) -> None:
        width = self.width() - BESIDE_TEXT
        text = self.fontMetrics().elidedText(self._whole, Qt.TextElideMode.ElideMiddle, width)
        self.setText(f" {text.replace('&', '&&')}")  # the style adds no padding to left-aligned text


def open_at_choice(menu: QMenu) -> None:
    """Scroll to the chosen item of a menu, and give it the keyboard, each time the menu opens."""
    menu.aboutToShow.connect(partial(QTimer.singleShot, 0, menu, partial(_go_to_choice, menu)))


def _go_to_choice(menu: QMenu) -> None:
    chosen = next((action for action in menu.actions() if action.isChecked()), menu.defaultAction())
    if chosen is not None and menu.isVisible():
        menu.setActiveAction(chosen)


def empty(menu: QMenu) -> None:
    """Remove everything from a menu, including its submenus, which `clear` would leave behind."""
    for inner in menu.findChildren(QMenu, options=Qt.FindChildOption.FindDirectChildrenOnly):
        inner.deleteLater()
    menu.clear()


def add_choice(
    menu: QMenu, text: str, tip: str, chosen: bool, choose: Callable[[], object], group: QActionGroup | None = None
) -> None:
    """Add a checkable item to a menu."""
    action = menu.addAction(text.replace("&", "&&"))
    action.setToolTip(tip or text)
    action.setCheckable(True)
    action.setChecked(chosen)
    if group is not None:
        action.setActionGroup(group)
    action.triggered.connect(lambda _checked: choose())
