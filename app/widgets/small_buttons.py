"""Small square buttons for rows of controls."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QToolButton

from app.widgets.style import icon


def icon_button(name: str, tip: str, accessible: str) -> QToolButton:
    """Return a small button with only an icon."""
    button = _small_button(tip, accessible)
    button.setIcon(icon(name))
    button.setIconSize(QSize(14, 14))
    return button


def letter_button(letter: str, tip: str, accessible: str) -> QToolButton:
    """Return a small button with only a letter."""
    button = _small_button(tip, accessible)
    button.setObjectName("letter")
    button.setText(letter)
    return button


def action_button(action: QAction) -> QToolButton:
    """Return a small button with the icon of an action, which it triggers; a checkable one is shown pressed."""
    button = _small_button(action.toolTip(), action.text().replace("&", ""))
    button.setDefaultAction(action)
    button.setIconSize(QSize(14, 14))
    button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonIconOnly)
    return button


def _small_button(tip: str, accessible: str) -> QToolButton:
    button = QToolButton()
    button.setFixedSize(20, 22)
    button.setToolTip(tip)
    button.setAccessibleName(accessible)
    button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    return button
