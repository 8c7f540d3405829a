"""Picking a neutral on the image."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPoint

from app.model.viewport import Viewport
from app.shell.main_window import MainWindow
from engine import Grade, Layer, ops
from engine.mattes import Ellipse, Leaf, Matte
from tests.app.hands import LEFT, Key
from tests.app.panels.acting import is_picking
from tests.typed import expect


def test_a_picked_grey_comes_out_neutral(opened: MainWindow, qtbot: Any):
    before = ops.Cdl((1.2, 1.0, 1.3))
    opened.document.open_grade(Grade([before, ops.WhiteBalance(), ops.Contrast(1.5)]), None)
    body = opened.panel.cards[1].body
    qtbot.mouseClick(body.pick, LEFT)
    assert is_picking(opened)
    qtbot.mouseClick(opened.canvas, LEFT, pos=opened.canvas.rect().center())
    qtbot.waitUntil(lambda: opened.document.grade.entries[1] != ops.WhiteBalance())
    assert not is_picking(opened)
    assert not body.pick.isChecked()
    balance = expect(ops.WhiteBalance, opened.document.grade.entries[1])
    height, width = opened.document.image.pixels.shape[:2]
    colour = before.reference(opened.document.image.pixels[height // 2, width // 2].astype(float))
    grey = balance.reference(colour)[:3]
    assert np.ptp(grey) < 0.03 * grey.mean()


def test_picking_ends_by_escape_and_a_colour_is_refused(opened: MainWindow, qtbot: Any):
    opened.document.open_grade(Grade([ops.WhiteBalance()]), None)
    pick = opened.panel.cards[0].body.pick
    qtbot.mouseClick(pick, LEFT)
    qtbot.keyClick(opened.focusWidget(), Key.Key_Escape)
    assert not pick.isChecked()
    assert opened.focusWidget() is pick
    assert not is_picking(opened)
    qtbot.mouseClick(pick, LEFT)
    left, top, _, _ = expect(Viewport, opened.canvas.viewport).on_screen((0.0, 0.0, 192.0, 108.0))
    qtbot.mouseClick(opened.canvas, LEFT, pos=QPoint(round(left) + 3, round(top) + 3))
    qtbot.waitUntil(lambda: opened.bar.isVisible())
    assert opened.document.grade.entries == (ops.WhiteBalance(),)


def test_another_entry_takes_the_picking_over(opened: MainWindow, qtbot: Any):
    opened.document.open_grade(Grade([ops.WhiteBalance(), ops.WhiteBalance(5000.0)]), None)
    first, second = (card.body.pick for card in opened.panel.cards)
    qtbot.mouseClick(first, LEFT)
    qtbot.mouseClick(second, LEFT)
    assert (first.isChecked(), second.isChecked(), is_picking(opened)) == (False, True, True)
    qtbot.keyClick(opened.focusWidget(), Key.Key_Escape)
    assert not second.isChecked() and not is_picking(opened)


def test_a_grey_is_picked_by_keys(opened: MainWindow, qtbot: Any):
    opened.document.open_grade(Grade([ops.WhiteBalance()]), None)
    pick = opened.panel.cards[0].body.pick
    pick.setFocus()
    qtbot.keyClick(pick, Key.Key_Space)
    qtbot.keyClick(opened.focusWidget(), Key.Key_Right)
    qtbot.keyClick(opened.focusWidget(), Key.Key_Return)
    qtbot.waitUntil(lambda: opened.document.grade.entries[0] != ops.WhiteBalance())
    assert not pick.isChecked() and opened.focusWidget() is pick


@pytest.mark.parametrize("inverted", [False, True])
def test_a_grey_is_picked_below_an_entry_with_a_matte(opened: MainWindow, qtbot: Any, inverted: bool):
    before = ops.Cdl((1.2, 1.0, 1.3))
    matte = Matte(Leaf(Ellipse(center=(96.0, 54.0), size=(30.0, 30.0)), inverted=inverted))
    opened.document.open_grade(Grade([Layer(before, matte=matte), ops.WhiteBalance()]), None)
    body = opened.panel.cards[1].body
    qtbot.mouseClick(body.pick, LEFT)
    qtbot.mouseClick(opened.canvas, LEFT, pos=opened.canvas.rect().center())
    qtbot.waitUntil(lambda: opened.document.grade.entries[1] != ops.WhiteBalance())
    balance = expect(ops.WhiteBalance, opened.document.grade.entries[1])
    height, width = opened.document.image.pixels.shape[:2]
    colour = opened.document.image.pixels[height // 2, width // 2].astype(float)
    grey = balance.reference(colour if inverted else before.reference(colour))[:3]
    assert np.ptp(grey) < 0.03 * grey.mean()
