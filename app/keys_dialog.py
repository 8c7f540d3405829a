"""What the keys and the mouse do, made from the table of commands."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QDialog, QFrame, QGridLayout, QLabel, QPushButton, QScrollArea, QVBoxLayout, QWidget

from app.actions.table import GESTURES


class KeysDialog(QDialog):
    """A list of keys and gestures."""

    def __init__(self, actions: dict[str, QAction], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Keys and gestures")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        grid = QGridLayout()
        grid.setHorizontalSpacing(24)
        grid.setVerticalSpacing(6)
        grid.setContentsMargins(0, 0, 12, 0)
        grid.setColumnStretch(1, 1)
        native = QKeySequence.SequenceFormat.NativeText
        keyed = [(", ".join(k.toString(native) for k in a.shortcuts()), a.statusTip()) for a in actions.values()]
        for line, (keys, what) in enumerate(
            (*((g.how, g.what) for g in GESTURES), *(pair for pair in keyed if pair[0]))
        ):
            shown = QLabel(keys)
            shown.setObjectName("keys")
            grid.addWidget(shown, line, 0)
            grid.addWidget(QLabel(what), line, 1)
        content = QWidget()
        content.setLayout(grid)
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setWidget(content)
        close = QPushButton("Close")
        close.setToolTip("Close this list (Esc)")
        close.setAccessibleName("Close")
        close.clicked.connect(self.accept)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 16, 16, 16)
        column.addWidget(scroll, 1)
        column.addWidget(close, 0, Qt.AlignmentFlag.AlignRight)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.resize(660, 520)
