"""The layout of panels with tiles: a bar above them, and details beside them."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget


def lay_out_tiles(panel: QWidget, bar: Sequence[QWidget], search: QWidget, tiles: QWidget, details: QWidget) -> None:
    """Fill a panel. Of the widgets in the bar, `search` takes the remaining width."""
    top = QHBoxLayout()
    top.setContentsMargins(8, 6, 8, 4)
    top.setSpacing(6)
    for widget in bar:
        top.addWidget(widget, int(widget is search))
    left = QVBoxLayout()
    left.setSpacing(0)
    left.addLayout(top)
    left.addWidget(tiles, 1)
    row = QHBoxLayout(panel)
    row.setContentsMargins(0, 0, 0, 0)
    row.setSpacing(0)
    row.addLayout(left, 1)
    row.addWidget(details)
