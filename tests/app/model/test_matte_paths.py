"""Editing of closed Bezier paths."""

from __future__ import annotations

import math

import pytest

from app.model import matte_paths as mp

SQUARE = tuple(mp.corner(x, y) for x, y in ((0.0, 0.0), (100.0, 0.0), (100.0, 60.0), (0.0, 60.0)))
CURVED = (
    (0.0, 0.0, -10.0, 5.0, 30.0, -20.0),
    (100.0, 10.0, -20.0, -30.0, 20.0, 30.0),
    (60.0, 90.0, 25.0, 0.0, -25.0, 10.0),
)


def test_a_polyline_of_corners_is_their_positions():
    assert mp.polyline(SQUARE) == [(x, y) for x, y, *_ in SQUARE]
    assert mp.polyline(SQUARE[:3], closed=False) == [(x, y) for x, y, *_ in SQUARE[:3]]
    assert mp.polyline(()) == [] and mp.polyline(SQUARE[:1]) == [(0.0, 0.0)]


def test_a_segment_begins_and_ends_at_its_vertices_in_the_direction_of_their_handles():
    assert mp.point_at(CURVED, 0, 0.0) == (0.0, 0.0) and mp.point_at(CURVED, 0, 1.0) == (100.0, 10.0)
    x, y = mp.point_at(CURVED, 0, 1e-6)
    assert y / x == pytest.approx(-20.0 / 30.0, rel=1e-4)
    x, y = mp.point_at(CURVED, 2, 1.0 - 1e-6)  # the segment that closes the path
    assert y / x == pytest.approx(5.0 / -10.0, rel=1e-4)


@pytest.mark.parametrize("index", range(3))
@pytest.mark.parametrize("t", [0.1, 0.5, 0.83])
def test_an_inserted_vertex_keeps_the_shape(index: int, t: float):
    grown = mp.with_inserted(CURVED, index, t)
    assert len(grown) == 4
    assert grown[index + 1][:2] == pytest.approx(mp.point_at(CURVED, index, t))
    for share in (0.0, 0.3, 0.7, 1.0):
        assert mp.point_at(grown, index, share) == pytest.approx(mp.point_at(CURVED, index, share * t))
        there = mp.point_at(CURVED, index, t + share * (1.0 - t))
        assert mp.point_at(grown, index + 1, share) == pytest.approx(there)
    assert mp.is_smooth(grown[index + 1])


def test_a_vertex_inserted_in_a_straight_segment_is_a_corner():
    grown = mp.with_inserted(SQUARE, 3, 0.25)
    assert grown == (*SQUARE, mp.corner(0.0, 45.0))


def test_the_nearest_place_is_measured_on_the_screen():
    assert mp.nearest(SQUARE, (40.0, 7.0)) == pytest.approx((7.0, 0, 0.4))
    assert mp.nearest(SQUARE, (40.0, 31.0), (0.1, 1.0))[:2] == pytest.approx((4.0, 3)), "pixels a tenth as wide as high"
    away, index, t = mp.nearest(CURVED, mp.point_at(CURVED, 1, 0.4))
    assert away < 0.5 and index == 1 and t == pytest.approx(0.4, abs=0.02)


def test_inside_is_even_odd():
    star = mp.polyline(
        tuple(mp.corner(50 * math.cos(a), 50 * math.sin(a)) for a in (n * 4 * math.pi / 5 for n in range(5)))
    )
    assert not mp.contains(star, (0.0, 0.0)) and mp.contains(star, (40.0, 0.0)) and not mp.contains(star, (60.0, 0.0))


def test_handles_of_a_smooth_vertex_stay_one_line():
    smooth = mp.with_vertex(CURVED, 1, (100.0, 10.0, -20.0, 0.0, 40.0, 0.0))
    turned = mp.with_handle(smooth, 1, "out", 100.0, 30.0)
    assert turned[1] == pytest.approx((100.0, 10.0, 0.0, -20.0, 0.0, 20.0))
    alone = mp.with_handle(smooth, 1, "out", 100.0, 30.0, alone=True)
    assert alone[1] == (100.0, 10.0, -20.0, 0.0, 0.0, 20.0)
    assert mp.with_handle(alone, 1, "in", 50.0, 10.0)[1][4:] == (0.0, 20.0), "a broken vertex stays broken"


def test_a_corner_turns_smooth_and_back():
    smooth = mp.with_turned_corner(SQUARE, 1)
    assert mp.is_smooth(smooth[1]) and smooth[1][:2] == SQUARE[1][:2]
    along = math.atan2(smooth[1][5], smooth[1][4])
    assert along == pytest.approx(math.atan2(60.0, 100.0)), "along the line between the neighbours"
    assert mp.with_turned_corner(smooth, 1) == SQUARE


def test_moves_turns_and_scales_take_the_handles_along():
    assert mp.moved(CURVED, 5.0, -1.0)[0] == (5.0, -1.0, *CURVED[0][2:])
    turned = mp.turned(CURVED, (0.0, 0.0), 90.0)
    assert turned[0] == pytest.approx((0.0, 0.0, -5.0, -10.0, 20.0, 30.0))
    assert turned[1][:2] == pytest.approx((-10.0, 100.0)), "clockwise, as y points down"
    assert mp.scaled(CURVED, (100.0, 10.0), 2.0, 3.0)[0] == (-100.0, -20.0, -20.0, 15.0, 60.0, -60.0)


def test_a_path_keeps_three_vertices():
    assert mp.without(SQUARE, 3) == SQUARE[:3]
    assert mp.without(SQUARE[:3], 0) == SQUARE[:3]


def test_bounds_are_those_of_the_curve():
    left, top, right, bottom = mp.bounds(CURVED)
    assert top < -3.0 and right > 100.0 and bottom > 90.0 and left < 0.0
