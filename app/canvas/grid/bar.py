"""The bar above the compare grid: the kind of cells, their number, the page, and a button to leave."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QLabel, QToolButton, QWidget

from app.canvas.grid.stage import GridStage
from app.model.grid import SHAPES
from app.widgets.choice_box import ChoiceBox
from app.widgets.small_buttons import icon_button

HEIGHT = 34
"""In device-independent pixels."""
KIND_WIDTH, COUNT_WIDTH = 110, 28


class GridBar(QWidget):
    """Chooses what a grid shows."""

    def __init__(self, parent: QWidget, stage: GridStage) -> None:
        super().__init__(parent)
        self._stage = stage
        self.setObjectName("gridBar")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        labels = tuple(kind.label for kind in stage.kinds)
        self.kind = ChoiceBox(labels, "What the grid compares", "Compare images, stills, layers, versions or LUTs")
        self.kind.setFixedWidth(KIND_WIDTH)
        self.kind.activated.connect(lambda at: stage.show(kind=stage.kinds[at].name))
        self.counts = QButtonGroup(self)
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 4, 6, 4)
        row.setSpacing(2)
        row.addWidget(self.kind)
        row.addSpacing(8)
        for count in SHAPES:
            button = QToolButton()
            button.setText(str(count))
            button.setCheckable(True)
            button.setObjectName("segment")
            button.setFixedWidth(COUNT_WIDTH)
            button.setToolTip(f"Show {count} cells")
            button.setAccessibleName(f"{count} cells")
            button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
            button.clicked.connect(partial(stage.show, count=count))
            self.counts.addButton(button, count)
            row.addWidget(button)
        row.addSpacing(8)
        self.back = icon_button("previous-frame", "Show the cells before (Page Up)", "Previous cells")
        self.back.clicked.connect(lambda: stage.turn(-1))
        self.next = icon_button("next-frame", "Show the cells after these (Page Down)", "Next cells")
        self.next.clicked.connect(lambda: stage.turn(1))
        self.page = QLabel()
        self.page.setObjectName("note")
        for widget in (self.back, self.next, self.page):
            row.addWidget(widget)
        row.addStretch(1)
        self.end = icon_button("remove", "Show the image again (Esc)", "Leave the grid")
        self.end.clicked.connect(stage.leave)
        row.addWidget(self.end)

    def follow(self) -> None:
        """Show what the grid shows now."""
        stage = self._stage
        self.kind.setCurrentIndex(stage.kinds.index(stage.kind))
        self.counts.button(stage.count).setChecked(True)
        total, last = len(stage.sources), min(stage.first + stage.count, len(stage.sources))
        self.page.setText(f"{stage.first + 1}–{last} of {total}" if total else "")
        self.back.setEnabled(stage.first > 0)
        self.next.setEnabled(last < total)
