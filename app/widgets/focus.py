"""The keyboard focus across changes that make controls anew."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QDockWidget, QWidget
from shiboken6 import isValid


def keep_focus(change: Callable[[], object]) -> None:
    """Make a change; then give the focus back to the control that had it, or to the one that took its place.

    That is a control of the same type and name that the change made in the same panel. Without one, the focus is where
    the change left it: a control that was there before belongs to something else, such as another entry of a grade.
    """
    focus = QApplication.focusWidget()
    if focus is None:
        change()
        return
    panel = _panel_of(focus)
    alike = partial(_alike, type(focus), focus.accessibleName(), panel)
    before = alike()
    change()
    now: QWidget | None = focus if isValid(focus) and _is_usable(focus) else None
    if now is None and isValid(panel):
        now = next((each for each in alike() if each not in before and _is_usable(each)), None)
    if now is not None and now is not QApplication.focusWidget():
        now.setFocus(Qt.FocusReason.OtherFocusReason)


def _alike(kind: type[QWidget], name: str, panel: QWidget) -> list[QWidget]:
    """Return the controls of a type and name in a panel; none without a name."""
    return [each for each in panel.findChildren(kind) if name and each.accessibleName() == name]


def _panel_of(widget: QWidget) -> QWidget:
    """Return the dock that a widget is in, else its window."""
    parent: QWidget | None = widget
    while parent is not None and not isinstance(parent, QDockWidget):
        parent = parent.parentWidget()
    return parent or widget.window()


def _is_usable(widget: QWidget) -> bool:
    return widget.isVisible() and widget.isEnabled()
