"""Panels that are higher than their dock."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget


def scrolling_column(panel: QWidget) -> QVBoxLayout:
    """A column for what a panel shows, with the margins of panels; it scrolls up and down where it has no room."""
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
    """Shows a widget as wide as there is room, and scrolls up and down."""
    area = QScrollArea()
    area.setWidgetResizable(True)
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setWidget(content)
    return area
