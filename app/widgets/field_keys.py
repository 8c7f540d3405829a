"""Lets the Ctrl shortcuts of a window through text and number fields, which keep some of them for editing."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractSpinBox, QApplication, QComboBox, QDialog, QDoubleSpinBox, QLineEdit, QWidget
from shiboken6 import isValid

FIELDS = (QAbstractSpinBox, QLineEdit, QComboBox)
_EDITING = (Qt.Key.Key_A, Qt.Key.Key_V)
_SELECTION = (Qt.Key.Key_C, Qt.Key.Key_X)
_HISTORY = (Qt.Key.Key_Z, Qt.Key.Key_Y)
_FIRST, _LAST = Qt.Key.Key_Space, Qt.Key.Key_AsciiTilde
"""The keys that write characters; Ctrl with any other key edits text."""


class FieldKeys(QObject):
    """Filters the shortcuts of the field that has the focus, in the panels and bars of a window.

    A field would claim keys such as Ctrl+E, which moves its cursor on some systems. It keeps Ctrl+A and Ctrl+V, Ctrl+C
    and Ctrl+X while text is selected, and Ctrl+Z and Ctrl+Y while typed text is not entered yet.
    """

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._field: QWidget | None = None
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        app.focusChanged.connect(self._follow)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() != QEvent.Type.ShortcutOverride or not isinstance(event, QKeyEvent):
            return False
        if not isinstance(watched, QWidget) or not is_command(event, watched):
            return False
        event.ignore()  # a shortcut of the window, or a key of the field if there is none
        return True

    def _follow(self, _before: QWidget | None, now: QWidget | None) -> None:
        if self._field is not None and isValid(self._field):
            self._field.removeEventFilter(self)
        self._field = now if isinstance(now, FIELDS) and self._owns(now) else None
        if self._field is not None:
            self._field.installEventFilter(self)

    def _owns(self, widget: QWidget) -> bool:
        """Return whether a widget is in the window or a floating panel of it, not in a dialog."""
        top: QWidget | None = widget
        while top is not None and top is not self._window and not isinstance(top, QDialog):
            top = top.parentWidget()
        return top is self._window


def is_command(event: QKeyEvent, field: QWidget) -> bool:
    """Return whether a key with Ctrl is left to the window rather than to the text in a field."""
    if not event.modifiers() & Qt.KeyboardModifier.ControlModifier or not _FIRST <= event.key() <= _LAST:
        return False
    edit = field if isinstance(field, QLineEdit) else field.findChild(QLineEdit)
    if edit is None:
        return True  # a combo box without text to edit
    if event.key() in _HISTORY:
        return not _is_typed(field, edit)
    if event.modifiers() & Qt.KeyboardModifier.AltModifier:
        return not event.text().isprintable() or not event.text()  # else it is AltGr and writes a character
    if event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
        return True
    if event.key() in _SELECTION:
        return not edit.hasSelectedText()
    return event.key() not in _EDITING


def _is_typed(field: QWidget, edit: QLineEdit) -> bool:
    """Return whether text was typed into a field and is not entered yet."""
    if isinstance(field, QDoubleSpinBox):
        return edit.text() != field.prefix() + field.textFromValue(field.value()) + field.suffix()
    return edit.isModified() and (edit.isUndoAvailable() or edit.isRedoAvailable())
