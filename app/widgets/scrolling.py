"""Scroll areas for panels that are taller than their dock."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget


def scrolling_column(panel: QWidget) -> QVBoxLayout:
    """Add a vertically scrolling column to a panel and return its layout, with the usual margins."""
    content = QWidget()
    content.setObjectName("cards")
    column = QVBoxLayout(content)
    column.setContentsMargins(10, 10, 10, 10)
    column.setSpacing(8)
    outer = QVBoxLayout(panel)
    outer.setContentsMargins(0, 0, 0, 0)
    outer.addWidget(scroll_area(content))
    return column


def scroll_area(content: QWidget) -> QScrollArea:
    """Return a frameless area that shows a widget at full width and scrolls vertically."""
    area = QScrollArea()
    area.setWidgetResizable(True)
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setWidget(content)
    return area
