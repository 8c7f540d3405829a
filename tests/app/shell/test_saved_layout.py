"""Layouts that were saved before a panel existed."""

from __future__ import annotations

from typing import Any
from unittest.mock import patch

from PySide6.QtWidgets import QApplication, QMainWindow, QMenu, QWidget

from app.services.jobs import Jobs
from app.services.settings import Settings
from app.shell.docks import Docks
from app.shell.panels import PANELS


def test_a_layout_from_before_a_panel_was_added_still_loads(qtbot: Any):
    settings = Settings(None, Jobs())

    def docks(qtbot: Any) -> Docks:
        window = QMainWindow()
        qtbot.addWidget(window)
        made = Docks(lambda _spec: QWidget(), settings, window, QMenu(window))
        made.restore()
        window.resize(1280, 720)
        window.show()
        return made

    with patch("app.shell.docks.PANELS", tuple(spec for spec in PANELS if spec.name != "wheels")):
        before = docks(qtbot)
        before.show("exports")
        before.docks["grade"].hide()
        before.save()
    after = docks(qtbot)
    assert after.docks["exports"].isVisible() and after.docks["grade"].isHidden() and after.docks["wheels"].isHidden()
    after.show("wheels")
    QApplication.processEvents()
    assert after.docks["wheels"].isVisible() and not after.docks["wheels"].isFloating()
