"""The controls that track a window over the frames, below its fields."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QSizePolicy, QToolButton, QVBoxLayout

WAYS = ("track_backward", "track_backward_one", "track_stop", "track_forward_one", "track_forward")
OPTIONS = ("track_position", "track_scale", "track_rotation", "track_graded")
"""The commands of the buttons, and of the switches below them."""
SHORT = {"track_graded": "Graded"}


class TrackRow(QFrame):
    """Buttons that trigger the commands of tracking; `reached` is emitted before, so that the entry is the current."""

    reached = Signal()

    def __init__(self, actions: Mapping[str, QAction], make_button: Callable[[str, str, str], QToolButton]) -> None:
        """`make_button` makes a small button from the name of an icon, a tip and an accessible name."""
        super().__init__()
        self._actions = {name: actions[name] for name in WAYS}
        self.ways = {name: self._way(action, make_button) for name, action in self._actions.items()}
        for action in self._actions.values():
            action.changed.connect(self._show)
        self._show()
        self.options = {name: _option(actions[name], SHORT.get(name, "")) for name in OPTIONS}
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 2, 0, 2)
        column.setSpacing(2)
        first, second = QHBoxLayout(), QHBoxLayout()
        first.setSpacing(0)
        second.setSpacing(4)
        first.addWidget(QLabel("Track"), 1)
        for way in self.ways.values():
            first.addWidget(way)
        for option in self.options.values():
            second.addWidget(option, 1)
        column.addLayout(first)
        column.addLayout(second)

    def _way(self, action: QAction, make_button: Callable[[str, str, str], QToolButton]) -> QToolButton:
        name = action.objectName().replace("_", "-")
        icon = "stop" if name == "track-stop" else name
        button = make_button(icon, action.toolTip(), action.text().replace("&", ""))
        button.clicked.connect(lambda: self._trigger(action))
        return button

    def _show(self) -> None:
        """Show which commands are enabled. A slot of this widget, so that it is disconnected with it."""
        for name, action in self._actions.items():
            self.ways[name].setEnabled(action.isEnabled())
            self.ways[name].setToolTip(action.toolTip())

    def _trigger(self, action: QAction) -> None:
        self.reached.emit()
        action.trigger()


def _option(action: QAction, short: str) -> QToolButton:
    """Return a button that is pressed while an option is on."""
    button = QToolButton()
    button.setDefaultAction(action)
    button.setText(short or action.text().replace("&", ""))
    button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
    button.setAccessibleName(f"Track: {action.text().replace('&', '').lower()}")
    button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    button.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
    return button
