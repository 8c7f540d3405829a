"""When dialogs that take long to make are shown."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication, QDialog, QWidget

from app.services.event_loop import BUSY_SECONDS, turn_queue
from app.widgets.large_dialogs import ask_later, show_later
from tests.app.turns import compute


def test_a_dialog_is_shown_at_once(qapp: QApplication, qtbot: Any):
    parent = QWidget()
    qtbot.addWidget(parent)
    dialog = QDialog(parent)
    ask_later(dialog)
    assert dialog.isVisible() and dialog.isModal()


def test_one_that_took_long_to_make_is_shown_before_the_next_input(qapp: QApplication, busy_turns: None, qtbot: Any):
    parent = QWidget()
    qtbot.addWidget(parent)
    dialog = QDialog(parent)
    compute(BUSY_SECONDS + 0.002)
    ask_later(dialog)
    assert not dialog.isVisible()
    turn_queue().prepare_input()
    assert dialog.isVisible()


def test_a_dialog_beside_its_window_is_shown_in_the_same_way(qapp: QApplication, busy_turns: None, qtbot: Any):
    parent = QWidget()
    qtbot.addWidget(parent)
    dialog, another = QDialog(parent), QDialog(parent)
    turn_queue()._begin()
    show_later(dialog)
    assert dialog.isVisible() and not dialog.isModal()
    compute(BUSY_SECONDS + 0.002)
    show_later(another)
    assert not another.isVisible()
    turn_queue().prepare_input()
    assert another.isVisible() and not another.isModal()


def test_one_whose_parent_is_gone_is_not_shown(qapp: QApplication, busy_turns: None):
    parent = QWidget()
    dialog = QDialog(parent)
    compute(BUSY_SECONDS + 0.002)
    ask_later(dialog)
    parent.deleteLater()
    qapp.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    turn_queue().prepare_input()
    assert not turn_queue().waits
