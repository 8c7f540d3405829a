"""The choice of the Layers panel between the eyes of a stereo image: one of them, or both."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QWidget

from app.panels.layer_menus import eye_mode
from app.services.other_eye import is_second_eye, other_eye
from app.services.view_options import ViewOptions
from app.widgets.segments import add_segment, segment

BUTTONS = {
    "eye_left": "Left",
    "eye_right": "Right",
    "eyes_side_by_side": "Side by side",
    "eyes_anaglyph": "Anaglyph",
    "eyes_difference": "Difference",
}
"""The text of the button of each command."""
MODES = {"side by side": "eyes_side_by_side", "anaglyph": "eyes_anaglyph", "difference": "eyes_difference"}


class Eyes(QWidget):
    """A segmented choice, hidden while the layer is not there in two views."""

    def __init__(self, view: ViewOptions, displayed: Callable[[], Any], actions: Mapping[str, QAction]) -> None:
        """`displayed` returns the displayed image, or None."""
        super().__init__()
        self._view, self._displayed, self._actions = view, displayed, actions
        self._group = QButtonGroup(self)
        row = QHBoxLayout(self)
        row.setContentsMargins(10, 8, 10, 0)
        row.setSpacing(1)
        self.buttons = {}
        for name, text in BUTTONS.items():
            button = segment(text, actions[name].toolTip(), f"Eyes: {text}")
            button.clicked.connect(lambda _checked=False, name=name: self._choose(name))
            self._group.addButton(button)
            add_segment(row, button)
            self.buttons[name] = button

    @property
    def chosen(self) -> str:
        """The command of what is shown."""
        mode = eye_mode(self._view.state)
        one = "eye_right" if is_second_eye(self._displayed()) else "eye_left"
        return MODES.get(mode, one)

    def _choose(self, name: str) -> None:
        if name != self.chosen:
            self._actions[name].trigger()
        self.refresh()

    def refresh(self) -> None:
        """Show which eye is displayed, or hide if there is one view only."""
        self.setVisible(other_eye(self._displayed()) is not None)
        self.buttons[self.chosen].setChecked(True)
