"""The editor of hue curves, driven by mouse and keyboard."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QApplication

from app.panels.curves_body import HueCurvesBody
from app.shell.main_window import MainWindow
from app.widgets.curve_planes import hue_plane
from app.widgets.curve_points import Points, added, moved, pinned, points_of
from app.widgets.slider import NumberBox
from engine import ops
from engine.grade.grade import bare
from engine.kernel.op import Table
from engine.ocio import ops_from_file
from engine.ops.grading_hue_curve import CURVES
from tests.app.hands import LEFT, SHIFT, Key
from tests.app.panels.acting import choose, pull, show
from tests.engine.ocio_corpus import CORPUS

REAL = CORPUS / "grading_hue_curve.ctf"
RIGHT = Qt.MouseButton.RightButton
NEUTRAL = ops.GradingHueCurve.neutral()
BENT = Table([(0.1, 1.3, 0), (0.3, 0.6, 0), (0.55, 1.6, 0), (0.8, 1, 0)])
TURNED = Table([(0.02, 0.06, 0), (0.3, 0.31, 0), (0.55, 0.5, 0), (0.95, 1.01, 0)])


def hue_card(window: MainWindow, name: str, op: ops.GradingHueCurve = NEUTRAL) -> HueCurvesBody:
    body = show(window, op).body
    assert isinstance(body, HueCurvesBody)
    body.tabs[name].click()
    QApplication.processEvents()  # the plot has its size
    return body


def entry(window: MainWindow) -> Any:
    return window.document.grade.entries[0]


def points(window: MainWindow, name: str) -> Points:
    return points_of(getattr(entry(window), name), hue_plane(name, entry(window).style))


def type_into(box: NumberBox, text: str, qtbot: Any) -> None:
    box.setFocus()
    box.selectAll()
    qtbot.keyClicks(box, text)
    qtbot.keyClick(box, Key.Key_Return)


def test_points_are_dragged_added_and_removed_by_mouse(graded: MainWindow, qtbot: Any):
    body = hue_card(graded, "hue_sat")
    plot = body.plot
    pull(plot, plot.place(0.5, 1.0), QPointF(0, -40), qtbot)
    x, y, _ = points(graded, "hue_sat")[3]
    assert (x, y) == pytest.approx((0.5, 1.47), abs=0.02)
    assert graded.document.steps == 1
    assert body.boxes["x"].text() == "120.0 °", "green"
    qtbot.mouseClick(plot, LEFT, pos=plot.place(0.42, 0.5).toPoint())
    assert len(points(graded, "hue_sat")) == 7
    assert plot.at == 3
    qtbot.mouseClick(plot, RIGHT, pos=plot.place(*plot.points[3][:2]).toPoint())
    assert len(points(graded, "hue_sat")) == 6
    qtbot.mouseDClick(plot, LEFT, pos=plot.place(*plot.points[1][:2]).toPoint())
    assert len(points(graded, "hue_sat")) == 5
    for _ in range(4):
        graded.document.undo()
    assert entry(graded) == NEUTRAL
    for _ in range(4):
        graded.document.redo()
    assert len(points(graded, "hue_sat")) == 5


def test_hue_goes_round(graded: MainWindow, qtbot: Any):
    """Red is at both ends of the plot; a point is dragged over the hue where the op begins to count, magenta."""
    body = hue_card(graded, "hue_hue")
    plot = body.plot
    red = 1.0 / 6.0
    pull(plot, plot.place(red + 1.0, red + 1.0), QPointF(0, -20), qtbot)
    x, y, _ = points(graded, "hue_hue")[1]
    assert x == pytest.approx(red, abs=1e-6)
    assert y - x == pytest.approx(20.0 / plot._box().height() * plot.plane.y.span * 1.08, abs=0.005)
    plot.setFocus()
    plot._select(5)  # blue, next to magenta
    for _ in range(2):
        qtbot.keyClick(plot, Key.Key_Up)
    before = len(points(graded, "hue_hue"))
    qtbot.keyClick(plot, Key.Key_Delete)
    plot._select(0)  # magenta
    for _ in range(5):
        qtbot.keyClick(plot, Key.Key_Left)
    assert len(points(graded, "hue_hue")) == before - 1
    assert plot.at == before - 2, "it is the last now"
    x, y, _ = points(graded, "hue_hue")[-1]
    assert (x, y - x) == pytest.approx((1.0 - 5.0 / 360.0, 0.0), abs=1e-6), "moved sideways it shifts as much"
    assert body.boxes["x"].value() == pytest.approx(295.0, abs=1e-3)
    for _ in range(7):
        qtbot.keyClick(plot, Key.Key_Right)
    assert plot.at == 0
    assert points(graded, "hue_hue")[0][0] == pytest.approx(2.0 / 360.0, abs=1e-6)


def test_points_by_keys_and_by_typing(graded: MainWindow, qtbot: Any):
    body = hue_card(graded, "hue_lum")
    plot = body.plot
    plot.setFocus()
    qtbot.keyClick(plot, Key.Key_PageUp)
    qtbot.keyClick(plot, Key.Key_Up)
    qtbot.keyClick(plot, Key.Key_Up, SHIFT)
    assert points(graded, "hue_lum")[1][:2] == pytest.approx((1.0 / 6.0, 1.011))
    qtbot.keyClick(plot, Key.Key_Insert)
    assert len(points(graded, "hue_lum")) == 7
    assert points(graded, "hue_lum")[2][0] == pytest.approx(0.25)
    qtbot.keyClick(plot, Key.Key_Delete)
    for letter, text in (("x", "45"), ("y", "0.8")):
        type_into(body.boxes[letter], text, qtbot)
    assert points(graded, "hue_lum")[plot.at][:2] == pytest.approx((1.0 / 6.0 + 0.125, 0.8))
    assert entry(graded).replace(hue_lum=NEUTRAL.hue_lum) == NEUTRAL


def test_a_number_that_is_typed_leaves_the_other_as_it_is(graded: MainWindow, qtbot: Any):
    """Also of hues that are shown as nearly a turn: magenta, where the op begins to count, is 300 degrees."""
    near = Table([(0.0, 1.0, 0), (0.1, 1.1234567, 0), (0.101, 1.1, 0), (0.6, 1, 0)])
    body = hue_card(graded, "hue_sat", NEUTRAL.replace(hue_sat=near))
    for at in (0, 1, 2):
        body.plot._select(at)
        before = points(graded, "hue_sat")[at][0]
        type_into(body.boxes["y"], f"0.{at + 5}", qtbot)
        assert points(graded, "hue_sat")[at][:2] == pytest.approx((before, 0.5 + 0.1 * at), abs=1e-7)
    body.plot._select(0)
    type_into(body.boxes["x"], "290", qtbot)
    assert body.plot.at == 3, "it is the last now"
    assert points(graded, "hue_sat")[3][:2] == pytest.approx((290.0 / 360.0 + 1.0 / 6.0, 0.5))
    type_into(body.boxes["x"], "310", qtbot)
    assert points(graded, "hue_sat")[0][:2] == pytest.approx((10.0 / 360.0, 0.5))


def test_curves_are_chosen_by_keys_and_reset(graded: MainWindow, qtbot: Any):
    body = hue_card(graded, "hue_hue", NEUTRAL.replace(hue_sat=BENT, direction="reverse"))
    body.tabs["hue_hue"].setFocus()
    qtbot.keyClick(body.tabs["hue_hue"], Key.Key_Right)
    qtbot.keyClick(body.tabs["hue_sat"], Key.Key_Space)
    assert body.active == "hue_sat"
    assert [name for name, tab in body.tabs.items() if tab.property("changed")] == ["hue_sat"]
    body.plot._select(1)
    qtbot.keyClick(body.plot, Key.Key_Down)
    qtbot.mouseClick(body.reset, LEFT)
    assert entry(graded) == NEUTRAL.replace(direction="reverse")
    assert not body.reset.isEnabled()
    graded.document.edit_entry(0, NEUTRAL.replace(hue_sat=BENT, hue_hue=TURNED), "x")
    qtbot.mouseClick(body.reset_all, LEFT)
    assert entry(graded) == NEUTRAL
    assert not body.reset_all.isEnabled()


@pytest.mark.parametrize("style", ["log", "linear", "video"])
def test_every_curve_that_is_drawn_is_the_ops_own(graded: MainWindow, style: str):
    op = ops.GradingHueCurve.neutral(style)
    op = op.replace(hue_sat=BENT, hue_lum=BENT, hue_fx=BENT, sat_lum=BENT, lum_sat=BENT, hue_hue=TURNED)
    op = op.replace(sat_sat=TURNED, lum_lum=TURNED)
    body = hue_card(graded, "hue_hue", op)
    for name in CURVES:
        body.tabs[name].click()
        plot = body.plot
        line = plot._line(plot.points).toList()
        assert len(line) > 100
        seen = np.array([plot._shown_at(at) for at in line])
        seen[:, 1] += plot.plane.lean * seen[:, 0]
        if name.startswith("hue"):
            whole = np.floor(seen[:, 0])
            assert set(whole) == {0.0, 1.0}, "beyond the turn, the curve goes on"
            seen -= whole[:, None] * (1.0, float(name == "hue_hue"))
        inside = np.abs(seen[:, 1] - np.mean(plot.plane.y.lines)) < 1.4 * plot.plane.y.span
        assert inside.sum() > 10
        assert seen[inside, 1] == pytest.approx(op.sampled(name, seen[inside, 0]), abs=1e-6)


@pytest.mark.parametrize("style", ["log", "linear", "video"])
def test_the_strip_shows_which_hue_is_where(graded: MainWindow, style: str):
    """The op itself is asked for the hue of the colours on the screen."""
    op = ops.GradingHueCurve.neutral(style)
    plot = hue_card(graded, "hue_sat", op).plot
    image = plot.grab().toImage()
    row = round((plot._box().bottom() + 3) * image.devicePixelRatio())
    for degrees in range(0, 360, 15):
        x = plot.plane.x.meant(degrees)
        column = plot.place(x, 1.0).x() * image.devicePixelRatio()
        colour = np.array(QColor(image.pixelColor(int(column), row)).getRgbF())
        if style == "linear":
            colour = ops.ExponentWithLinear((2.4,) * 3, (0.055,) * 3).reference(colour)
        hue = (op.positions_of(tuple(colour[:3]))["hue_sat"] - x + 0.5) % 1.0 - 0.5
        assert abs(hue) < 3.0 / 360.0, f"{degrees} degrees: off by {hue * 360:.1f}"


def test_slopes_stay_until_they_are_dropped(graded: MainWindow, qtbot: Any):
    given = Table([(0.0, 0.0, 1.0), (0.4, 0.5, 0.9), (1.0, 1.0, 0.5)])
    body = hue_card(graded, "lum_lum", NEUTRAL.replace(lum_lum=given))
    assert body.estimate.isVisible()
    plot = body.plot
    pull(plot, plot.place(0.4, 0.5), QPointF(5, -9), qtbot)
    assert [slope for _, _, slope in points(graded, "lum_lum")] == pytest.approx([1.0, 0.9, 0.5])
    before = entry(graded).sampled("lum_lum", 0.7)
    qtbot.mouseClick(plot, LEFT, pos=plot.place(0.7, float(before)).toPoint())
    slopes = [slope for _, _, slope in points(graded, "lum_lum")]
    assert slopes[:2] == pytest.approx([1.0, 0.9])
    assert 0.5 < slopes[2] < 1.2, "that of the curve"
    qtbot.mouseClick(body.estimate, LEFT)
    assert not any(slope for _, _, slope in points(graded, "lum_lum"))
    assert not body.estimate.isVisible()


@pytest.mark.skipif(not REAL.exists(), reason="the corpus is absent")
def test_curves_of_a_real_file_are_the_same_as_points_of_the_plot(graded: MainWindow, qtbot: Any):
    """A point of them that is moved back and forth leaves them as they were; hue within 0..1 is another name of it."""
    (op,) = ops_from_file(REAL)
    assert isinstance(op, ops.GradingHueCurve)
    assert op.takes == "rgb"
    body = hue_card(graded, "hue_hue", op)
    xs = np.linspace(0.0, 0.99, 100)
    for name in CURVES:
        body.tabs[name].click()
        for key in (Key.Key_Up, Key.Key_Down):
            qtbot.keyClick(body.plot, key)
        assert entry(graded).sampled(name, xs) == pytest.approx(op.sampled(name, xs), abs=1e-5)


def test_another_style_keeps_the_shape_of_what_is_over_luma(graded: MainWindow, qtbot: Any):
    op = NEUTRAL.replace(lum_sat=Table([(0, 1.2, 0.1), (1, 0.8, 0)]), lum_lum=Table([(0, 0.1, 0), (1, 1, 0)]))
    body = hue_card(graded, "lum_sat", op.replace(hue_sat=BENT))
    choose(graded, graded.panel.cards[0], "Style", "linear", qtbot)
    assert entry(graded).style == "linear"
    assert np.array(points(graded, "lum_sat")) == pytest.approx(np.array([(-7, 1.2, 0.1 / 14), (7, 0.8, 0)]))
    assert np.array(points(graded, "lum_lum")) == pytest.approx(np.array([(-7, -5.6, 0), (7, 7, 0)]))
    assert entry(graded).hue_sat == BENT
    assert "stops" in body.plot.toolTip()
    body.tabs["hue_sat"].click()
    assert "hue, °" in body.plot.toolTip()


def test_a_reset_leaves_the_style(graded: MainWindow, qtbot: Any):
    """It says what the image is; what lies on its scale is where it is at first."""
    for op in (ops.GradingTone(), ops.GradingPrimary(), ops.GradingRgbCurve.straight(), NEUTRAL):
        new = op.in_style("linear")
        show(graded, new.replace(direction="reverse"))
        graded.panel.select(0)
        graded.actions_by_name["entry_reset"].trigger()
        assert bare(entry(graded)) == new
    hsy = NEUTRAL.replace(takes="hsy", style="linear")
    show(graded, hsy.replace(hue_sat=BENT))
    graded.actions_by_name["entry_reset"].trigger()
    assert bare(entry(graded)) == NEUTRAL.in_style("linear").replace(takes="hsy")


def test_points_keep_their_order_and_their_place():
    plane = hue_plane("hue_hue", "log")
    six = points_of(NEUTRAL.hue_hue, plane)
    held, at = moved(six, 2, 0.4, 0.7, plane)
    assert held[at] == pytest.approx((0.4, 0.5, 0.0)), "no higher than the next"
    held, at = moved(six, 5, 1.4, 1.4, plane)
    assert at == 5 and held[5][0] == pytest.approx(1.0 - 0.004)
    more, at = added(six, 1.08, 1.1, plane)
    assert at == 1 and more[1] == pytest.approx((0.08, 0.1, 0.0))
    assert added(six, 0.998, 1.0, plane) == (six, 0), "no room beside magenta"
    gains = hue_plane("hue_sat", "log")
    high = ((0.2, 3.0, 0.0), (0.7, 1.0, 0.0))
    assert moved(high, 0, 0.3, 3.0, gains)[0][0] == (0.3, 3.0, 0.0), "what is beyond the plot is not pulled in"
    assert moved(high, 1, 0.7, -1.0, gains)[0][1][1] == 0.0
    pins, at = pinned(high, 0.02, gains)
    assert [x for x, _, _ in pins] == pytest.approx([0.02, 0.02 + 1 / 12, 0.2, 0.7, 0.02 - 1 / 12 + 1])
    assert at == 0
    assert gains.sample(pins, [0.02]) == pytest.approx(gains.sample(high, [0.02]), abs=1e-6)
