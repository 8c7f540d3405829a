"""The handles of the windows of mattes, by mouse and keys."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QFocusEvent
from PySide6.QtWidgets import QApplication

from engine.mattes.tree import Branch, Leaf, Matte
from engine.mattes.windows import Ellipse, LinearGradient, RadialGradient, Rectangle
from tests.app.canvas.conftest import Bench
from tests.app.canvas.matte_hands import (
    PATH,
    click,
    drag,
    drag_handle,
    edit,
    go,
    handle_at,
    press,
    release,
    source_of,
    spot,
    undone,
)
from tests.app.hands import ALT, CTRL, LEFT, SHIFT, Key, move

ELLIPSE = Ellipse(center=(100.0, 50.0), size=(30.0, 20.0))
RECTANGLE = Rectangle(center=(100.0, 50.0), size=(30.0, 20.0))
RADIAL = RadialGradient(center=(100.0, 50.0), inner=8.0, outer=30.0)
LINEAR = LinearGradient(start=(60.0, 30.0), end=(120.0, 70.0))


def shape_now(bench: Bench) -> Any:
    """The window as its handles show it."""
    return bench.workspace.matte_tools.windows.shape


@pytest.mark.parametrize("source", [ELLIPSE, RECTANGLE, RADIAL], ids=lambda s: type(s).__name__)
def test_a_drag_inside_moves_the_window_as_one_step(calm: Bench, qtbot: Any, source: Any):
    edit(calm, source)
    drag(qtbot, calm, (106.0, 54.0), (116.0, 51.0))
    assert source_of(calm).center == pytest.approx((110.0, 47.0))
    assert source_of(calm).replace(center=source.center) == source
    assert undone(calm) == source


def test_a_drag_of_the_middle_and_of_the_line_moves_it_too(calm: Bench, qtbot: Any):
    edit(calm, LINEAR)
    drag_handle(qtbot, calm, "whole", 10.0, 0.0)
    assert source_of(calm).start == pytest.approx((70.0, 30.0))
    drag(qtbot, calm, (85.0, 40.0), (85.0, 50.0))
    assert source_of(calm).end == pytest.approx((130.0, 80.0)) and calm.document.steps == 2


def test_shift_moves_along_one_axis(calm: Bench, qtbot: Any):
    edit(calm, ELLIPSE)
    drag(qtbot, calm, (106.0, 54.0), (126.0, 60.0), SHIFT)
    assert source_of(calm).center == pytest.approx((120.0, 50.0))


@pytest.mark.parametrize(
    ("source", "name", "by", "field", "value"),
    [
        (ELLIPSE, "right", (10.0, 3.0), "size", (40.0, 20.0)),
        (RECTANGLE, "top left", (-6.0, -4.0), "size", (36.0, 24.0)),
        (ELLIPSE, "softness_out", (5.0, 5.0), "softness_out", 6.4),
        (RECTANGLE, "softness_in", (-5.0, 0.0), "softness_in", 5.0),
        (RADIAL, "outer", (10.0, 0.0), "outer", 40.0),
        (RADIAL, "inner", (-4.0, 0.0), "inner", 12.0),
        (RADIAL, "aspect", (0.0, 15.0), "aspect", 1.5),
        (LINEAR, "end", (5.0, -5.0), "end", (125.0, 65.0)),
        (LINEAR, "start", (5.0, -5.0), "start", (65.0, 25.0)),
        (PATH, "size", (20.0, 0.0), "points", None),
        (PATH, "softness_out", (0.0, -6.0), "softness_out", 6.0),
    ],
    ids=lambda v: v if isinstance(v, str) else "",
)
def test_each_handle_changes_its_field_as_one_step(
    calm: Bench, qtbot: Any, source: Any, name: str, by: Any, field: str, value: Any
):
    edit(calm, source)
    drag_handle(qtbot, calm, name, *by)
    changed = source_of(calm)
    if value is not None:
        assert getattr(changed, field) == pytest.approx(value, abs=0.3)
    assert changed != source and changed.replace(**{field: getattr(source, field)}) == source
    assert undone(calm) == source


@pytest.mark.parametrize("source", [ELLIPSE, RECTANGLE, RADIAL], ids=lambda s: type(s).__name__)
def test_rotation_follows_the_mouse_and_shift_makes_steps(calm: Bench, qtbot: Any, source: Any):
    edit(calm, source)
    x, y = handle_at(calm, "rotation")
    away = 50.0 - y
    drag(qtbot, calm, (x, y), (100.0 + away, 50.0))
    assert source_of(calm).rotation == pytest.approx(90.0, abs=0.5)
    drag(qtbot, calm, handle_at(calm, "rotation"), (100.0 + away, 52.0), SHIFT)
    assert source_of(calm).rotation == pytest.approx(90.0)


def test_shift_keeps_proportions_and_alt_the_other_side(calm: Bench, qtbot: Any):
    edit(calm, RECTANGLE)
    drag_handle(qtbot, calm, "right", 15.0, 0.0, SHIFT)
    assert source_of(calm).size == pytest.approx((45.0, 30.0)) and source_of(calm).center == (100.0, 50.0)
    edit(calm, RECTANGLE)
    drag_handle(qtbot, calm, "right", 10.0, 0.0, ALT)
    assert source_of(calm).size == pytest.approx((35.0, 20.0))
    assert source_of(calm).center == pytest.approx((105.0, 50.0))


def test_escape_cancels_the_drag(calm: Bench, qtbot: Any):
    edit(calm, ELLIPSE)
    press(qtbot, calm, 106.0, 54.0)
    go(calm, 130.0, 60.0)
    assert source_of(calm) != ELLIPSE
    qtbot.keyClick(calm.canvas, Key.Key_Escape)
    assert source_of(calm) == ELLIPSE and calm.document.steps == 0
    go(calm, 140.0, 60.0)
    release(qtbot, calm, 110.0, 80.0)
    assert source_of(calm) == ELLIPSE and calm.document.steps == 0, "the rest of the drag means nothing"


def test_a_window_stays_where_it_can_be(calm: Bench, qtbot: Any):
    edit(calm, ELLIPSE)
    press(qtbot, calm, 100.0, 50.0)
    for x in (200_000.0, 1_500_000.0):
        go(calm, x, 50.0)
    release(qtbot, calm, 1_500_000.0, 50.0)
    assert source_of(calm).center == pytest.approx((200_000.0, 50.0)), "farther would not be valid"
    edit(calm, ELLIPSE.replace(center=(999_999.5, 50.0)))
    qtbot.keyClick(calm.canvas, Key.Key_Right)
    assert source_of(calm).center == (999_999.5, 50.0)


def test_a_click_changes_nothing(calm: Bench, qtbot: Any):
    edit(calm, ELLIPSE)
    press(qtbot, calm, 106.0, 54.0)
    move(calm.canvas, spot(calm, 106.0, 54.0) + QPoint(1, 1), LEFT)
    release(qtbot, calm, 106.25, 54.0)
    assert source_of(calm) == ELLIPSE and calm.document.steps == 0


def test_numbers_are_beside_the_drag_and_then_gone(calm: Bench, qtbot: Any):
    edit(calm, ELLIPSE)
    windows = calm.workspace.matte_tools.windows
    for name, number in (
        ("right", "size 40.0 × 20.0 px"),
        ("rotation", "rotation"),
        ("softness_out", "softness outside"),
    ):
        x, y = handle_at(calm, name)
        press(qtbot, calm, x, y)
        go(calm, x + 10.0, y)
        calm.canvas.grab()
        assert windows.label.startswith(number)
        release(qtbot, calm, x + 10.0, y)
        calm.canvas.grab()
        assert windows.label == ""


def test_a_drag_makes_at_most_one_edit_per_frame_and_ends_exactly(calm: Bench, qtbot: Any):
    edit(calm, ELLIPSE)
    edits: list[object] = []
    calm.document.grade_changed.connect(edits.append)
    press(qtbot, calm, 106.0, 54.0)
    for step in range(1, 101):  # without the event loop, so within one frame
        go(calm, 106.0 + step * 0.5, 54.0)
    assert len(edits) == 1
    assert shape_now(calm).source.center == pytest.approx((150.0, 50.0)), "handles follow"
    qtbot.waitUntil(lambda: len(edits) == 2)
    assert source_of(calm).center == pytest.approx((150.0, 50.0))
    go(calm, 107.0, 54.0)
    release(qtbot, calm, 107.0, 54.0)
    assert source_of(calm).center == pytest.approx((101.0, 50.0)) and calm.document.steps == 1


def test_a_slow_drag_is_one_step(calm: Bench, qtbot: Any):
    edit(calm, ELLIPSE)
    press(qtbot, calm, 106.0, 54.0)
    go(calm, 120.0, 54.0)
    calm.document._merge_until = 0.0  # as after a second
    go(calm, 130.0, 54.0)
    release(qtbot, calm, 130.0, 54.0)
    assert undone(calm) == ELLIPSE
    drag(qtbot, calm, (106.0, 54.0), (120.0, 54.0))
    drag(qtbot, calm, (120.0, 54.0), (130.0, 54.0))
    assert calm.document.steps == 2, "two drags at once are two"


def test_an_undo_during_a_drag_ends_it(calm: Bench, qtbot: Any):
    edit(calm, ELLIPSE)
    press(qtbot, calm, 106.0, 54.0)
    go(calm, 130.0, 60.0)
    calm.document.undo()
    assert source_of(calm) == ELLIPSE
    go(calm, 140.0, 60.0)
    release(qtbot, calm, 110.0, 80.0)
    assert source_of(calm) == ELLIPSE


def test_beside_the_window_the_image_is_moved(calm: Bench, qtbot: Any):
    edit(calm, ELLIPSE)
    before = calm.canvas.viewport
    drag(qtbot, calm, (40.0, 20.0), (50.0, 20.0))
    assert calm.canvas.viewport != before and source_of(calm) == ELLIPSE
    before = calm.canvas.viewport
    qtbot.keyPress(calm.canvas, Key.Key_Space)
    drag(qtbot, calm, (106.0, 54.0), (110.0, 54.0))
    qtbot.keyRelease(calm.canvas, Key.Key_Space)
    assert calm.canvas.viewport != before and source_of(calm) == ELLIPSE, "Space moves the image from anywhere"
    qtbot.keyPress(calm.canvas, Key.Key_Space)
    calm.canvas.clearFocus()
    QApplication.sendEvent(calm.canvas, QFocusEvent(QEvent.Type.FocusOut))
    drag(qtbot, calm, (106.0, 54.0), (110.0, 54.0))
    assert source_of(calm).center == pytest.approx((104.0, 50.0)), "its release goes elsewhere"


def test_ctrl_still_pins_inside_a_window(calm: Bench, qtbot: Any):
    edit(calm, ELLIPSE)
    click(qtbot, calm, 100.5, 50.5, CTRL)
    assert calm.workspace.stage.pins.pins == [(100, 50)]


def test_the_cursor_says_what_a_press_would_do(calm: Bench, qtbot: Any):
    edit(calm, ELLIPSE)
    for at, shape in (
        ((106.0, 54.0), Qt.CursorShape.SizeAllCursor),
        ((130.0, 50.0), Qt.CursorShape.PointingHandCursor),
        ((40.0, 20.0), Qt.CursorShape.CrossCursor),
    ):
        go(calm, *at, buttons=Qt.MouseButton.NoButton)
        assert calm.canvas.cursor().shape() == shape


# -- keys


def test_arrows_nudge_by_a_pixel_and_with_shift_by_ten(calm: Bench, qtbot: Any):
    edit(calm, ELLIPSE)
    before = calm.canvas.viewport
    for key, keys in ((Key.Key_Right, None), (Key.Key_Right, None), (Key.Key_Up, SHIFT)):
        qtbot.keyClick(calm.canvas, key, keys or Qt.KeyboardModifier.NoModifier)
    assert source_of(calm).center == (102.0, 40.0)
    assert calm.canvas.viewport == before, "the image stays"
    assert undone(calm) == ELLIPSE, "nudges at once are one step"
    calm.canvas.grab()
    assert calm.workspace.matte_tools.windows.label == "x 100.0  y 50.0 px"


@pytest.mark.parametrize("source", [ELLIPSE, RECTANGLE, RADIAL, LINEAR, PATH], ids=lambda s: type(s).__name__)
def test_every_handle_is_reached_and_moved_by_keys(calm: Bench, qtbot: Any, source: Any):
    edit(calm, source)
    windows = calm.workspace.matte_tools.windows
    count = len(windows.handles)
    reached = set()
    for _ in range(count):
        qtbot.keyClick(calm.canvas, Key.Key_Right, CTRL)
        chosen: Any = windows.chosen
        reached.add(chosen.key)
        before = source_of(calm)
        qtbot.keyClick(calm.canvas, Key.Key_Right)
        if source_of(calm) == before:  # the handle moves up and down only
            qtbot.keyClick(calm.canvas, Key.Key_Down)
        assert source_of(calm) != before, chosen.name
    assert len(reached) >= count
    qtbot.keyClick(calm.canvas, Key.Key_Left, CTRL)
    assert windows.chosen is not None and windows.chosen.key in reached


def test_the_last_handle_is_the_one_that_keys_move(calm: Bench, qtbot: Any):
    edit(calm, ELLIPSE)
    drag_handle(qtbot, calm, "right", 10.0, 0.0)
    qtbot.keyClick(calm.canvas, Key.Key_Right)
    assert source_of(calm).size == pytest.approx((41.0, 20.0))
    click(qtbot, calm, 100.0, 60.0)
    qtbot.keyClick(calm.canvas, Key.Key_Right)
    assert source_of(calm).center == (101.0, 50.0), "after a click on the window, it is the window"


def test_escape_hides_the_handles(calm: Bench, qtbot: Any):
    edit(calm, ELLIPSE)
    qtbot.keyClick(calm.canvas, Key.Key_Escape)
    assert calm.workspace.matte_selection.node is None and calm.workspace.matte_tools.windows.handles == ()
    assert calm.workspace.matte_selection.matte is not None and calm.document.steps == 0
    before = calm.canvas.viewport
    drag(qtbot, calm, (106.0, 54.0), (116.0, 54.0))
    assert calm.canvas.viewport != before, "the image is moved again"


def test_without_a_window_the_arrows_move_the_image(calm: Bench, qtbot: Any):
    edit(calm, None)
    before = calm.canvas.viewport
    qtbot.keyClick(calm.canvas, Key.Key_Right)
    assert calm.canvas.viewport != before


# -- snapping


def test_a_window_snaps_to_the_frame_and_ctrl_inverts_that(bench: Bench, qtbot: Any):
    edit(bench, RECTANGLE)
    drag(qtbot, bench, (106.0, 54.0), (102.75, 57.5))
    assert source_of(bench).center == pytest.approx((96.0, 54.0)), "the middle of 192 x 108"
    edit(bench, RECTANGLE)
    press(qtbot, bench, 106.0, 54.0)
    go(bench, 102.75, 57.5, CTRL)
    release(qtbot, bench, 102.75, 57.5, CTRL)
    assert source_of(bench).center == pytest.approx((96.75, 53.5))
    bench.workspace.matte_tools.snapping.set(False)
    edit(bench, RECTANGLE)
    drag(qtbot, bench, (106.0, 54.0), (102.75, 57.5))
    assert source_of(bench).center == pytest.approx((96.75, 53.5))
    assert bench.workspace.settings.get("matte_snapping", True) is False


def test_an_edge_snaps_to_another_window(bench: Bench, qtbot: Any):
    edit(bench, RECTANGLE)
    selection = bench.workspace.matte_selection
    selection.add(Ellipse(center=(40.0, 80.0), size=(12.0, 10.0)), "new ellipse")
    x, y = handle_at(bench, "right")
    guides = bench.workspace.matte_tools.windows
    press(qtbot, bench, x, y)
    go(bench, 69.0, 80.0)
    assert guides._drag is not None and guides._drag.snap is not None and guides._drag.snap.x == 70.0
    release(qtbot, bench, 69.0, 80.0)
    assert source_of(bench).size == pytest.approx((30.0, 10.0)), "the left edge of the rectangle is at 70"


def test_nudges_of_two_windows_are_two_steps(calm: Bench, qtbot: Any):
    two = Matte(Branch("union", (Leaf(ELLIPSE), Leaf(ELLIPSE.replace(rotation=10.0)))))
    edit(calm, ELLIPSE)
    calm.workspace.matte_selection.set_matte(two, "two")
    steps = calm.document.steps
    for node in ((0,), (1,)):
        calm.workspace.matte_selection.select(node)
        qtbot.keyClick(calm.canvas, Key.Key_Right)
    assert calm.document.steps == steps + 2
