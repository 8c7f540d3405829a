"""Wheels, and the cards of primary and tone grading, driven by mouse and keyboard."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF

from app.panels.cards import OpCard
from app.shell.main_window import MainWindow
from app.widgets.wheel import ColourWheel, WheelScale
from engine import Grade, ops
from tests.app.hands import LEFT, SHIFT, Key, drag
from tests.app.panels.acting import choose, pull, show
from tests.typed import expect

CDL_SCALE = WheelScale(ops.Cdl.kinds()["slope"], (1.0, 1.0, 1.0))  # type: ignore[arg-type]


@pytest.mark.parametrize("place", [(0.0, 0.0), (0.5, 0.2), (-0.3, 0.7), (0.0, -1.0)])
@pytest.mark.parametrize("values", [(1.1, 0.9, 1.2), (1.0, 1.0, 1.0, 2.0)])
def test_a_place_on_the_wheel_and_back(values: tuple[float, ...], place: tuple[float, float]):
    there = CDL_SCALE.with_place(values, *place)
    assert CDL_SCALE.place(there) == pytest.approx(place, abs=3e-4)
    assert sum(there[:3]) == pytest.approx(sum(values[:3]), abs=2e-4), "the mean stays"
    assert there[3:] == values[3:]


def test_towards_red_on_the_wheel_is_more_red():
    red, green, blue = CDL_SCALE.with_place((1.0, 1.0, 1.0), np.cos(np.radians(103)), np.sin(np.radians(103)))
    assert red - 1.0 == pytest.approx(CDL_SCALE.reach, abs=1e-4)
    assert green == pytest.approx(blue, abs=1e-4)
    assert green < 1.0


@pytest.fixture
def wheel(qtbot: Any) -> ColourWheel:
    made = ColourWheel(CDL_SCALE, "CDL slope", "")
    qtbot.addWidget(made)
    made.resize(100, 100)
    made.show()
    return made


def test_the_disc_by_mouse(wheel: ColourWheel, qtbot: Any):
    middle = QPointF(wheel.rect().center())
    pull(wheel, middle, QPointF(0, -20), qtbot)
    red, green, blue = wheel.values
    assert red > 1.05
    assert max(green, blue) < 1.0
    wheel.set_values((1.0, 1.0, 1.0))
    pull(wheel, middle, QPointF(0, -20), qtbot, SHIFT)
    assert wheel.values[0] - 1.0 == pytest.approx((red - 1.0) / 10, abs=2e-3)
    qtbot.mouseDClick(wheel, LEFT, pos=middle.toPoint())
    assert wheel.values == (1.0, 1.0, 1.0)
    pull(wheel, middle, QPointF(0, -4000), qtbot)
    x, y = CDL_SCALE.place(wheel.values)
    assert np.hypot(x, y) == pytest.approx(1.0, abs=1e-3), "held at the rim"


def test_the_ring_by_mouse_and_what_a_double_click_resets(wheel: ColourWheel, qtbot: Any):
    wheel.set_values((1.2, 1.0, 0.8))
    top = QPointF(wheel.width() / 2, wheel.height() / 2 - wheel._radius() + 2)
    pull(wheel, top, QPointF(20, 4), qtbot)
    red, green, blue = wheel.values
    assert green > 1.05
    assert (red - green, green - blue) == pytest.approx((0.2, 0.2), abs=1e-3)
    qtbot.mouseDClick(wheel, LEFT, pos=top.toPoint())
    assert wheel.values == pytest.approx((1.2, 1.0, 0.8), abs=1e-3), "the balance stays"


def test_a_wheel_by_keys(wheel: ColourWheel, qtbot: Any):
    wheel.setFocus()
    qtbot.keyClick(wheel, Key.Key_Up)
    coarse = wheel.values[0] - 1.0
    assert coarse > 0.0
    qtbot.keyClick(wheel, Key.Key_Down)
    qtbot.keyClick(wheel, Key.Key_Up, SHIFT)
    assert wheel.values[0] - 1.0 == pytest.approx(coarse / 10, abs=2e-4)
    qtbot.keyClick(wheel, Key.Key_PageUp)
    assert sum(wheel.values) / 3 == pytest.approx(1.0 + CDL_SCALE.step, abs=2e-4)
    qtbot.keyClick(wheel, Key.Key_Delete)
    assert wheel.values == (1.0, 1.0, 1.0)


def test_no_slope_falls_below_its_least_value(wheel: ColourWheel, qtbot: Any):
    wheel.set_values((0.1, 0.0, 0.0))
    wheel.setFocus()
    for _ in range(4):
        qtbot.keyClick(wheel, Key.Key_PageDown)
    assert wheel.values == (0.02, 0.0, 0.0)


def test_wheels_and_their_numbers_make_one_step_a_drag(graded: MainWindow, qtbot: Any):
    card = show(graded, ops.Cdl())
    assert isinstance(card, OpCard)
    slope = card.editors["slope"]
    pull(slope.wheel, QPointF(slope.wheel.rect().center()), QPointF(0, -15), qtbot)  # type: ignore[attr-defined]
    cdl = expect(ops.Cdl, graded.document.grade.entries[0])
    assert cdl.slope[0] > 1.0 > cdl.slope[1]
    assert graded.document.steps == 1
    assert graded.document.undo_text == "CDL slope"
    box = slope.boxes["M"]  # type: ignore[attr-defined]
    box.setFocus()
    box.selectAll()
    qtbot.keyClicks(box, "1.5")
    qtbot.keyClick(box, Key.Key_Return)
    assert sum(expect(ops.Cdl, graded.document.grade.entries[0]).slope) / 3 == pytest.approx(1.5, abs=1e-3)
    box = slope.boxes["G"]  # type: ignore[attr-defined]
    box.setFocus()
    box.selectAll()
    qtbot.keyClicks(box, "0.75")
    qtbot.keyClick(box, Key.Key_Return)
    assert expect(ops.Cdl, graded.document.grade.entries[0]).slope[1] == 0.75


def test_wheels_and_sliders_are_switched_for_every_card(graded: MainWindow, qtbot: Any):
    graded.document.open_grade(Grade([ops.Cdl(), ops.GradingPrimary(), ops.GradingTone()]), None)
    qtbot.mouseClick(graded.panel.cards[0].switch, LEFT)
    qtbot.waitUntil(lambda: graded.panel.complete)
    assert all(not card.findChildren(ColourWheel) for card in graded.panel.cards)
    assert graded.workspace.settings.get("wheels", True) is False
    qtbot.mouseClick(graded.panel.cards[1].switch, LEFT)
    qtbot.waitUntil(lambda: graded.panel.complete)
    assert [len(card.findChildren(ColourWheel)) for card in graded.panel.cards] == [3, 3, 1]


def test_primary_grading_shows_what_its_style_uses(graded: MainWindow, qtbot: Any):
    card = show(graded, ops.GradingPrimary())
    assert {"brightness", "contrast", "gamma"} < set(card.editors)
    assert "style" not in card.editors
    choose(graded, card, "Style", "linear", qtbot)
    assert expect(ops.GradingPrimary, graded.document.grade.entries[0]).style == "linear"
    assert {"offset", "exposure", "contrast"} < set(card.editors)
    assert "gamma" not in card.editors
    assert card.editors["pivot"].row.dot is None, "it is at the default of the style"
    clamp = card.editors["low"]
    assert not clamp.row.isEnabled()
    qtbot.mouseClick(clamp.switch, LEFT, pos=QPoint(8, clamp.switch.height() // 2))
    assert expect(ops.GradingPrimary, graded.document.grade.entries[0]).low == 0.0
    drag(qtbot, clamp.row.track, 20)
    assert expect(ops.GradingPrimary, graded.document.grade.entries[0]).low > 0.0
    qtbot.mouseClick(clamp.switch, LEFT, pos=QPoint(8, clamp.switch.height() // 2))
    assert expect(ops.GradingPrimary, graded.document.grade.entries[0]).low == ops.GradingPrimary().low


@pytest.mark.parametrize("wheels", [True, False])
def test_ranges_of_tones_lie_on_the_scale_of_the_style(graded: MainWindow, qtbot: Any, wheels: bool):
    graded.workspace.settings.set("wheels", wheels)
    card = show(graded, ops.GradingTone(middle=(1.2, 1.0, 1.0, 1.0, 0.4, 0.6)))
    choose(graded, card, "Style", "linear", qtbot)
    op = graded.document.grade.entries[0]
    assert op == ops.GradingTone(middle=(1.2, 1.0, 1.0, 1.0, 0.4, 0.6)).in_style("linear")
    centre, width = (graded.panel.cards[0].editors["middle"].rows[at] for at in (4, 5))
    assert (centre.box.text(), width.box.text()) == ("0.000 EV", "8.000 EV")
    drag(qtbot, centre.track, 20)
    assert expect(ops.GradingTone, graded.document.grade.entries[0]).middle[4] > 1.0
    width.box.setValue(-3.0)
    assert expect(ops.GradingTone, graded.document.grade.entries[0]).middle[5] == 0.01
    qtbot.mouseDClick(width.track, LEFT)
    qtbot.mouseDClick(centre.track, LEFT)
    assert graded.document.grade.entries[0] == op


def test_tone_grading_shows_one_range_at_a_time(graded: MainWindow, qtbot: Any):
    card = show(graded, ops.GradingTone())
    qtbot.mouseClick(card.body.tabs["whites"], LEFT)
    field = card.editors["whites"]
    assert field.isVisible()
    assert not card.editors["middle"].isVisible()
    pull(field.amounts.wheel, QPointF(field.amounts.wheel.rect().center()), QPointF(12, 0), qtbot)
    assert expect(ops.GradingTone, graded.document.grade.entries[0]).whites[2] > 1.0, "blue lies to the right"
    drag(qtbot, field.rows[5].track, -10)
    assert expect(ops.GradingTone, graded.document.grade.entries[0]).whites[5] < 0.5
    qtbot.keyClick(field.amounts.wheel, Key.Key_PageUp)
    assert expect(ops.GradingTone, graded.document.grade.entries[0]).whites[3] > 1.0
    field.amounts.boxes["M"].setValue(5.0)
    assert expect(ops.GradingTone, graded.document.grade.entries[0]).whites[3] == 1.99, "held within the domain"
    assert not graded.bar.isVisible()
