"""Sliders, their labels and boxes: the range that they show, relative drags, the dot that resets, and pens."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QPointingDevice

from app.widgets.fields import GridField, NumberField, NumbersField
from app.widgets.slider import range_for
from engine import ops
from engine.kernel.op import REGISTRY, Slider
from tests.app.hands import ALT, LEFT, SHIFT, Key, drag, move, pen
from tests.typed import expect

STOPS = expect(Slider, ops.Exposure.kinds()["stops"])
SLOPE = expect(Slider, ops.Cdl.kinds()["slope"])


@pytest.fixture
def field(qtbot: Any) -> Iterator[NumberField]:
    shown = NumberField("Stops", STOPS, "Exposure")
    qtbot.addWidget(shown)
    shown.resize(320, 24)
    shown.show()
    shown.activateWindow()
    qtbot.waitUntil(shown.isActiveWindow)
    yield shown


def test_the_visible_range_of_every_op_lies_within_its_ends_and_holds_the_default():
    for name, op in REGISTRY.items():
        for field, kind in op.kinds().items():
            if isinstance(kind, Slider) and kind.visible is not None:
                low, high = kind.visible
                numbers = kind.default if isinstance(kind.default, tuple) else (kind.default,)
                assert kind.low <= low < high <= kind.high, (name, field)
                assert all(low <= number <= high for number in numbers[:3]), (name, field)
    assert STOPS.visible == (-4.0, 4.0)
    assert (range_for(STOPS, 4.0), range_for(STOPS, 4.1)) == ((-4.0, 4.0), (-10.0, 10.0))
    assert range_for(STOPS, -12.0) == (-12.0, 10.0)


def test_a_typed_value_widens_the_range_and_a_reset_narrows_it(field: NumberField, qtbot: Any):
    row = field.row
    assert row.track.visible_range == (-4.0, 4.0)
    row.box.setFocus()
    row.box.selectAll()
    qtbot.keyClicks(row.box, "6")
    qtbot.keyClick(row.box, Key.Key_Return)
    assert (row.number, row.track.visible_range) == (6.0, (-10.0, 10.0))
    row.track.setFocus()
    qtbot.keyClick(row.track, Key.Key_Delete)
    assert (row.number, row.track.visible_range) == (0.0, (-4.0, 4.0))


def test_a_drag_beyond_the_end_widens_the_range_and_the_knob_never_jumps(field: NumberField, qtbot: Any):
    track = field.row.track
    numbers: list[float] = []
    field.edited.connect(numbers.append)
    track.set_number(3.9)
    at = QPoint(track.width() - 5, 10)
    qtbot.mousePress(track, LEFT, pos=at)
    for by in range(1, 31):
        move(track, at + QPoint(by, 0), LEFT)
    assert 4.0 < field.row.number < 7.0
    assert track.visible_range == (-4.0, field.row.number)
    steps = [b - a for a, b in pairwise(numbers)]
    assert max(steps) == pytest.approx(min(steps), abs=0.002), "equal moves are equal steps, however wide it is"
    qtbot.mouseRelease(track, LEFT, pos=at + QPoint(30, 0))
    drag(qtbot, track, 2000)
    assert field.row.number == 10.0, "the end of the control"


@pytest.mark.parametrize("part", ["label", "box"])
def test_labels_and_numbers_are_dragged(field: NumberField, qtbot: Any, part: str):
    begun, ended = [], []
    field.drag_started.connect(lambda: begun.append(1))
    field.drag_ended.connect(lambda: ended.append(1))
    widget = getattr(field.row, part)
    assert widget.cursor().shape() == Qt.CursorShape.SizeHorCursor
    drag(qtbot, widget, 52)
    assert field.row.number == pytest.approx(2.0), "50 pixels of 200 that sweep 8 stops"
    drag(qtbot, widget, -52, SHIFT)
    assert field.row.number == pytest.approx(1.8)
    drag(qtbot, widget, -12, ALT)
    assert field.row.number == pytest.approx(0.2)
    assert len(begun) == len(ended) == 3
    assert not field.row.box.hasFocus(), "it is no input"


def test_a_click_into_the_number_edits_its_text(field: NumberField, qtbot: Any):
    box = field.row.box
    inner = QPoint(box.width() - 30, box.height() // 2)
    assert box.childAt(inner) is None, "a press is for the box, which may be dragged"
    qtbot.mouseClick(box, LEFT, pos=inner)
    assert box.hasFocus()
    assert box.childAt(inner) is box.lineEdit(), "the next click places the cursor"
    qtbot.keyClicks(box, "1/4")
    qtbot.keyClick(box, Key.Key_Return)
    assert field.row.number == 0.25
    assert box.childAt(inner) is None


def test_the_dot_is_there_while_the_value_differs_and_resets_it(field: NumberField, qtbot: Any):
    row = field.row
    edits: list[float] = []
    field.edited.connect(edits.append)
    assert row.dot is None
    field.set_value(1.5)
    assert row.dot is not None and row.dot.isVisible()
    assert row.track.geometry().right() <= row.dot.geometry().center().x() < row.box.x()
    qtbot.mouseClick(row.dot, LEFT)
    assert edits == [0.0] and not row.dot.isVisible()
    field.set_value(-1.0)
    row.dot.setFocus()
    qtbot.keyClick(row.dot, Key.Key_Space)
    assert edits == [0.0, 0.0]
    assert row.track.hasFocus(), "the keyboard goes on where the dot was"
    qtbot.mouseDClick(row.label, LEFT)
    assert len(edits) == 2, "there is nothing to reset"


def test_the_dot_of_three_numbers_is_there_if_one_differs(qtbot: Any):
    field = NumbersField("Slope", SLOPE, "CDL slope")
    edits: list[tuple[float, ...]] = []
    qtbot.addWidget(field)
    field.edited.connect(edits.append)
    assert field.master is not None
    field.set_value((1.25, 1.0, 0.75))
    dots = [row.dot is not None and not row.dot.isHidden() for row in (field.master, *field.rows)]
    assert dots == [True, True, False, True], "the mean has its default"
    field.master.reset()
    assert edits == [(1.0, 1.0, 1.0)]


def test_a_box_without_a_track_is_dragged_in_one_step(qtbot: Any):
    field = GridField("Matrix", expect(Slider, ops.Matrix.kinds()["matrix"]), "Matrix")
    qtbot.addWidget(field)
    seen: list[str] = []
    field.drag_started.connect(lambda: seen.append("start"))
    field.edited.connect(lambda _value: seen.append("edit"))
    field.drag_ended.connect(lambda: seen.append("end"))
    drag(qtbot, field.boxes[1], 22)
    assert field.boxes[1].value() == pytest.approx(0.4)
    assert (seen[0], seen[-1], set(seen[1:-1])) == ("start", "end", {"edit"})


def test_the_tremble_of_a_hand_is_no_drag_and_a_lost_release_ends_one(field: NumberField, qtbot: Any):
    track, ended = field.row.track, []
    field.drag_ended.connect(lambda: ended.append(1))
    qtbot.mousePress(track, LEFT, pos=QPoint(40, 10))
    move(track, QPoint(42, 11), LEFT)
    move(track, QPoint(38, 9), LEFT)
    assert field.row.number == 0.0
    move(track, QPoint(60, 10), LEFT)
    dragged = field.row.number
    assert dragged > 0.0
    move(track, QPoint(200, 10))  # no button is down
    qtbot.mousePress(track, LEFT, pos=QPoint(200, 10))
    assert field.row.number == dragged and ended == [1]
    move(track, QPoint(220, 10), LEFT)
    track.hide()
    assert len(ended) == 2


@pytest.mark.parametrize("pointer", [QPointingDevice.PointerType.Pen, QPointingDevice.PointerType.Eraser])
def test_a_pen_is_a_mouse_whatever_its_pressure_and_end(field: NumberField, qtbot: Any, pointer: Any):
    """Widgets leave its events alone, so that Qt sends those of a mouse instead."""
    for widget in (field.row.track, field.row.label, field.row.box):
        assert not any(pen(widget, pointer))
    assert field.row.number == 0.0 and not field.row.box.hasFocus()
    drag(qtbot, field.row.track, 12)
    assert 0.0 < field.row.number < 1.0
