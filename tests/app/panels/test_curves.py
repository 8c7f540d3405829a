"""The editor of curves, driven by mouse and keyboard."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPointF

from app.panels.curves_body import RgbCurvesBody
from app.shell.main_window import MainWindow
from app.widgets.curve_planes import rgb_plane, rgb_sample
from app.widgets.curve_points import Points, added, moved, points_of, removed
from engine import ops
from engine.kernel.op import Table
from tests.app.hands import LEFT, SHIFT, Key
from tests.app.panels.acting import choose, pull, show
from tests.typed import expect


def curve_card(window: MainWindow) -> RgbCurvesBody:
    body = show(window, ops.GradingRgbCurve.straight()).body
    assert isinstance(body, RgbCurvesBody)
    return body


def points(window: MainWindow, name: str = "master") -> Points:
    """Those of a curve of the first entry."""
    op = expect(ops.GradingRgbCurve, window.document.grade.entries[0])
    return points_of(getattr(op, name), rgb_plane(op.style))


def test_points_are_dragged_added_and_removed_by_mouse(graded: MainWindow, qtbot: Any):
    body = curve_card(graded)
    plot = body.plot
    pull(plot, plot.place(0.5, 0.5), QPointF(0, -30), qtbot)
    assert points(graded)[1][0] == pytest.approx(0.5, abs=0.01)
    assert points(graded)[1][1] > 0.6
    assert graded.document.steps == 1
    qtbot.mouseClick(plot, LEFT, pos=plot.place(0.25, 0.3).toPoint())
    assert len(points(graded)) == 4
    assert plot.at == 1
    assert body.boxes["x"].value() == pytest.approx(0.25, abs=0.01)
    x, y, _ = plot.points[1]
    qtbot.mouseDClick(plot, LEFT, pos=plot.place(x, y).toPoint())
    assert len(points(graded)) == 3
    for _ in range(3):
        graded.document.undo()
    assert graded.document.grade.entries[0] == ops.GradingRgbCurve.straight()


def test_points_by_keys_and_by_typing(graded: MainWindow, qtbot: Any):
    body = curve_card(graded)
    qtbot.mouseClick(body.tabs["red"], LEFT)
    plot = body.plot
    plot.setFocus()
    qtbot.keyClick(plot, Key.Key_PageUp)
    qtbot.keyClick(plot, Key.Key_Up)
    qtbot.keyClick(plot, Key.Key_Up, SHIFT)
    op = expect(ops.GradingRgbCurve, graded.document.grade.entries[0])
    assert points(graded, "red")[1][:2] == pytest.approx((0.5, 0.511))
    assert op.curves == "all"
    assert op.master == ops.GradingRgbCurve.straight().master
    qtbot.keyClick(plot, Key.Key_Insert)
    assert len(points(graded, "red")) == 4
    qtbot.keyClick(plot, Key.Key_Delete)
    assert len(points(graded, "red")) == 3
    body.boxes["y"].setFocus()
    body.boxes["y"].selectAll()
    qtbot.keyClicks(body.boxes["y"], "0.9")
    qtbot.keyClick(body.boxes["y"], Key.Key_Return)
    assert points(graded, "red")[plot.at][1] == pytest.approx(0.9)
    qtbot.mouseClick(body.reset, LEFT)
    assert graded.document.grade.entries[0] == ops.GradingRgbCurve.straight()


def test_the_curve_that_is_drawn_is_the_ops_own(graded: MainWindow):
    """Against the op on grey pixels, and against OpenColorIO, whose curve it is."""
    ocio = pytest.importorskip("PyOpenColorIO")
    four = ((0.0, 0.1, 0.0), (0.4, 0.3, 0.0), (0.7, 0.9, 0.0), (1.0, 1.0, 0.0))
    xs = np.linspace(-0.1, 1.1, 50)
    curve = ocio.GradingBSplineCurve([value for x, y, _ in four for value in (x, y)])
    straight = ocio.GradingBSplineCurve([0.0, 0.0, 0.5, 0.5, 1.0, 1.0])
    transform = ocio.GradingRGBCurveTransform(
        ocio.GradingRGBCurve(straight, straight, straight, curve), ocio.GRADING_LOG
    )
    processor = ocio.Config.CreateRaw().getProcessor(transform).getDefaultCPUProcessor()
    right = [processor.applyRGB([x, x, x])[0] for x in xs]
    assert rgb_sample(four, xs) == pytest.approx(right, abs=2e-6)


def test_points_keep_their_order():
    plane = rgb_plane("log")
    three = points_of(ops.GradingRgbCurve.straight().red, plane)
    assert moved(three, 1, 5.0, 5.0, plane)[0][1][:2] == pytest.approx((1.0 - 0.00464, 1.0))
    assert moved(three, 1, -5.0, -5.0, plane)[0][1][:2] == pytest.approx((0.00464, 0.0))
    assert moved(three, 0, -5.0, -5.0, plane)[0][0][:2] == pytest.approx((plane.x.first, plane.y.first))
    more, at = added(three, 0.75, 0.2, plane)
    assert more[at] == (0.75, 0.5, 0.0), "not below the one before it"
    assert added(three, 0.5001, 0.9, plane) == (three, 1), "no room beside another"
    assert removed(three[:2], 0) == three[:2]


def test_another_style_keeps_the_shape_of_the_curves(graded: MainWindow, qtbot: Any):
    body = curve_card(graded)
    graded.document.edit_entry(0, ops.GradingRgbCurve.straight().replace(master=Table([(0, 0.1, 0), (1, 1, 0)])), "x")
    choose(graded, graded.panel.cards[0], "Style", "linear", qtbot)
    op = expect(ops.GradingRgbCurve, graded.document.grade.entries[0])
    assert op.style == "linear"
    assert points(graded) == pytest.approx(np.array([(-7.0, -5.6, 0.0), (7.0, 7.0, 0.0)]), abs=1e-5)
    assert "stops" in body.plot.toolTip()
