"""Colours picked from the image for curves."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPoint

from app.panels.curves_body import RgbCurvesBody
from app.shell.main_window import MainWindow
from engine import Grade, ops
from tests.app.conftest import begin_with
from tests.app.hands import LEFT, Key
from tests.app.panels.acting import is_picking
from tests.app.panels.test_hue_curves import NEUTRAL
from tests.typed import expect


def middle_colour(window: MainWindow) -> Any:
    height, width = window.document.image.pixels.shape[:2]
    return window.document.image.pixels[height // 2, width // 2].astype(float)


def test_a_picked_colour_is_held_on_the_curve(opened: MainWindow, qtbot: Any):
    before = ops.Cdl((1.4, 1.0, 0.5))
    begin_with(opened.document, Grade([before, NEUTRAL, ops.Contrast(1.5)]))
    body = opened.panel.cards[1].body
    body.show_curve("hue_sat")
    qtbot.mouseClick(body.pick, LEFT)
    qtbot.mouseClick(opened.canvas, LEFT, pos=opened.canvas.rect().center())
    qtbot.waitUntil(lambda: opened.document.steps == 1)
    assert not body.pick.isChecked()
    bent = expect(ops.GradingHueCurve, opened.document.grade.entries[1])
    colour = before.reference(middle_colour(opened))
    met = NEUTRAL.positions_of(tuple(colour[:3]))["hue_sat"]
    plot = body.plot
    assert plot.points[plot.at][:2] == pytest.approx((met, 1.0), abs=0.01)
    beside = [abs((x - met + 0.5) % 1.0 - 0.5) for x, _, _ in plot.points]
    assert sum(1 / 12 - 0.02 < way < 1 / 12 + 0.02 for way in beside) == 2, "and an anchor on each side"
    assert bent.reference(colour) == pytest.approx(colour), "which changes nothing yet"
    assert opened.focusWidget() is plot, "arrow keys move the point"
    for _ in range(20):
        qtbot.keyClick(plot, Key.Key_Down)
    moved = expect(ops.GradingHueCurve, opened.document.grade.entries[1])
    saturation = [ops.RgbHsy().reference(c)[1] for c in (colour, moved.reference(colour))]
    assert saturation[1] == pytest.approx(0.8 * saturation[0], rel=0.02)
    opened.document.undo()
    opened.document.undo()
    assert opened.document.grade.entries[1] == NEUTRAL


def test_a_picked_colour_on_rgb_curves(opened: MainWindow, qtbot: Any):
    begin_with(opened.document, Grade([ops.GradingRgbCurve.straight("linear")]))
    body = opened.panel.cards[0].body
    assert isinstance(body, RgbCurvesBody)
    body.show_curve("red")
    qtbot.mouseClick(body.pick, LEFT)
    qtbot.mouseClick(opened.canvas, LEFT, pos=opened.canvas.rect().center())
    qtbot.waitUntil(lambda: opened.document.steps == 1)
    assert len(body.plot.points) == 4
    red = middle_colour(opened)[0]
    assert body.plot.points[body.plot.at][:2] == pytest.approx([np.log2(red / 0.18)] * 2, abs=0.05)


def test_a_pick_is_a_step_of_its_own_and_finds_an_entry_that_moved(opened: MainWindow, qtbot: Any):
    begin_with(opened.document, Grade([NEUTRAL, ops.Exposure()]))
    body = opened.panel.cards[0].body
    body.show_curve("lum_sat")
    qtbot.mouseClick(body.pick, LEFT)
    opened.document.move_to(0, (2,), "move")
    qtbot.keyClick(body.plot, Key.Key_Up)
    assert opened.document.steps == 2
    qtbot.mouseClick(opened.canvas, LEFT, pos=opened.canvas.rect().center())
    qtbot.waitUntil(lambda: opened.document.steps == 3)
    before = expect(ops.GradingHueCurve, opened.document.grade.entries[1]).lum_sat
    opened.document.undo()
    assert before.size == expect(ops.GradingHueCurve, opened.document.grade.entries[1]).lum_sat.size + 3


def test_an_entry_that_goes_while_a_colour_is_picked(opened: MainWindow, qtbot: Any):
    begin_with(opened.document, Grade([NEUTRAL]))
    qtbot.mouseClick(opened.panel.cards[0].body.pick, LEFT)
    begin_with(opened.document, Grade([ops.Exposure()]))
    qtbot.wait(1)
    qtbot.mouseClick(opened.canvas, LEFT, pos=opened.canvas.rect().center() + QPoint(3, 3))
    qtbot.wait(1)
    assert opened.document.grade.entries == (ops.Exposure(),)
    assert not is_picking(opened)
