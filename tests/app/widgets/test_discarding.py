"""Deletion of many widgets."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication, QWidget
from shiboken6 import isValid

from app.widgets.discarding import Discarding


def test_widgets_are_deleted_one_in_each_turn(qtbot: Any):
    parent = QWidget()
    qtbot.addWidget(parent)
    widgets = [QWidget(parent) for _ in range(5)]
    discarding = Discarding(parent)
    discarding.add(widgets)
    counts = []
    for _ in range(20):
        counts.append(sum(not isValid(widget) for widget in widgets))
        QApplication.processEvents()
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    assert counts[0] == 0 and counts[-1] == len(widgets)
    assert {after - before for before, after in pairwise(counts)} == {0, 1}
