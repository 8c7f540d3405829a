"""The title bar of a dock: its name, and buttons to float and to hide it. It is empty while the dock is a tab."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QEvent, QObject, QSize, Qt, QTimer
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QDockWidget,
    QHBoxLayout,
    QLabel,
    QMainWindow,
    QSizePolicy,
    QSpacerItem,
    QToolButton,
    QVBoxLayout,
    QWidget,
)
from shiboken6 import isValid

from app.widgets.style import icon

WIDTH, HEIGHT = 80, 26
"""Least width, and the height."""
PENDING = "titles_pending"
"""The property of a window whose dock titles are about to be updated."""


class DockTitle(QWidget):
    """Has no height while the dock is one of several tabs: the tab can be dragged, and its key hides the panel.

    Its name and buttons are created when it is first shown: most docks are hidden, or tabs.
    """

    def __init__(self, dock: QDockWidget, window: QMainWindow) -> None:
        super().__init__(dock)
        self.setObjectName("dockTitle")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._dock, self._window = dock, window
        self._is_tab = False
        self._content: QWidget | None = None
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self._size = QSpacerItem(WIDTH, HEIGHT, QSizePolicy.Policy.Minimum, QSizePolicy.Policy.Fixed)
        self._size_layout = QVBoxLayout(self)
        self._size_layout.setContentsMargins(0, 0, 0, 0)
        self._size_layout.addItem(self._size)  # not by `sizeHint`: layouts ask thousands of times
        dock.installEventFilter(self)
        dock.topLevelChanged.connect(self._show)
        dock.dockLocationChanged.connect(self._show)
        dock.visibilityChanged.connect(self._show)

    def showEvent(self, event: QShowEvent) -> None:
        self._fill()
        super().showEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._content is not None:
            self._content.setGeometry(self.rect())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Show, QEvent.Type.Move, QEvent.Type.ParentChange):
            self._show()
        return False

    def _tabbed(self) -> bool:
        others = self._window.tabifiedDockWidgets(self._dock)
        return not self._dock.isFloating() and any(not other.isHidden() for other in others)

    def _show(self, _: object = None) -> None:
        """Update the titles of all docks before the next paint: this dock and those tabbed with it may have changed.

        Many docks move at once; their titles are updated once for all of them.
        """
        if isValid(self._window) and not self._window.property(PENDING):
            self._window.setProperty(PENDING, True)
            QTimer.singleShot(0, self._window, partial(_update_titles, self._window))

    def update_height(self) -> None:
        """Hide the title if the dock is one of several tabs, else show it."""
        is_tab = self._tabbed()
        if is_tab != self._is_tab:
            self._is_tab = is_tab
            if self._content is not None:
                self._content.setHidden(is_tab)
            self._size.changeSize(WIDTH, 0 if is_tab else HEIGHT, QSizePolicy.Policy.Minimum, QSizePolicy.Policy.Fixed)
            self._size_layout.invalidate()
            self.updateGeometry()

    def _fill(self) -> None:
        """Create the name and the buttons, if they are not there yet."""
        if self._content is not None:
            return
        self._content = content = QWidget(self)
        title = self._dock.windowTitle()
        name = QLabel(title)
        name.setObjectName("dockName")
        float_button = self._button("float", f"Float or dock the {title} panel")
        float_button.clicked.connect(self._float)
        close_button = self._button("remove", f"Hide the {title} panel; the Panels menu shows it")
        close_button.clicked.connect(self._dock.close)
        row = QHBoxLayout(content)
        row.setContentsMargins(10, 2, 4, 2)
        row.setSpacing(2)
        row.addWidget(name, 1)
        row.addWidget(float_button)
        row.addWidget(close_button)
        content.setGeometry(self.rect())
        content.setHidden(self._is_tab)

    def _float(self) -> None:
        self._dock.setFloating(not self._dock.isFloating())

    @staticmethod
    def _button(name: str, tip: str) -> QToolButton:
        button = QToolButton()
        button.setIcon(icon(name))
        button.setIconSize(QSize(12, 12))
        button.setToolTip(tip)
        button.setAccessibleName(tip)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        return button


def _update_titles(window: QMainWindow) -> None:
    window.setProperty(PENDING, False)
    for dock in window.findChildren(QDockWidget, options=Qt.FindChildOption.FindDirectChildrenOnly):
        title = dock.titleBarWidget()
        if isinstance(title, DockTitle):
            title.update_height()
