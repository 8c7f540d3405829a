"""The row of buttons that track a window, apart from what they do."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtGui import QAction

from app.panels.mattes.track_row import OPTIONS, WAYS, TrackRow
from app.widgets.small_buttons import icon_button


def test_commands_outlive_the_row(qtbot: Any) -> None:
    actions = {name: QAction(name) for name in (*WAYS, *OPTIONS)}
    for name, action in actions.items():
        action.setObjectName(name)
    row = TrackRow(actions, icon_button)
    qtbot.addWidget(row)
    actions["track_stop"].setEnabled(False)
    assert not row.ways["track_stop"].isEnabled()
    row.deleteLater()
    QCoreApplication.sendPostedEvents(row, QEvent.Type.DeferredDelete)
    with qtbot.captureExceptions() as exceptions:
        actions["track_stop"].setEnabled(True)
    assert not exceptions
