"""The details of a still: its name and note, which can be edited, and its grade, whole or entry by entry."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QListWidget, QListWidgetItem, QPushButton, QWidget

from app.model.entries import name_of
from app.model.still import Still
from app.widgets.elided import ElidedLabel
from app.widgets.name_edit import NameEdit

WIDTH, ROW, CAPTION = 400, 20, 40
"""Width of the details, height of an entry, and width of the captions, in pixels."""
NOTHING = "Select a still to see its grade."


class StillDetails(QWidget):
    """Shows one still; the callables act on it."""

    def __init__(
        self,
        rename: Callable[[Still, str], None],
        set_note: Callable[[Still, str], None],
        add_entries: Callable[[Still, list[int]], None],
        compare: QPushButton,
        use: QPushButton,
    ) -> None:
        super().__init__()
        self._rename, self._set_note, self._add_entries = rename, set_note, add_entries
        self.still: Still | None = None
        self.name = NameEdit("", "Name of the still", "The name of the file; Return renames it, Esc restores it")
        self.name.editingFinished.connect(self._named)
        self.note = NameEdit("", "Note", "A note in the header of the still; Return keeps it, Esc restores it")
        self.note.setPlaceholderText("None")
        self.note.editingFinished.connect(self._noted)
        self.about = ElidedLabel()
        self.about.setObjectName("note")
        self.entries = QListWidget()
        self.entries.setAccessibleName("Entries of the still's grade")
        self.entries.setToolTip("The entries of its grade; Space checks the one that is selected")
        self.entries.itemChanged.connect(lambda _: self._show_add())
        self.compare, self.use = compare, use
        self.add = QPushButton("Add entries")
        self.add.setAccessibleName("Add the checked entries")
        self.add.clicked.connect(self._add)
        self.setFixedWidth(WIDTH)
        self._lay_out()
        self.show_still(None)

    def _lay_out(self) -> None:
        grid = QGridLayout()
        grid.setHorizontalSpacing(6)
        grid.setVerticalSpacing(4)
        for row, (text, field) in enumerate((("Name", self.name), ("Note", self.note))):
            caption = QLabel(text)
            caption.setFixedWidth(CAPTION)
            caption.setBuddy(field)
            grid.addWidget(caption, row, 0)
            grid.addWidget(field, row, 1)
        grid.addWidget(self.about, 2, 0, 1, 2)
        grid.addWidget(self.entries, 3, 0, 1, 2)
        grid.setRowStretch(3, 1)
        buttons = QHBoxLayout()
        buttons.setSpacing(6)
        for button in (self.compare, self.use, self.add):
            buttons.addWidget(button, 1)
        grid.addLayout(buttons, 4, 0, 1, 2)
        grid.setContentsMargins(8, 6, 8, 8)
        self.setLayout(grid)

    def show_still(self, still: Still | None) -> None:
        """Show another still, or None; typed text that is not entered is kept while the still stays the same."""
        before, self.still = self.still, still
        for field, text in ((self.name, still.name if still else ""), (self.note, still.note if still else "")):
            field.show_name(text)
            field.setEnabled(still is not None)
        self.about.show_text(still.about if still else NOTHING)
        self.about.setToolTip(still.source if still else "")
        if before is None or still is None or (before.id, before.grade) != (still.id, still.grade):
            self._show_entries(still)
        self._show_add()

    def _show_entries(self, still: Still | None) -> None:
        self.entries.blockSignals(True)
        self.entries.clear()
        for entry in still.grade.entries if still is not None and still.grade is not None else ():
            item = QListWidgetItem(name_of(entry))
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
            item.setCheckState(Qt.CheckState.Unchecked)
            item.setSizeHint(QSize(0, ROW))
            self.entries.addItem(item)
        self.entries.blockSignals(False)
        self.entries.setEnabled(self.entries.count() > 0)

    @property
    def checked(self) -> list[int]:
        """The indices of the checked entries."""
        rows = range(self.entries.count())
        return [row for row in rows if self.entries.item(row).checkState() is Qt.CheckState.Checked]

    def _show_add(self) -> None:
        count = len(self.checked)
        self.add.setEnabled(count > 0)
        self.add.setText("Add entries" if count == 0 else "Add 1 entry" if count == 1 else f"Add {count} entries")
        self.add.setToolTip("Insert the checked entries after the current one, as one undo step")

    def _add(self) -> None:
        if self.still is not None:
            self._add_entries(self.still, self.checked)

    def _named(self) -> None:
        if self.still is not None:
            self._rename(self.still, self.name.text().strip())

    def _noted(self) -> None:
        if self.still is not None:
            self._set_note(self.still, self.note.text().strip())
