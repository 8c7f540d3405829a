"""The choice of the Layers panel between the eyes of a stereo image: one of them, or both."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QWidget

from app.panels.bodies import add_segment, segment
from app.panels.layer_menus import eye_mode
from app.services.open_documents import OpenDocuments
from app.services.other_eye import is_second_eye, other_eye

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

    def __init__(self, documents: OpenDocuments, actions: Mapping[str, QAction]) -> None:
        super().__init__()
        self._documents, self._actions = documents, actions
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
        for signal in (documents.view_changed, documents.image_changed, documents.document_changed):
            signal.connect(lambda *_: self._show())
        self._show()

    @property
    def chosen(self) -> str:
        """The command of what is shown."""
        mode = eye_mode(self._documents.view)
        one = "eye_right" if is_second_eye(self._documents.current.image) else "eye_left"
        return MODES.get(mode, one)

    def _choose(self, name: str) -> None:
        if name != self.chosen:
            self._actions[name].trigger()
        self._show()

    def _show(self) -> None:
        self.setVisible(other_eye(self._documents.current.image) is not None)
        self.buttons[self.chosen].setChecked(True)
