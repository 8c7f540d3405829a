"""The buttons below the cards of the Grade panel."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QPoint, QSize, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from app.panels.add_menu import AddMenu
from app.services.presets import Presets
from app.widgets.style import icon


class GradeFooter(QWidget):
    """A button that adds a file, and one that finds and adds an operation or a preset."""

    chosen = Signal(object)  # the class of an op, or a Preset

    def __init__(self, actions: Mapping[str, QAction], presets: Presets) -> None:
        super().__init__()
        self.setObjectName("panelFooter")
        self.add_file = QPushButton(icon("add"), "Add LUT or CDL file…")
        self.add_file.setToolTip("Add LUT, CDL or CLF files to the end of the grade; they can also be dropped here")
        self.add_file.setAccessibleName("Add LUT or CDL file")
        self.add_file.clicked.connect(actions["add_look"].trigger)
        self.add_op = QPushButton(icon("add"), "Operation…")
        self.add_op.setToolTip("Find an operation or a preset and add it after the current entry (Shift+A)")
        self.add_op.setAccessibleName("Add operation")
        self.add_op.clicked.connect(self.show_op_menu)
        self.op_menu = AddMenu(self, presets)
        self.op_menu.chosen.connect(self.chosen)
        for button in (self.add_file, self.add_op):
            button.setIconSize(QSize(14, 14))
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 8, 8, 8)
        row.setSpacing(6)
        row.addWidget(self.add_file, 1)
        row.addWidget(self.add_op)

    def show_op_menu(self) -> None:
        """Show the menu that finds and adds an operation or a preset."""
        self.op_menu.pop_up(self.add_op.mapToGlobal(QPoint(0, 0)) - QPoint(160, 0), 280, 380)
