"""The window in full screen, without its panels, and which part of it has the keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, Qt
from PySide6.QtWidgets import QApplication, QWidget

if TYPE_CHECKING:
    from app.shell.main_window import MainWindow


class ScreenState:
    """How much of the window is there beside the image."""

    def __init__(self, window: MainWindow) -> None:
        self._window = window
        self._before: QByteArray | None = None

    @property
    def clean(self) -> bool:
        """Whether the image is alone."""
        return self._before is not None

    def set_full(self, full: bool) -> None:
        """The whole screen, or the window as it was."""
        window = self._window
        state = window.windowState()
        flag = Qt.WindowState.WindowFullScreen
        window.setWindowState(state | flag if full else state & ~flag)
        self._show_menu()

    def set_clean(self, clean: bool) -> None:
        """The image alone, or all as it was."""
        window = self._window
        if clean == self.clean:
            return
        bars: tuple[QWidget, ...] = (window.toolbar, window.status)
        if clean:
            self._before = window.saveState()
            for dock in window.docks.docks.values():
                dock.hide()
        for bar in bars:
            bar.setVisible(not clean)
        if not clean and self._before is not None:
            window.restoreState(self._before)
            self._before = None
        window.tabs.show_or_hide()
        window.workspace.actions["clean"].setChecked(clean)
        self._show_menu()
        window.canvas.setFocus()

    def next_pane(self, by: int) -> None:
        """Give the focus to the next pane that can be seen."""
        window = self._window
        docks = [
            dock for dock in window.docks.docks.values() if dock.isVisible() and not dock.visibleRegion().isEmpty()
        ]
        panes: list[QWidget] = [window.canvas, *docks, window.toolbar]
        focus = QApplication.focusWidget()
        now = next((n for n, pane in enumerate(panes) if focus and (pane is focus or pane.isAncestorOf(focus))), 0)
        for step in range(1, len(panes) + 1):
            pane = panes[(now + by * step) % len(panes)]
            target = pane if pane is window.canvas else first_focusable(pane)
            if target is not None:
                target.setFocus(Qt.FocusReason.TabFocusReason)
                return

    def _show_menu(self) -> None:
        self._window.menuBar().setVisible(not (self.clean and self._window.isFullScreen()))


def first_focusable(pane: QWidget) -> QWidget | None:
    """The first control of a pane that takes the focus."""
    for each in pane.findChildren(QWidget):
        if each.focusPolicy() & Qt.FocusPolicy.TabFocus and each.isVisible() and each.isEnabled():
            return each
    return None
