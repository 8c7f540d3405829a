"""The page of the preferences for stills: their folder."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from app.services.stills import Stills
from app.widgets.elided import ElidedLabel
from app.widgets.showing import ask, push_button

ABOUT = "Grabbed stills are written to this folder, and the gallery lists what it holds. Existing stills are not moved."


class StillsPage(QWidget):
    """Names the folder of stills, and changes it."""

    def __init__(self, stills: Stills) -> None:
        super().__init__()
        self._stills = stills
        self.folder = ElidedLabel()
        self.folder.setAccessibleName("Folder of stills")
        self.choose = push_button("Choose…", "Choose the folder of stills", self._choose)
        self.reset = push_button("Default", "Use the folder of stills in the user's data", self._reset)
        caption = QLabel("Folder of stills")
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(caption)
        row.addWidget(self.folder, 1)
        row.addWidget(self.choose)
        row.addWidget(self.reset)
        about = QLabel(ABOUT)
        about.setObjectName("note")
        about.setWordWrap(True)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 12, 0, 0)
        column.setSpacing(10)
        column.setAlignment(Qt.AlignmentFlag.AlignTop)
        column.addLayout(row)
        column.addWidget(about)
        self._show()

    def _choose(self) -> None:
        dialog = QFileDialog(self, "Folder of stills", str(self._stills.folder))
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.fileSelected.connect(self._take)
        ask(dialog)

    def _take(self, name: str) -> None:
        self._stills.choose_folder(Path(name))
        self._show()

    def _reset(self) -> None:
        self._stills.choose_folder(None)
        self._show()

    def _show(self) -> None:
        self.folder.show_text(str(self._stills.folder))
        self.folder.setToolTip(str(self._stills.folder))
