"""The page of the Match panel that fits the image to the ColorChecker in it."""

from __future__ import annotations

import math

import numpy as np
from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtGui import QColor, QPixmap
from PySide6.QtWidgets import (
    QGridLayout,
    QHBoxLayout,
    QHeaderView,
    QTreeWidget,
    QTreeWidgetItem,
)

from app.canvas.chart_tool import ChartTool
from app.panels.match.page import MatchPage, caption
from app.services.chart_matching import ChartMatching
from app.widgets.choice_box import ChoiceBox
from app.widgets.showing import push_button
from engine.core.colorimetry import PRIMARIES, adaptation, to_xyz
from engine.matching import KEEPS, PATCHES
from engine.matching.chart_values import D50, published_xyz

KEPT = {"nothing": "Nothing", "exposure": "Exposure", "white": "Exposure and white balance"}
LINES = {
    "none": "Place corners draws a chart on the image; drag its corners onto the corners of the patches.",
    "wrong": "The corners do not form a chart: place them in turn around it.",
    "busy": "Measuring the chart…",
    "there": "Mean error {:.2f} before, {:.2f} after (CIEDE2000). Shown on the image; Apply adds it to the grade.",
    "doubtful": "Mean error {:.1f} after the fit: place the corners on the chart, dark skin first, or turn it.",
}
ROW = 20
SWATCH = 12


class ChartPage(MatchPage):
    """Places the chart, and shows the errors of its patches."""

    def __init__(self, chart: ChartMatching, tool: ChartTool) -> None:
        super().__init__("fit")
        self._chart, self._tool = chart, tool
        self.place = push_button("Place corners", "Draw the chart on the image and move its corners there", self.begin)
        self.turn = push_button(
            "Turn", "Turn the chart by a quarter, so that dark skin is at the next corner", chart.turn
        )
        self.keep = ChoiceBox(tuple(KEPT.values()), "Keep", "What the fit preserves in the image")
        for number, about in enumerate(KEEPS.values()):
            self.keep.setItemData(number, about, Qt.ItemDataRole.ToolTipRole)
        self.table, self.items = _table()
        self._rows = [("", "", True)] * len(self.items)  # what each item shows
        self.apply = push_button("Apply", "Add the matrix to the end of the grade, as one undo step", self._apply)
        self.cancel = push_button("Cancel", "Show the image without the fit, and remove the chart", self._cancel)
        self._lay_out()
        self.keep.activated.connect(lambda at: chart.set_keep(list(KEEPS)[at]))
        self.strength.edited.connect(chart.set_strength)
        chart.changed.connect(self.refresh)
        self.refresh()

    def begin(self) -> None:
        """Put the chart on the image."""
        self._tool.begin()
        self.refresh()

    def refresh(self) -> None:
        """Show the fit as it is."""
        chart, fit = self._chart, self._chart.fit
        self.turn.setEnabled(chart.corners is not None)
        self.keep.setCurrentIndex(list(KEEPS).index(chart.keep))
        self.strength.set_number(chart.strength)
        state = self._state()
        means = () if fit is None else fit.means[1:] if state == "doubtful" else fit.means
        self.line.setText(chart.problem or LINES[state].format(*means))
        self.apply.setEnabled(chart.can_apply and not chart.busy)
        self.cancel.setEnabled(chart.corners is not None)
        self._show_errors()

    # -- inside

    def _show_errors(self) -> None:
        """Show the errors of all patches, as one change of the table, which measures its columns after each."""
        fit = self._chart.fit
        none = [math.nan] * len(self.items)
        before, after = (none, none) if fit is None else (fit.before, fit.after)
        used = [True] * len(self.items) if fit is None else [bool(each) for each in fit.used]
        rows = [(_text(one), _text(two), own) for one, two, own in zip(before, after, used, strict=True)]
        if rows == self._rows:
            return
        model = self.table.model()
        with QSignalBlocker(model):
            for item, row, shown in zip(self.items, rows, self._rows, strict=True):
                if row != shown:
                    _show_row(item, *row)
        self._rows = rows
        model.dataChanged.emit(model.index(0, 0), model.index(len(rows) - 1, 2))

    def _state(self) -> str:
        """Return the key of the line that says how far the fit is."""
        chart, fit = self._chart, self._chart.fit
        if chart.place is None:
            return "none" if chart.corners is None else "wrong"
        if fit is None:
            return "busy"
        return "doubtful" if fit.is_doubtful else "there"

    def _apply(self) -> None:
        self._tool.end()
        self._chart.apply()

    def _cancel(self) -> None:
        self._tool.end()
        self._chart.clear()

    def _lay_out(self) -> None:
        column = self._column
        above = QHBoxLayout()
        for button in (self.place, self.turn):
            above.addWidget(button)
        above.addStretch(1)
        column.addLayout(above)
        grid = QGridLayout()
        grid.setColumnStretch(1, 1)
        grid.addWidget(caption("&Keep", self.keep), 0, 0)
        grid.addWidget(self.keep, 0, 1)
        column.addLayout(grid)
        self._add_end(self.cancel, self.apply)
        column.addWidget(self.table, 1)


def _text(error: float) -> str:
    return "" if math.isnan(error) else f"{error:.2f}"


def _show_row(item: QTreeWidgetItem, before: str, after: str, used: bool) -> None:
    """Show the errors of a patch, and whether it is `used` by the fit."""
    item.setText(1, before)
    item.setText(2, after)
    item.setDisabled(not used)
    item.setToolTip(2, "" if used else "Left out of the fit: it is hidden, has a glint, or is not in the image")


def _table() -> tuple[QTreeWidget, list[QTreeWidgetItem]]:
    """Return the table of the patches and its items, without errors."""
    table = QTreeWidget()
    table.setAccessibleName("Errors of the patches")
    table.setToolTip("Errors of the 24 patches before and after the fit, CIEDE2000; those that are grey are left out")
    table.setRootIsDecorated(False)
    table.setUniformRowHeights(True)
    table.setHeaderLabels(["Patch", "Before", "After"])
    table.setSelectionMode(QTreeWidget.SelectionMode.NoSelection)
    right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
    items = list[QTreeWidgetItem]()
    for (name, _), colour in zip(PATCHES, _colours(), strict=True):
        item = QTreeWidgetItem([name, "", ""])
        pixmap = QPixmap(SWATCH, SWATCH)
        pixmap.fill(colour)
        item.setIcon(0, pixmap)
        for column in (1, 2):
            item.setTextAlignment(column, right)
        items.append(item)
    table.addTopLevelItems(items)
    header = table.header()
    header.setStretchLastSection(False)
    header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
    for column in (1, 2):
        table.headerItem().setTextAlignment(column, right)
        header.setSectionResizeMode(column, QHeaderView.ResizeMode.ResizeToContents)
    table.setMinimumHeight(8 * ROW)
    return table, items


def _colours() -> list[QColor]:
    """Return the published colours of the patches as sRGB."""
    matrix = to_xyz(PRIMARIES["rec709"])
    rgb = published_xyz() @ adaptation(D50, matrix.sum(axis=1)).T @ np.linalg.inv(matrix).T
    rgb = np.clip(rgb, 0.0, 1.0)
    shown = np.where(rgb <= 0.0031308, 12.92 * rgb, 1.055 * rgb ** (1.0 / 2.4) - 0.055)  # IEC 61966-2-1
    return [QColor.fromRgbF(*row) for row in shown.tolist()]
