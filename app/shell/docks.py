"""The docked panels around the image: they can be moved, hidden, floated and tabbed, and their layout is saved."""

from __future__ import annotations

import base64
from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QByteArray, QEvent, QObject, QSize, Qt
from PySide6.QtGui import QAction, QHideEvent, QKeyEvent, QKeySequence, QMoveEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QAbstractSlider,
    QAbstractSpinBox,
    QApplication,
    QDockWidget,
    QMainWindow,
    QMenu,
    QScrollArea,
    QWidget,
)

from app.actions.build import KEYS, show_keys
from app.actions.table import all_commands
from app.services.settings import Settings
from app.shell.dock_title import DockTitle
from app.shell.panels import PANELS, PanelSpec
from app.widgets.gestures import Painted, is_command
from app.widgets.strip import Strip

LAYOUT = "layout"
"""The setting that holds the layout of the docks."""
VERSION = 1
"""Version of the saved layout."""
PAGES = (Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)
PAGED = (Painted, QAbstractSlider, QAbstractSpinBox, QAbstractItemView)
"""Controls that handle PAGES themselves."""
LEAST_STRETCH = 140
"""The least by which a strip is taller than usual when it is stretched, in pixels."""
QWIDGETSIZE_MAX = (1 << 24) - 1
"""No limit of a size."""
BOTTOM_SHARE = 0.3
"""Initial height of the panels below the image, as a share of the window's height."""


_AREAS = {
    "left": Qt.DockWidgetArea.LeftDockWidgetArea,
    "right": Qt.DockWidgetArea.RightDockWidgetArea,
    "bottom": Qt.DockWidgetArea.BottomDockWidgetArea,
}


class Holder(QWidget):
    """The container of a panel. Its preferred height is at least a `share` of the window's height.

    It has no layout, which would lay out the whole window anew with each text of a panel that changes: only another
    least size does.
    """

    def __init__(self, share: float) -> None:
        super().__init__()
        self.setObjectName("panel")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._share = share
        self._panel: QWidget | None = None
        self._least = QSize(0, 0)
        self.is_laid_out = False
        """Whether what scrolls in the panel has been laid out since this was last set to False."""
        self.has_moved = True
        """Whether this has been moved, resized, shown or hidden since this was last set to False."""

    def set_panel(self, panel: QWidget) -> None:
        """Show a panel, which fills this."""
        self._panel = panel
        panel.setParent(self)
        panel.setGeometry(self.rect())
        for content in (area.widget() for area in panel.findChildren(QScrollArea)):
            if content is not None:
                content.installEventFilter(self)
        if self.isVisible():
            panel.show()
        self._follow_least()

    def sizeHint(self) -> QSize:
        wanted = self._panel.sizeHint() if self._panel is not None else QSize(0, 0)
        return QSize(wanted.width(), max(wanted.height(), round(self._share * self.window().height())))

    def minimumSizeHint(self) -> QSize:
        return self._least

    def resizeEvent(self, event: QResizeEvent) -> None:
        self.has_moved = True
        if self._panel is not None:
            self._panel.setGeometry(self.rect())

    def moveEvent(self, event: QMoveEvent) -> None:
        self.has_moved = True

    def showEvent(self, event: QShowEvent) -> None:
        self.has_moved = True

    def hideEvent(self, event: QHideEvent) -> None:
        self.has_moved = True

    def _follow_least(self) -> None:
        """Have the window laid out anew if the panel has another least size."""
        assert self._panel is not None
        least = self._panel.minimumSizeHint().expandedTo(self._panel.minimumSize())
        if least != self._least:
            self._least = least
            self.updateGeometry()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Note that what scrolls is laid out."""
        self.is_laid_out |= event.type() == QEvent.Type.LayoutRequest
        return False

    def event(self, event: QEvent) -> bool:
        """Follow the panel. Send Page Up and Page Down to the focused control if it handles them, instead of stepping
        through layers."""
        if event.type() == QEvent.Type.LayoutRequest and self._panel is not None:
            self._follow_least()
        asked = event.type() == QEvent.Type.ShortcutOverride and isinstance(QApplication.focusWidget(), PAGED)
        if asked and isinstance(event, QKeyEvent) and event.key() in PAGES and not is_command(event):
            event.accept()
            return True
        return super().event(event)


class NoTitle(QWidget):
    """The title bar of a strip, which has no height."""

    def sizeHint(self) -> QSize:
        return QSize(0, 0)

    def minimumSizeHint(self) -> QSize:
        return QSize(0, 0)


class Dock(QDockWidget):
    """A dock that creates its panel when it is first shown; while it is `held`, only when something asks for it."""

    def __init__(self, spec: PanelSpec, make: Callable[[], QWidget], window: QMainWindow) -> None:
        super().__init__(spec.title, window)
        self.setObjectName(f"dock_{spec.name}")
        self.setAccessibleName(f"{spec.title} panel")
        self.spec, self._make, self._window = spec, make, window
        self._made: QWidget | None = None
        self.in_front = self.held = False
        self.holder = Holder(BOTTOM_SHARE if spec.area == "bottom" and not spec.group else 0.0)
        self.setWidget(self.holder)
        self.setTitleBarWidget(NoTitle() if spec.strip else DockTitle(self, window))
        if spec.strip:
            self.setFeatures(QDockWidget.DockWidgetFeature.DockWidgetClosable)
            self.holder.setFixedHeight(spec.strip)
        self.visibilityChanged.connect(self._see)

    def moveEvent(self, event: QMoveEvent) -> None:
        super().moveEvent(event)
        self.holder.has_moved = True

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Pass what a panel leaves to the window, also while it floats."""
        window = self.parentWidget()
        if self.isFloating() and window is not None:
            QApplication.sendEvent(window, event)
        else:
            super().keyPressEvent(event)

    @property
    def panel(self) -> QWidget:
        """The panel, created on first access."""
        if self._made is None:
            self._made = self._make()
            self.holder.setMinimumWidth(0)
            if isinstance(self._made, Strip):
                self._made.stretched.connect(self._stretch)
            self.holder.set_panel(self._made)
        return self._made

    @property
    def is_made(self) -> bool:
        """Whether the panel is created."""
        return self._made is not None

    @property
    def waits(self) -> bool:
        """Whether the panel is to be seen, but not created yet."""
        return self.in_front and not self.is_made

    def hold(self) -> None:
        """Create no panel for now, but take its width."""
        self.held = True
        self.holder.setMinimumWidth(self.spec.width)

    def release(self) -> None:
        """Create the panel when it is first shown; one that waits keeps its width until then."""
        self.held = False
        if not self.waits:
            self.holder.setMinimumWidth(0)

    def _stretch(self, more: int) -> None:
        """Make a strip taller; its lower edge stays, and its upper one can then be dragged."""
        if not more:
            self.holder.setFixedHeight(self.spec.strip)
            return
        self.holder.setMinimumHeight(self.spec.strip + LEAST_STRETCH)
        self.holder.setMaximumHeight(QWIDGETSIZE_MAX)
        self._window.resizeDocks([self], [self.spec.strip + more], Qt.Orientation.Vertical)

    def _see(self, visible: bool) -> None:
        """Hide the panel while its dock is behind another tab, so that it idles; to Qt such a panel is visible."""
        self.in_front = visible
        if visible and self.held and not self.is_made:
            return
        if visible:
            self.panel.show()
        elif self._made is not None:
            self._made.hide()


class Docks:
    """The docks of a window and the saved layout. `actions` holds the action that shows each panel, by name."""

    def __init__(
        self, make: Callable[[PanelSpec], QWidget], settings: Settings, window: QMainWindow, menu: QMenu
    ) -> None:
        """`make` creates a panel when its dock is first shown."""
        self._settings, self._window = settings, window
        self.actions: dict[str, QAction] = {}
        window.setDockNestingEnabled(True)
        window.setDockOptions(
            QMainWindow.DockOption.AllowNestedDocks
            | QMainWindow.DockOption.AllowTabbedDocks
            | QMainWindow.DockOption.GroupedDragging
        )
        window.setCorner(Qt.Corner.BottomRightCorner, Qt.DockWidgetArea.RightDockWidgetArea)
        window.setTabPosition(Qt.DockWidgetArea.AllDockWidgetAreas, window.tabPosition(_AREAS["left"]).North)
        self.docks = {spec.name: Dock(spec, partial(make, spec), window) for spec in PANELS}
        after = menu.actions()
        for dock in sorted(self.docks.values(), key=lambda dock: dock.spec.keys):
            action = self._make_action(dock)
            menu.insertAction(after[0], action) if after else menu.addAction(action)
        if after:
            menu.insertSeparator(after[0])
        self.reset()

    def reset(self) -> None:
        """Restore the default layout."""
        first: dict[tuple[str, str], Dock] = {}
        for dock in self.docks.values():
            dock.hide()
        for dock in self.docks.values():
            spec = dock.spec
            dock.setFloating(False)
            group = (spec.area, spec.group or spec.area)
            above = next((other for (area, _), other in first.items() if area == spec.area), None)
            before = first.setdefault(group, dock)
            if before is not dock:
                self._window.tabifyDockWidget(before, dock)
            elif above is not None:
                self._window.splitDockWidget(above, dock, Qt.Orientation.Vertical)
            else:
                self._window.addDockWidget(_AREAS[spec.area], dock)
            dock.setVisible(spec.shown)
        for dock in first.values():
            if dock.spec.shown:
                dock.raise_()

    def panel(self, name: str) -> QWidget:
        """Return a panel; it is created on first access."""
        return self.docks[name].panel

    def show(self, name: str) -> QWidget:
        """Bring a panel to the front and return it."""
        dock = self.docks[name]
        dock.show()
        dock.raise_()
        return dock.panel

    def modules(self) -> list[str]:
        """Return the modules of the panels, those in front first."""
        return [dock.spec.module for dock in sorted(self.docks.values(), key=lambda dock: not dock.in_front)]

    def hold(self) -> None:
        """Create no panels until `make_next`."""
        for dock in self.docks.values():
            dock.hold()

    def make_next(self) -> bool:
        """Create one of the panels that are to be seen, and hold none any more; return whether more of them wait."""
        for dock in self.docks.values():
            dock.release()
        waiting = [dock for dock in self.docks.values() if dock.waits]
        for dock in waiting[:1]:
            dock.panel.show()
        return len(waiting) > 1

    def save(self) -> None:
        """Save the layout in the settings."""
        state = bytes(self._window.saveState(VERSION).data())
        self._settings.set(LAYOUT, base64.b64encode(state).decode("ascii"))

    def restore(self) -> None:
        """Restore the saved layout, if there is one."""
        state = self._settings.get(LAYOUT, "")
        if state:
            self._window.restoreState(QByteArray.fromBase64(state.encode("ascii", "replace")), VERSION)

    def _make_action(self, dock: Dock) -> QAction:
        """Return the action that shows and hides a panel."""
        spec = dock.spec
        action = QAction(spec.title, self._window, checkable=True)
        action.setObjectName(f"panel_{spec.name}")
        dock.toggleViewAction().toggled.connect(action.setChecked)
        action.triggered.connect(partial(self._toggle, dock, action))
        keys = self._settings.get(KEYS, dict[str, list[str]](), list[str]).get(action.objectName(), spec.keys)
        action.setShortcuts([QKeySequence(key) for key in keys])
        show_keys(action, spec.tip)
        self.actions[action.objectName()] = action
        self._window.addAction(action)
        return action

    def _toggle(self, dock: Dock, action: QAction, _checked: bool = False) -> None:
        """Bring a panel to the front, with the focus on its focus proxy, or hide it if it is in front already."""
        if dock.in_front:
            dock.hide()
        else:
            panel = self.show(dock.spec.name)
            if panel.focusProxy() is not None:
                panel.setFocus(Qt.FocusReason.OtherFocusReason)
        action.setChecked(not dock.isHidden())


def default_keys() -> dict[str, tuple[str, ...]]:
    """Return the default keys of every action, panels included."""
    return {command.name: command.keys for command in all_commands()} | {f"panel_{p.name}": p.keys for p in PANELS}
