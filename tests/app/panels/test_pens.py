"""Pens: what is drawn with a tablet acts as a mouse, whatever its pressure and the end of the pen."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import QPoint, QPointF
from PySide6.QtGui import QPointingDevice

from app.shell.main_window import MainWindow
from app.widgets.curve_plot import CurvePlot
from app.widgets.wheel import ColourWheel
from engine import ops
from tests.app.hands import LEFT, move, pen
from tests.app.panels.acting import pull, show
from tests.typed import expect


@pytest.mark.parametrize("pointer", [QPointingDevice.PointerType.Pen, QPointingDevice.PointerType.Eraser])
def test_tablet_events_are_left_to_the_mouse(graded: MainWindow, qtbot: Any, pointer: Any):
    card = show(graded, ops.Cdl(), ops.GradingRgbCurve.straight())
    wheel, plot = card.findChild(ColourWheel), graded.panel.cards[1].findChild(CurvePlot)
    before = graded.document.grade, graded.canvas.viewport
    for widget in (wheel, plot, card.title, card.mix, graded.canvas):
        assert not any(pen(widget, pointer))
    assert (graded.document.grade, graded.canvas.viewport) == before
    pull(wheel, QPointF(wheel.rect().center()), QPointF(6, 0), qtbot)
    slope = expect(ops.Cdl, graded.document.grade.entries[0]).slope
    assert slope != (1.0, 1.0, 1.0) and max(slope) < 1.5, "and no jump to where the pen was"


def test_a_title_that_never_sees_the_release_is_let_go(graded: MainWindow, qtbot: Any):

    title = graded.panel.cards[0].title
    qtbot.mousePress(title, LEFT, pos=QPoint(40, 10))
    move(title, QPoint(40, 120), LEFT)
    assert graded.panel.stack.line.isVisible()
    move(title, QPoint(40, 130))
    assert not graded.panel.stack.line.isVisible() and graded.document.steps == 0
