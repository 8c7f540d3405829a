"""Full screen, the clean view without panels and bars, and the keyboard focus of the panes."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QByteArray, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication, QMainWindow, QWidget

from app.shell.chips import Chips
from app.shell.colour_bar import ColourBar
from app.shell.docks import Docks
from app.shell.status_bar import StatusBar
from app.shell.tabs import Tabs
from app.shell.toolbar import ToolBar


class ScreenState:
    """Controls full screen, the clean view and the focused pane of a window."""

    def __init__(
        self,
        window: QMainWindow,
        canvas: QWidget,
        docks: Docks,
        toolbar: ToolBar,
        status: StatusBar,
        tabs: Tabs,
        chips: Chips,
        colour_bar: ColourBar,
        actions: Mapping[str, QAction],
    ) -> None:
        """The actions `clean` and `full_screen` are checked while panels and bars are hidden, and in full screen."""
        self._window, self._canvas, self._docks = window, canvas, docks
        self._toolbar, self._status, self._tabs = toolbar, status, tabs
        self._chips, self._colour_bar = chips, colour_bar
        self._clean_action, self._full_action = actions["clean"], actions["full_screen"]
        self._before: QByteArray | None = None

    @property
    def clean(self) -> bool:
        """Whether panels and bars are hidden."""
        return self._before is not None

    def set_full(self, full: bool) -> None:
        """Enter or leave full screen."""
        window = self._window
        state = window.windowState()
        flag = Qt.WindowState.WindowFullScreen
        window.setWindowState(state | flag if full else state & ~flag)
        self._show_menu()

    def set_clean(self, clean: bool) -> None:
        """Hide the panels and bars, or restore them."""
        window = self._window
        if clean == self.clean:
            return
        bars: tuple[QWidget, ...] = (self._toolbar, self._status)
        if clean:
            self._before = window.saveState()
            for dock in self._docks.docks.values():
                dock.hide()
        for bar in bars:
            bar.setVisible(not clean)
        if not clean and self._before is not None:
            window.restoreState(self._before)
            self._before = None
        self._tabs.show_or_hide()
        self._clean_action.setChecked(clean)
        self._show_menu()
        self._canvas.setFocus()

    def leave(self) -> bool:
        """Leave the clean view, or else full screen; return whether there was anything to leave."""
        if self.clean:
            self.set_clean(False)
        elif self._window.isFullScreen():
            self._full_action.setChecked(False)
            self.set_full(False)
        else:
            return False
        return True

    def next_pane(self, by: int) -> None:
        """Move the focus by `by` visible panes: the canvas, its chips, the docks, the toolbar and the colour bar."""
        docks = [dock for dock in self._docks.docks.values() if dock.isVisible() and not dock.visibleRegion().isEmpty()]
        chips = [self._chips] if self._chips.isVisible() else []
        bar = [self._colour_bar] if self._colour_bar.isVisible() else []
        panes: list[QWidget] = [*chips, *docks, self._toolbar, *bar, self._canvas]
        focus = QApplication.focusWidget()
        now = next((n for n, pane in enumerate(panes) if focus and (pane is focus or pane.isAncestorOf(focus))), -1)
        for step in range(1, len(panes) + 1):
            pane = panes[(now + by * step) % len(panes)]
            target = pane if pane is self._canvas else first_focusable(pane)
            if target is not None:
                target.setFocus(Qt.FocusReason.TabFocusReason)
                return

    def _show_menu(self) -> None:
        self._window.menuBar().setVisible(not (self.clean and self._window.isFullScreen()))


def first_focusable(pane: QWidget) -> QWidget | None:
    """Return the first control of a pane that accepts the focus by Tab, or None."""
    for each in pane.findChildren(QWidget):
        if each.focusPolicy() & Qt.FocusPolicy.TabFocus and each.isVisible() and each.isEnabled():
            return each
    return None
