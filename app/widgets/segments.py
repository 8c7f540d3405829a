"""Buttons of segmented controls: side by side, of which one may be checked."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QToolButton


def segment(text: str, tip: str, accessible: str) -> QToolButton:
    """Return a checkable button for a segmented control."""
    button = QToolButton()
    button.setText(text)
    button.setCheckable(True)
    button.setObjectName("segment")
    button.setToolTip(tip)
    button.setAccessibleName(accessible)
    button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    button.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
    return button


def add_segment(row: QHBoxLayout, button: QToolButton) -> None:
    """Add a button to a row of segments; its share of the width grows with its text."""
    row.addWidget(button, 5 + len(button.text()))
