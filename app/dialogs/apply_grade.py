"""The dialog that applies the current grade to a selection of the open images."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QHBoxLayout,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QVBoxLayout,
    QWidget,
)

from app.services.grade_copies import GradeCopies, Target
from app.widgets.showing import push_button

ROW = 26
"""The height of a row, in pixels."""
ABOUT = "Each image gets the entries of this grade as one step of its history, and keeps its colour spaces."


class ApplyGradeDialog(QDialog):
    """A list of the other open images, all checked at first. Space checks and unchecks the selected ones."""

    def __init__(self, copies: GradeCopies, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle("Apply grade to images")
        self._targets = copies.targets
        self.list = QListWidget()
        self.list.setAccessibleName("Images")
        self.list.setToolTip("The images that get the grade; Space checks or unchecks the selected ones")
        self.list.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        for target in self._targets:
            item = QListWidgetItem(target.name)
            item.setToolTip(target.path)
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
            item.setCheckState(Qt.CheckState.Checked)
            item.setSizeHint(QSize(0, ROW))
            self.list.addItem(item)
        self.list.setCurrentRow(0)
        self.list.itemChanged.connect(self._follow)
        self.all = push_button("All", "Check all images", lambda: self._check_all(True))
        self.none = push_button("None", "Uncheck all images", lambda: self._check_all(False))
        self.apply = push_button("Apply", "Apply the grade to the checked images (Return)", self.accept)
        self.apply.setDefault(True)
        self.cancel = push_button("Cancel", "Close without a change (Esc)", self.reject)
        self.accepted.connect(lambda: copies.apply(self.checked))
        self._lay_out()
        self._show_count()

    def _lay_out(self) -> None:
        about = QLabel(ABOUT)
        about.setWordWrap(True)
        buttons = QHBoxLayout()
        for button in (self.all, self.none):
            buttons.addWidget(button)
        buttons.addStretch(1)
        for button in (self.apply, self.cancel):
            buttons.addWidget(button)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 16, 16, 16)
        column.setSpacing(12)
        for widget in (about, self.list):
            column.addWidget(widget)
        column.addLayout(buttons)
        self.resize(420, 360)
        self.list.setFocus()

    @property
    def checked(self) -> list[Target]:
        """The images that are checked."""
        rows = range(self.list.count())
        return [self._targets[n] for n in rows if self.list.item(n).checkState() is Qt.CheckState.Checked]

    def _check_all(self, check: bool) -> None:
        for row in range(self.list.count()):
            self.list.item(row).setCheckState(Qt.CheckState.Checked if check else Qt.CheckState.Unchecked)

    def _follow(self, item: QListWidgetItem) -> None:
        """Check or uncheck the other selected items with the one that was clicked."""
        self.list.blockSignals(True)
        if item.isSelected():
            for each in self.list.selectedItems():
                each.setCheckState(item.checkState())
        self.list.blockSignals(False)
        self._show_count()

    def _show_count(self) -> None:
        count = len(self.checked)
        self.apply.setEnabled(count > 0)
        self.apply.setText(f"Apply to {count}" if count else "Apply")
