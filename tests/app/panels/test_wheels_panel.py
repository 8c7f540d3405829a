"""The Wheels panel, driven by mouse and keyboard."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPointF
from PySide6.QtWidgets import QApplication

from app.panels.wheels.large_wheel import LEAST, MOST, LargeWheel
from app.panels.wheels.panel import WheelsPanel
from app.services.event_loop import BUSY_SECONDS, turn_queue
from app.shell.main_window import MainWindow
from app.widgets.wheel import WheelScale
from app.widgets.wheel_face import LARGE
from engine import Grade, Layer, ops
from engine.grade.entries import Group
from tests.app.conftest import begin_with
from tests.app.hands import ALT, LEFT, SHIFT, Key, drag
from tests.app.panels.acting import pull, show
from tests.app.turns import compute
from tests.typed import expect

GRADE = (ops.Exposure(0.5), ops.Cdl(), ops.Saturation(1.2))
SCALE = WheelScale(ops.Cdl.kinds()["offset"], (0.0, 0.0, 0.0), bend=LARGE.bend)  # type: ignore[arg-type]


@pytest.fixture
def wheels(graded: MainWindow, qtbot: Any) -> Iterator[WheelsPanel]:
    """The panel of a window whose grade has a CDL between two entries without wheels; the CDL is selected."""
    begin_with(graded.document, Grade(GRADE))
    graded.document.select(1)
    panel = expect(WheelsPanel, graded.docks.show("wheels"))
    settle(panel)
    graded.activateWindow()
    qtbot.waitUntil(graded.isActiveWindow)
    yield panel
    graded.docks.docks["wheels"].hide()


def settle(panel: WheelsPanel) -> None:
    """Wait until all wheels are built and laid out."""
    QApplication.processEvents()
    while not panel.complete:
        QApplication.processEvents()
    QApplication.processEvents()


def wheel_of(panel: WheelsPanel, field: str) -> LargeWheel:
    assert panel.row is not None
    return panel.row.wheels[field]


def cdl(window: MainWindow) -> ops.Cdl:
    return expect(ops.Cdl, window.document.grade.entries[1])


@pytest.mark.parametrize("place", [(0.0, 0.0), (0.5, 0.2), (-0.3, 0.7), (0.0, -1.0)])
def test_a_place_on_the_logarithmic_wheel_and_back(place: tuple[float, float]):
    values = SCALE.with_place((0.1, 0.0, -0.1), *place)
    assert SCALE.place(values) == pytest.approx(place, abs=2e-2 if np.hypot(*place) < 0.5 else 2e-3)
    assert sum(values) == pytest.approx(0.0, abs=2e-4), "the mean stays"


def test_half_the_way_to_the_rim_is_a_fifth_of_the_balance():
    at_rim, half_way = (SCALE.with_place((0.0, 0.0, 0.0), 0.0, -y)[1] for y in (1.0, 0.5))
    assert half_way == pytest.approx(at_rim / 5, abs=2e-4)


def test_a_drag_is_one_step_and_the_card_follows(
    graded: MainWindow, wheels: WheelsPanel, qtbot: Any, monkeypatch: pytest.MonkeyPatch
):
    slow = SimpleNamespace(monotonic=count(0, 10).__next__)  # ten seconds between two events
    monkeypatch.setattr("app.model.document.time", slow)
    wheel = wheel_of(wheels, "slope").wheel
    assert LEAST <= wheel.height() <= MOST
    pull(wheel, QPointF(wheel.rect().center()), QPointF(0, -30), qtbot)
    assert cdl(graded).slope[0] > 1.0 > cdl(graded).slope[1]
    assert graded.document.steps == 1 and graded.document.undo_text == "CDL slope"
    card = graded.panel.cards[1].editors["slope"]
    assert card.wheel.values == cdl(graded).slope
    graded.document.undo()
    assert cdl(graded) == ops.Cdl()
    assert wheel.values == (1.0, 1.0, 1.0)


def test_the_wheels_follow_the_card(graded: MainWindow, wheels: WheelsPanel, qtbot: Any):
    card = graded.panel.cards[1].editors["offset"]
    pull(card.wheel, QPointF(card.wheel.rect().center()), QPointF(0, -10), qtbot)
    large = wheel_of(wheels, "offset")
    assert large.wheel.values == cdl(graded).offset != (0.0, 0.0, 0.0)
    assert large.boxes["R"].value() == cdl(graded).offset[0]
    assert large.reset_dot.isVisible()


def test_a_double_click_and_the_dot_reset_one_wheel(graded: MainWindow, wheels: WheelsPanel, qtbot: Any):
    large = wheel_of(wheels, "power")
    for reset in (
        lambda: qtbot.mouseDClick(large.wheel, LEFT, pos=large.wheel.rect().center()),
        lambda: qtbot.mouseClick(large.reset_dot, LEFT),
    ):
        graded.document.edit_entry(1, ops.Cdl(power=(1.2, 1.0, 0.9), slope=(2.0, 1.0, 1.0)), "a change")
        assert large.reset_dot.isVisible()
        reset()
        assert cdl(graded) == ops.Cdl(slope=(2.0, 1.0, 1.0))
        assert not large.reset_dot.isVisible()


def test_the_jog_moves_all_three_by_any_distance(graded: MainWindow, wheels: WheelsPanel, qtbot: Any):
    graded.document.edit_entry(1, ops.Cdl(slope=(1.2, 1.0, 0.8)), "a change")
    before, jog = graded.document.steps, wheel_of(wheels, "slope").jog
    qtbot.mouseClick(jog, LEFT)
    assert graded.document.steps == before, "a click changes nothing"
    drag(qtbot, jog, 40)
    plain = cdl(graded).slope[1] - 1.0
    assert plain > 0.1 and graded.document.steps == before + 1
    assert np.subtract(cdl(graded).slope, cdl(graded).slope[1]) == pytest.approx((0.2, 0.0, -0.2), abs=2e-4)
    graded.document.undo()
    drag(qtbot, jog, 40, SHIFT)
    assert cdl(graded).slope[1] - 1.0 == pytest.approx(plain / 10, rel=0.1)
    graded.document.undo()
    drag(qtbot, jog, 40, ALT)
    assert cdl(graded).slope[1] - 1.0 == pytest.approx(plain * 4, rel=0.1)
    qtbot.mouseDClick(jog, LEFT)
    assert sum(cdl(graded).slope) == pytest.approx(3.0, abs=2e-4)


def test_a_jog_that_runs_into_a_limit_comes_back(graded: MainWindow, wheels: WheelsPanel, qtbot: Any):
    graded.document.edit_entry(1, ops.Cdl(slope=(0.9, 0.5, 0.1)), "a change")
    field = wheel_of(wheels, "slope")
    field.jog.drag_started.emit()
    field.jog.turned.emit(-0.3)
    assert cdl(graded).slope == pytest.approx((0.6, 0.2, 0.0))
    field.jog.turned.emit(0.3)
    assert cdl(graded).slope == pytest.approx((0.9, 0.5, 0.1)), "its balance is kept"
    field.jog.drag_ended.emit()


def test_wheels_by_keys(graded: MainWindow, wheels: WheelsPanel, qtbot: Any):
    field = wheel_of(wheels, "slope")
    field.wheel.setFocus()
    qtbot.keyClick(field.wheel, Key.Key_Up)
    assert cdl(graded).slope[0] > 1.0
    qtbot.keyClick(field.wheel, Key.Key_Delete)
    assert cdl(graded).slope == (1.0, 1.0, 1.0)
    qtbot.keyClick(field.wheel, Key.Key_Tab)
    assert field.jog.hasFocus()
    qtbot.keyClick(field.jog, Key.Key_Right)
    assert cdl(graded).slope == (1.02, 1.02, 1.02)
    qtbot.keyClick(field.jog, Key.Key_Left, SHIFT)
    assert cdl(graded).slope == (1.018, 1.018, 1.018)
    qtbot.keyClick(field.jog, Key.Key_Delete)
    assert cdl(graded).slope == (1.0, 1.0, 1.0)
    for expected in (*"MRGB",):
        qtbot.keyClick(QApplication.focusWidget(), Key.Key_Tab)
        assert field.boxes[expected].hasFocus()
    field.boxes["B"].selectAll()
    qtbot.keyClicks(field.boxes["B"], "1.5")
    qtbot.keyClick(field.boxes["B"], Key.Key_Return)
    assert cdl(graded).slope == (1.0, 1.0, 1.5)


def test_saturation_of_a_cdl(graded: MainWindow, wheels: WheelsPanel, qtbot: Any):
    assert wheels.row is not None
    saturation: Any = wheels.row.editors["saturation"]
    drag(qtbot, saturation.row.track, 20)
    assert cdl(graded).saturation > 1.0
    assert graded.document.undo_text == "CDL saturation"


def test_the_nearest_wheels_are_shown_and_their_entry_is_selected_with_the_focus(
    graded: MainWindow, wheels: WheelsPanel, qtbot: Any
):
    graded.document.select(2)
    assert wheels.note.whole == "entry 2 of 3; Saturation, the current entry, has no wheels"
    wheel_of(wheels, "offset").wheel.setFocus()
    assert graded.document.selected == 1
    assert wheels.note.whole == "entry 2 of 3"
    graded.document.edit_entry(1, Layer(ops.Cdl(), enabled=False), "bypass")
    assert wheels.note.whole == "entry 2 of 3, bypassed"


def test_a_cdl_is_offered_where_no_entry_has_wheels(graded: MainWindow, wheels: WheelsPanel, qtbot: Any):
    height = wheels.height()
    show(graded, ops.Exposure(), ops.Saturation())
    graded.document.select(0)
    assert wheels.row is None
    qtbot.mouseClick(wheels.empty.add, LEFT)
    settle(wheels)
    assert cdl(graded) == ops.Cdl() and graded.document.selected == 1
    assert graded.focusWidget() is wheel_of(wheels, "slope").wheel
    assert wheels.height() == height


@pytest.mark.parametrize("width", [936, 1560])
def test_every_op_with_wheels_fits(graded: MainWindow, wheels: WheelsPanel, width: int):
    styles = ("log", "linear", "video")
    counts = []
    for op in (*(ops.GradingPrimary(style=style) for style in styles), ops.GradingTone(), ops.Cdl(), ops.LogWheels()):
        show(graded, op)
        settle(wheels)
        assert wheels.row is not None
        wheels.row.resize(width, wheels.row.minimumSizeHint().height())
        counts.append(len(wheels.row.wheels))
        assert wheels.row.minimumSizeHint().width() <= width
        for field in wheels.row.wheels.values():
            assert field.wheel.height() >= LEAST and wheels.row.rect().contains(field.geometry())
            for box in field.boxes.values():
                assert box.width() >= box.fontMetrics().horizontalAdvance(box.text()) + 8
    assert counts == [3, 3, 4, 5, 3, 4]


def test_a_wheel_of_tones_keeps_the_range_and_a_rejected_edit_is_shown_again(
    graded: MainWindow, wheels: WheelsPanel, qtbot: Any
):
    show(graded, ops.GradingTone(middle=(1.0, 1.0, 1.0, 1.0, 0.5, 0.3)))
    settle(wheels)
    middle = wheel_of(wheels, "middle")
    qtbot.keyClick(middle.wheel, Key.Key_Up)
    op = expect(ops.GradingTone, graded.document.grade.entries[0])
    assert op.middle[0] > 1.0 and op.middle[4:] == (0.5, 0.3)
    show(graded, ops.Cdl(direction="reverse"))
    settle(wheels)
    slope = wheel_of(wheels, "slope")
    slope.boxes["R"].setValue(0.0)
    assert graded.bar.isVisible() and slope.boxes["R"].value() == 1.0


def test_where_a_range_of_tones_lies_is_set_by_keys_mouse_and_reset(
    graded: MainWindow, wheels: WheelsPanel, qtbot: Any
):
    show(graded, ops.GradingTone())
    settle(wheels)
    middle = wheel_of(wheels, "middle")
    places = middle.places
    assert places is not None and not middle.changed
    centre, width = places.boxes
    assert [box.accessibleName() for box in places.boxes] == [
        "Tone grading middle, centre",
        "Tone grading middle, width",
    ]
    centre.setFocus()
    qtbot.keyClick(centre, Key.Key_Up)
    op = expect(ops.GradingTone, graded.document.grade.entries[0])
    assert op.middle[:4] == (1.0,) * 4 and op.middle[4] > 0.4 and op.middle[5] == 0.6 and middle.changed
    steps = graded.document.steps
    drag(qtbot, places.labels[1], 40)
    wider = expect(ops.GradingTone, graded.document.grade.entries[0])
    assert wider.middle[5] > 0.6 and wider.middle[:5] == op.middle[:5] and graded.document.steps == steps + 1
    qtbot.mouseDClick(places.labels[1], LEFT)
    assert expect(ops.GradingTone, graded.document.grade.entries[0]).middle == op.middle
    qtbot.mouseClick(middle.reset_dot, LEFT)
    assert graded.document.grade.entries[0] == ops.GradingTone()
    assert width.value() == 0.6 and not middle.changed


def test_ranges_of_tones_have_the_scale_of_the_style_and_words_where_there_is_room(
    graded: MainWindow, wheels: WheelsPanel, qtbot: Any
):
    show(graded, ops.GradingTone())
    settle(wheels)
    show(graded, ops.GradingTone().in_style("linear"))
    settle(wheels)
    places = wheel_of(wheels, "shadows").places
    assert places is not None and [box.suffix() for box in places.boxes] == [" EV", " EV"]
    assert [box.value() for box in places.boxes] == list(ops.GradingTone().in_style("linear").shadows[4:])
    places.resize(160, 24)
    assert [label.text() for label in places.labels] == ["S", "E"]
    places.resize(260, 24)
    assert [label.text() for label in places.labels] == ["Start", "End"]


def test_the_note_says_that_a_group_is_bypassed(graded: MainWindow):
    begin_with(graded.document, Grade([Group((ops.Cdl(),), "Skin", enabled=False)]))
    graded.panel.select(1)
    graded.docks.show("wheels")
    wheels = expect(WheelsPanel, graded.workspace.panel("wheels"))
    QApplication.processEvents()
    assert wheels.note.whole == "entry 2 of 2, in a bypassed group"


def test_in_a_busy_turn_it_follows_before_the_next_input(wheels: WheelsPanel, graded: MainWindow, busy_turns: None):
    before = wheels.row
    compute(BUSY_SECONDS + 0.002)
    graded.document.select(graded.document.insert(2, [ops.GradingPrimary()], "adding one"))
    assert wheels.row is before
    turn_queue().prepare_input()
    assert wheels.row is not before
    assert wheels.name.text() == ops.GradingPrimary().title()
