"""What a panel shows while the grade has no entry for it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from app.widgets.showing import push_button
from app.widgets.style import icon


class EmptyPage(QWidget):
    """A hint, and a button that adds such an entry."""

    def __init__(self, hint: str, text: str, tip: str, add: Callable[[], object]) -> None:
        super().__init__()
        self.add = push_button(text, tip, add)
        self.add.setIcon(icon("add"))
        self.add.setIconSize(QSize(14, 14))
        label = QLabel(hint)
        label.setObjectName("hint")
        column = QVBoxLayout(self)
        column.addStretch(1)
        column.addWidget(label, 0, Qt.AlignmentFlag.AlignCenter)
        column.addWidget(self.add, 0, Qt.AlignmentFlag.AlignCenter)
        column.addStretch(1)
