"""Vertices and Bezier handles of the paths of mattes, by mouse and keys."""

from __future__ import annotations

from typing import Any

import pytest

from tests.app.canvas.conftest import Bench
from tests.app.canvas.matte_hands import (
    PATH,
    click,
    double_click,
    drag,
    drag_handle,
    edit,
    handle_at,
    press,
    release,
    source_of,
    undone,
)
from tests.app.hands import ALT, Key


def test_a_vertex_is_dragged_alone(calm: Bench, qtbot: Any):
    edit(calm, PATH)
    drag_handle(qtbot, calm, "vertex", 6.0, 4.0, index=2)
    points = source_of(calm).points
    assert points[2][:2] == pytest.approx((146.0, 84.0)) and points[:2] == PATH.points[:2]
    assert undone(calm) == PATH


def test_bezier_handles_turn_together_and_alt_breaks_them(calm: Bench, qtbot: Any):
    edit(calm, PATH)
    click(qtbot, calm, 140.0, 30.0)
    drag_handle(qtbot, calm, "out", 0.0, 10.0, index=1)
    in_x, in_y, out_x, out_y = source_of(calm).points[1][2:]
    assert (out_x, out_y) == pytest.approx((10.0, 10.0)) and in_x == pytest.approx(in_y) and in_x < 0.0
    drag_handle(qtbot, calm, "out", 0.0, -20.0, ALT, index=1)
    broken = source_of(calm).points[1]
    assert broken[2:4] == pytest.approx((in_x, in_y)) and broken[4:] == pytest.approx((10.0, -10.0))
    drag_handle(qtbot, calm, "vertex", 12.0, 6.0, ALT, index=3)
    assert source_of(calm).points[3][2:] == pytest.approx((-12.0, -6.0, 12.0, 6.0)), "Alt pulls them out of a corner"


def test_vertices_are_added_and_removed(calm: Bench, qtbot: Any):
    edit(calm, PATH)
    double_click(qtbot, calm, 110.0, 80.0)
    assert len(source_of(calm).points) == 5 and source_of(calm).points[3][:2] == pytest.approx((110.0, 80.0))
    assert calm.document.steps == 1
    release(qtbot, calm, 110.0, 80.0)
    qtbot.keyClick(calm.canvas, Key.Key_Backspace)
    assert source_of(calm) == PATH
    qtbot.keyClick(calm.canvas, Key.Key_Insert)
    assert len(source_of(calm).points) == 5
    qtbot.keyClick(calm.canvas, Key.Key_Delete)
    for _ in range(3):
        qtbot.keyClick(calm.canvas, Key.Key_Delete)
    assert len(source_of(calm).points) == 3, "a path keeps three"


def test_alt_adds_a_vertex_and_drags_it_as_one_step(calm: Bench, qtbot: Any):
    edit(calm, PATH)
    drag(qtbot, calm, (100.0, 80.0), (100.0, 95.0), ALT)
    points = source_of(calm).points
    assert len(points) == 5
    assert undone(calm) == PATH
    press(qtbot, calm, 100.0, 80.0, ALT)
    qtbot.keyClick(calm.canvas, Key.Key_Escape)
    assert source_of(calm) == PATH and calm.document.steps == 0


def test_a_corner_turns_smooth_by_double_click_and_return(calm: Bench, qtbot: Any):
    edit(calm, PATH)
    double_click(qtbot, calm, 140.0, 80.0)
    smooth = source_of(calm).points[2]
    assert any(smooth[2:]) and smooth[:2] == (140.0, 80.0)
    release(qtbot, calm, 140.0, 80.0)
    qtbot.keyClick(calm.canvas, Key.Key_Return)
    assert source_of(calm) == PATH


def test_delete_removes_a_bezier_handle(calm: Bench, qtbot: Any):
    edit(calm, PATH)
    click(qtbot, calm, 140.0, 30.0)
    click(qtbot, calm, *handle_at(calm, "out", 1))
    qtbot.keyClick(calm.canvas, Key.Key_Delete)
    assert source_of(calm).points[1] == (140.0, 30.0, -10.0, 0.0, 0.0, 0.0)
