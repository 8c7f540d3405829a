"""Where windows of mattes are on the canvas, what a press hits, and what drags snap to."""

from __future__ import annotations

import pytest

from app.model.matte_drawing import shape_of
from app.model.matte_geometry import (
    Handle,
    Mapping,
    SnapLines,
    between_180,
    constrained_direction,
    constrained_move,
    distance_to,
    hit,
    snapped,
)
from app.model.viewport import Viewport
from engine.mattes.windows import Rectangle


def test_positions_are_those_of_the_display_window():
    """An anamorphic image whose data window begins inside its display window, at 200 % on a dense screen."""
    viewport = Viewport(1600, 900, 300, 200, 2.0, 0.5, 40.0, 60.0, False, (-30.0, -20.0, 400.0, 250.0))
    mapping = Mapping.of(viewport, 2.0)
    assert mapping.on_canvas((0.0, 0.0)) == pytest.approx(((40 - 30) / 2, (60 - 10) / 2))
    assert mapping.on_canvas((31.0, 22.0)) == pytest.approx(((40 + 1) / 2, (60 + 1) / 2))
    assert mapping.on_image(mapping.on_canvas((123.0, -45.0))) == pytest.approx((123.0, -45.0))
    assert mapping.metric == (0.5, 0.25)


def test_an_eye_beside_the_other_is_half_as_large():
    mapping = Mapping(100.0, 50.0, 2.0, 2.0)
    frame = (100.0, 50.0, 400.0, 200.0)
    left, right = mapping.in_half(frame, False), mapping.in_half(frame, True)
    assert left.on_canvas((0.0, 0.0)) == (100.0, 100.0) and left.on_canvas((200.0, 100.0)) == (300.0, 200.0)
    assert right.on_canvas((0.0, 0.0)) == (300.0, 100.0) and right.on_canvas((200.0, 100.0)) == (500.0, 200.0)
    zoomed = Mapping(-300.0, 50.0, 2.0, 2.0).in_half(frame, True)  # the frame shows the image from x = 200
    assert zoomed.on_canvas((200.0, 0.0)) == (300.0, 100.0)


def test_a_press_takes_the_nearest_handle_within_reach():
    mapping = Mapping(10.0, 10.0, 0.1, 0.1)
    near, far = Handle("left", (100.0, 0.0)), Handle("right", (160.0, 0.0))
    assert hit((near, far), (22.0, 10.0), mapping) is near
    assert hit((near, far), (24.0, 10.0), mapping) is far
    assert hit((near, far), (26.0, 18.5), mapping) is None
    assert hit((near, Handle("top", near.at)), (20.0, 10.0), mapping) == Handle("top", near.at)
    middle = Handle("center", (140.0, 0.0))
    assert hit((near, middle), (24.0, 10.0), mapping) is middle, "also between near handles"
    assert hit((near, middle), (21.4, 10.0), mapping) is near, "which it does not hide"


def test_the_distance_to_lines_is_in_pixels_of_the_screen():
    line = [(0.0, 0.0), (100.0, 0.0), (100.0, 100.0)]
    mapping = Mapping(0.0, 0.0, 0.5, 0.5)
    assert distance_to([line], False, (25.0, 3.0), mapping) == pytest.approx(3.0)
    assert distance_to([line], False, (20.0, 30.0), mapping) > 15.0
    assert distance_to([line], True, (20.0, 20.0), mapping) == pytest.approx(0.0), "the closing line"
    assert distance_to([], True, (0.0, 0.0), mapping) == float("inf")


def test_constraints_are_those_of_the_screen():
    assert constrained_move(5.0, 4.0, (1.0, 1.0)) == (5.0, 0.0)
    assert constrained_move(5.0, 4.0, (1.0, 2.0)) == (0.0, 4.0)
    x, y = constrained_direction((10.0, 10.0), (30.0, 49.0), (2.0, 1.0))
    assert (x - 10.0) * 2.0 == pytest.approx(y - 10.0), "45 degrees on the screen, with pixels twice as wide"
    assert [between_180(each) for each in (190.0, -180.0, 180.0, 725.0)] == [-170.0, 180.0, 180.0, 5.0]


def test_what_is_dragged_snaps_to_the_nearest_line():
    other = shape_of(Rectangle(center=(300.0, 200.0), size=(50.0, 20.0)))
    assert other is not None
    lines = SnapLines.of(900.0, 600.0, [other])
    assert set(lines.xs) == {0.0, 300.0, 450.0, 600.0, 900.0, 250.0, 350.0}
    assert set(lines.ys) == {0.0, 200.0, 300.0, 400.0, 600.0, 180.0, 220.0}
    found = snapped(((100.0, 130.0), (50.0,)), (117.0, 40.0), lines, (1.0, 1.0))
    assert (found.dx, found.x) == (120.0, 250.0), "the second coordinate, by 3 pixels"
    assert (found.dy, found.y) == (40.0, None)
    assert snapped(((100.0, 130.0), ()), (117.0, 40.0), lines, (4.0, 4.0)).x is None, "reach is that of the screen"
