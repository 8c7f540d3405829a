"""The dialog that keeps an entry of the grade as a preset."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QCheckBox,
    QCompleter,
    QDialog,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QVBoxLayout,
    QWidget,
)

from app.model.entries import name_of
from app.model.preset import has_matte, name_problem
from app.services.presets import Presets
from app.widgets.showing import push_button
from engine.grade.entries import Entry

ABOUT = "A preset is listed among the operations to add (Shift+A). Keys over the frames are kept, solo is not."
REPLACES = "The existing preset of this name moves to the folder of deleted presets."


class PresetDialog(QDialog):
    """Asks for the name and the tag of a preset, and whether the mattes are kept."""

    def __init__(self, entry: Entry, presets: Presets, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle("Save as preset")
        self._entry, self._presets = entry, presets
        self.name = QLineEdit(_valid(name_of(entry)))
        self.name.setAccessibleName("Name of the preset")
        self.name.setToolTip("The name in the menu, and of the file in the folder of presets")
        self.name.selectAll()
        self.tag = QLineEdit()
        self.tag.setAccessibleName("Tag of the preset")
        self.tag.setToolTip("A word to sort and find presets by, such as a show or a camera; may be empty")
        self.tag.setPlaceholderText("Optional")
        completer = QCompleter(presets.tags, self.tag)
        completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self.tag.setCompleter(completer)
        self.mattes = QCheckBox("Keep its mattes")
        self.mattes.setToolTip("Windows, qualifiers and the other sources of mattes become part of the preset")
        self.mattes.setChecked(has_matte(entry))
        self.mattes.setEnabled(has_matte(entry))
        self.note = QLabel()
        self.note.setObjectName("note")
        self.note.setWordWrap(True)
        self.save = push_button("Save", "Write the preset (Return)", self.accept)
        self.save.setDefault(True)
        self.cancel = push_button("Cancel", "Close without a change (Esc)", self.reject)
        self._lay_out()
        self.name.textChanged.connect(self._check)
        presets.changed.connect(self._check)
        self.accepted.connect(self._keep)
        presets.watch()
        self._check()

    def _lay_out(self) -> None:
        about = QLabel(ABOUT)
        about.setWordWrap(True)
        buttons = QHBoxLayout()
        buttons.addStretch(1)
        for button in (self.save, self.cancel):
            buttons.addWidget(button)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 16, 16, 16)
        column.setSpacing(12)
        column.addWidget(about)
        form = QFormLayout()
        form.addRow("Name", self.name)
        form.addRow("Tag", self.tag)
        column.addLayout(form)
        column.addWidget(self.mattes)
        column.addWidget(self.note)
        column.addStretch(1)
        column.addLayout(buttons)
        self.resize(400, 240)
        self.name.setFocus()

    @property
    def replaces(self) -> bool:
        """Whether there is a preset of the name, which is replaced."""
        return self._presets.find(self.name.text().strip()) is not None

    def _check(self) -> None:
        """Say what is wrong with the name, or what it replaces."""
        problem = name_problem(self.name.text().strip())
        self.note.setText(problem or (REPLACES if self.replaces else ""))
        self.save.setEnabled(not problem)
        self.save.setText("Replace" if self.replaces else "Save")

    def _keep(self) -> None:
        name, tag = self.name.text().strip(), self.tag.text().strip()
        self._presets.save(name, self._entry, tag, self.mattes.isChecked(), self.replaces)


def _valid(name: str) -> str:
    """Return a name with what can't be in that of a preset replaced."""
    text = "".join(char if not name_problem(f"a{char}a") else " " for char in name)
    return " ".join(text.split()).strip(" .")[:60]
