"""A group of controls that folds away below its title."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from app.widgets.elided import ElidedLabel
from app.widgets.style import icon


class Fold(QWidget):
    """A title to click, a note beside it while the group is folded, and the content."""

    toggled = Signal(bool)  # whether the content is shown

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.name = name
        self.title = QToolButton(self)
        self.title.setObjectName("fold")
        self.title.setText(name)
        self.title.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.title.setIconSize(QSize(12, 12))
        self.title.setCheckable(True)
        self.title.setAccessibleName(f"{name} options")
        self.title.setToolTip(f"Show or hide the options of {name} (Space)")
        self.title.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.title.toggled.connect(self._show)
        self._text = ""
        self._note = ElidedLabel("")
        self._note.setObjectName("note")
        self.content = QWidget(self)
        self.content.hide()
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(self.title)
        head.addWidget(self._note, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addWidget(self.content)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self._show(False)

    @property
    def is_open(self) -> bool:
        return self.title.isChecked()

    @property
    def note(self) -> str:
        """The text beside the title."""
        return self._text

    def set_open(self, is_open: bool) -> None:
        """Show or hide the content."""
        self.title.setChecked(is_open)

    def set_note(self, text: str) -> None:
        """Show a text beside the title while the group is folded."""
        self._text = text
        self._note.show_text("" if self.is_open else text)
        self._note.setToolTip(text)

    def _show(self, shown: bool) -> None:
        self.title.setIcon(icon("chevron-down" if shown else "chevron-right"))
        self._note.show_text("" if shown else self._text)
        self.toggled.emit(shown)
        self.content.setVisible(shown)
