"""A button that shows what is chosen and opens a menu to choose something else."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QActionGroup, QResizeEvent
from PySide6.QtWidgets import QFileDialog, QMenu, QPushButton, QSizePolicy

from app.dialogs.showing import ask

if TYPE_CHECKING:
    from engine.ocio.config_parts import Family


CONFIG_FILTER = "OpenColorIO configs (*.ocio *.ocioz);;All files (*)"


class Picker(QPushButton):
    """`fill` puts the choices into the menu each time before it opens; the text is shortened rather than clipped."""

    def __init__(self, name: str, tip: str, fill: Callable[[QMenu], None]) -> None:
        super().__init__()
        self.setObjectName("picker")
        self.setAccessibleName(name)
        self._name, self._tip, self._whole = name, tip, ""
        self.wanted_width = 120
        self.setToolTip(tip)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAutoDefault(False)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMinimumWidth(80)
        menu = QMenu(self)
        menu.setToolTipsVisible(True)
        menu.aboutToShow.connect(partial(empty, menu))
        menu.aboutToShow.connect(partial(fill, menu))
        self.setMenu(menu)

    @property
    def whole(self) -> str:
        """What is chosen, also where there is no room for it."""
        return self._whole

    def show_choice(self, text: str, more: str = "") -> None:
        """What is chosen, and perhaps a sentence about it for the tooltip."""
        self._whole = text
        self.setToolTip("\n".join(part for part in (self._tip, text, more) if part))
        self.setAccessibleDescription(text)
        self._elide()

    def sizeHint(self) -> QSize:
        return QSize(self.wanted_width, 24)

    def minimumSizeHint(self) -> QSize:
        return QSize(80, 24)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._elide()

    def _elide(self) -> None:
        room = self.width() - 28
        text = self.fontMetrics().elidedText(self._whole, Qt.TextElideMode.ElideRight, room)
        self.setText(f" {text.replace('&', '&&')}")  # the style gives a left-aligned text no room


def empty(menu: QMenu) -> None:
    """Take everything out of a menu; `clear` alone would leave the menus within it behind."""
    for inner in menu.findChildren(QMenu, options=Qt.FindChildOption.FindDirectChildrenOnly):
        inner.deleteLater()
    menu.clear()


def add_choice(
    menu: QMenu, text: str, tip: str, chosen: bool, choose: Callable[[], object], group: QActionGroup | None = None
) -> None:
    """A line of a menu that can be the chosen one."""
    action = menu.addAction(text.replace("&", "&&"))
    action.setToolTip(tip or text)
    action.setCheckable(True)
    action.setChecked(chosen)
    if group is not None:
        action.setActionGroup(group)
    action.triggered.connect(lambda _checked: choose())


def fill_configs(menu: QMenu, builtin: dict[str, str], chosen: str, choose: Callable[[str], object]) -> None:
    """The default config, those that come with OpenColorIO, none, and a file."""

    def browse() -> None:
        dialog = QFileDialog(menu.window().parentWidget(), "Choose an OpenColorIO config", "", CONFIG_FILTER)
        dialog.fileSelected.connect(choose)
        ask(dialog)

    add_choice(
        menu, "Default", "The config of the preferences, else $OCIO, else the newest", not chosen, partial(choose, "")
    )
    menu.addSeparator()
    for name, about in builtin.items():
        add_choice(menu, about or name, name, chosen == name, partial(choose, name))
    add_choice(menu, "None: grade values as they are", "Converts nothing", chosen == "raw", partial(choose, "raw"))
    menu.addSeparator()
    menu.addAction("Choose a file…").triggered.connect(lambda _checked: browse())


def add_family(menu: QMenu, family: Family, chosen: str, choose: Callable[[str], object]) -> None:
    """The colour spaces of a family, and menus of those within it; a menu within is filled when it opens."""
    for space in family.spaces:
        tip = space.description.strip().split("\n\n")[0] or space.name
        add_choice(menu, space.name, tip, space.name == chosen, partial(choose, space.name))
    for inner in family.families:
        submenu = menu.addMenu(inner.name.replace("&", "&&"))
        submenu.setToolTipsVisible(True)
        submenu.aboutToShow.connect(partial(_fill_once, submenu, inner, chosen, choose))


def _fill_once(menu: QMenu, family: Family, chosen: str, choose: Callable[[str], object]) -> None:
    if menu.isEmpty():
        add_family(menu, family, chosen, choose)
