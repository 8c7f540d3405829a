"""A combo box for panels and dialogs."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QPaintEvent, QWheelEvent
from PySide6.QtWidgets import QComboBox

BESIDE = 44
"""Pixels beside the text of a box, at most: its padding, its arrow and its frame."""


class ChoiceBox(QComboBox):
    """A combo box that ignores the mouse wheel unless it has the focus, and elides a text that is too long."""

    def __init__(self, options: tuple[str, ...], name: str, tip: str) -> None:
        super().__init__()
        self.addItems(options)
        self.setAccessibleName(name)
        self.setToolTip(tip)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMinimumContentsLength(6)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)

    def paintEvent(self, event: QPaintEvent) -> None:
        if self.fontMetrics().horizontalAdvance(self.currentText()) + BESIDE <= self.width():
            super().paintEvent(event)
        else:
            self._paint_elided()

    def _paint_elided(self) -> None:
        from PySide6.QtWidgets import QStyle, QStyleOptionComboBox, QStylePainter  # QStyle has so many constants

        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        with (painter := QStylePainter(self)):
            painter.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option)
            if not self.isEditable():
                edit = QStyle.SubControl.SC_ComboBoxEditField
                field = self.style().subControlRect(QStyle.ComplexControl.CC_ComboBox, option, edit, self)
                mode = Qt.TextElideMode.ElideMiddle
                option.currentText = option.fontMetrics.elidedText(self.currentText(), mode, field.width() - 2)
                painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)

    def wheelEvent(self, event: QWheelEvent) -> None:
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()
